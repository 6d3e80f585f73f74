/**
 * What somebody has lifted and not yet played, by its name: a card (`red-7`; the second and third of equal cards are
 * `red-1 2` and `red-1 3`), a space of the board (`trump:red`), or somebody chosen for a team (`seat:2`, `x2:2`).
 */

/**
 * The names of the cards of a hand, in its order.
 * @param {readonly string[]} hand
 * @returns {string[]}
 */
export function names(hand) {
  return hand.map((card, place) => {
    const copies = hand.slice(0, place).filter((other) => other === card).length;
    return copies === 0 ? card : `${card} ${copies + 1}`;
  });
}

/**
 * The card of this name.
 * @param {string} name
 */
export const cardIn = (name) => name.split(' ')[0];

/**
 * Of what was lifted, what is still there to be played.
 * @param {readonly string[]} lifted
 * @param {any} view
 * @returns {string[]}
 */
export function stillThere(lifted, view) {
  const cards = names(view.own?.hand ?? []);
  return lifted.filter((name) => {
    const [group, member] = name.split(':');
    if (member === undefined) return cards.includes(name);
    if (group === 'seat' || group === 'x2') return view.table.phase === 'team';
    return view.table.phase === 'nyet' && view.table.board[group]?.[member] === null;
  });
}
