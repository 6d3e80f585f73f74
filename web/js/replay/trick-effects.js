// The effects of the tricks of a round on the points: for the marks of the timeline, and for the notes in the log.

import { gameOf } from '../games.js';
import { stopsOf } from './stops.js';

/** @import { AnyGame, TakenTrick, TrickEffect } from '../game.js' */
/** @import { GameId } from '../protocol.js' */
/** @import { Perspective, RoundReplay } from './types.js' */

/** The effect of a trick that was taken. @typedef {TrickEffect & { stop: number, step: number }} EffectAtStop */

/**
 * The effect of each trick that was taken, with the index of its stop and of its step. The costs are those of the seat of the
 * perspective. With open hands and for a spectator, the game chooses the seats. There are no effects until the game is loaded.
 * @param {GameId} game
 * @param {RoundReplay} round
 * @param {Perspective} perspective
 * @returns {EffectAtStop[]}
 */
export function effectsOf(game, round, perspective) {
  const tricks = takenTricks(round);
  const seat = perspective.kind === 'seat' ? perspective.seat : null;
  const effects = gameOf({ game }).table.value?.trickEffects?.(tricks, seat) ?? [];
  return effects.map((effect, at) => ({ ...effect, stop: tricks[at].stop, step: tricks[at].step }));
}

/**
 * The tricks that were taken, with the tables after them.
 * @param {RoundReplay} round
 * @returns {(TakenTrick & { stop: number, step: number })[]}
 */
function takenTricks(round) {
  /** @type {AnyGame['view']['table']} */
  let table = null;
  return stopsOf(round).flatMap(({ step, isResult }, stop) => {
    table = round.steps[step].table ?? table;
    const event = round.steps[step].events?.find(({ type }) => type === 'trick_taken');
    return !isResult && table && event?.type === 'trick_taken' ? [{ event, table, stop, step }] : [];
  });
}
