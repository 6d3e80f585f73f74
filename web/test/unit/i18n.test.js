import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import './fake-document.js';
import { GAMES } from '../../js/games.js';
import { currentLanguage, HELP, hasTexts, isLoaded, loadLanguage, t, translator } from '../../js/i18n.js';
import { TRICKS as NYET_EXAMPLES } from '../../js/nyet/examples.js';
import { nyet } from '../../js/nyet/game.js';
import { lobby as nyetLobby } from '../../js/nyet/lobby.js';
import { CHARACTERS } from '../../js/nyet/phrases.js';
import { ROWS } from '../../js/nyet/spaces.js';
import { STOP_MS } from '../../js/replay/session.js';
import { LANGUAGES, THEMES } from '../../js/settings.js';
import { LEVELS, REPLAY_ACCESS } from '../../js/state.js';
import { TRICKS, ZEROS_TRICK } from '../../js/sticheln/examples.js';
import { EDITIONS, lobby as stichelnLobby } from '../../js/sticheln/lobby.js';
import { textsOf } from '../texts.js';
import { person, STICHELN_OPTIONS, sharedRoom } from './builders.js';

/** @import { Texts } from '../../js/i18n.js' */
/** @import { NyetDisplay } from '../../js/nyet/types.js' */
/** @import { GameEnd, StichelnOptions } from '../../js/protocol.js' */
/** @import { Switch } from '../../js/settings.js' */

const web = new URL('../../', import.meta.url);
const text = (/** @type {string} */ path) => readFileSync(new URL(path, web), 'utf8');

const en = textsOf('en');
const schema = JSON.parse(readFileSync(new URL('../docs/wire/schema.json', web), 'utf8'));
/** The values of an enumeration of the wire. @param {string} name @returns {string[]} */
const wire = (name) => schema.$defs[name].enum;

/** The kinds of displays of Nyet! that have no trick. @type {Record<Exclude<NyetDisplay['kind'], 'trick' | 'taken' | 'round_end'>, true>} */
const NYET_PLACES = {
  board: true,
  settled: true,
  choosing_team: true,
  teams_formed: true,
  discard: true,
  chosen: true,
};
/** @type {Record<Switch, true>} */
const SWITCHES = {
  oneTap: true,
  hints: true,
  bigCards: true,
  reducedMotion: true,
  sound: true,
  notification: true,
  vibration: true,
  letterKeys: true,
  hideChat: true,
  speakChat: true,
  streamer: true,
};
/** @type {(GameEnd | null)[]} */
const END_OPTIONS = [null, { type: 'target', target: 50, max_rounds: 30 }];
/** @type {StichelnOptions['all_zero_trick'][]} */
const ALL_ZERO_TRICKS = [null, 'nobody', 'leader'];
const STICHELN_EXAMPLES = [...Object.values(TRICKS).flat(), ...Object.values(ZEROS_TRICK)].map(({ id }) => id);
const GAME_IDS = GAMES.map(({ id }) => id);

/**
 * The values with which the code computes keys, by the pattern of the keys. A value fills the place of `*`; a list of
 * values fills several places.
 * @type {Record<string, readonly (string | readonly string[])[]>}
 */
const COMPUTED_KEYS = {
  '*.intro.*.text': GAME_IDS.flatMap((id) => ['1', '2', '3'].map((n) => [id, n])),
  '*.intro.*.title': GAME_IDS.flatMap((id) => ['1', '2', '3'].map((n) => [id, n])),
  '*.short.*': GAME_IDS.flatMap((id) => ['1', '2', '3', '4'].map((n) => [id, n])),
  'announce.*': wire('Actor').flatMap((actor) => [actor, `${actor}.you`]),
  'bot.*': LEVELS,
  'bot.*.text': LEVELS,
  'check.*.*': Object.entries({
    host: 'HostFinding',
    path: 'PathFinding',
    scheme: 'SchemeFinding',
    client_addresses: 'AddressFinding',
  }).flatMap(([topic, finding]) =>
    // A page in its own folder needs no line.
    wire(finding).flatMap((found) => (topic === 'path' && found === 'ok' ? [] : [[topic, found]])),
  ),
  'colour.*': wire('Colour'),
  'games.*': wire('GameStatus'),
  'home.phase.*': wire('RoomPhase'),
  'log.setting.*': wire('ChangedSetting'),
  'news.level.*': LEVELS,
  'nyet.character.*': wire('Character'),
  'nyet.example.*': NYET_EXAMPLES.map(({ id }) => id),
  'nyet.example.*.text': NYET_EXAMPLES.map(({ id }) => id),
  'nyet.example.result.*': nyet.seats.map(String),
  'nyet.choose.*': nyet.seats.filter((seats) => seats > 2).map(String),
  'nyet.discard.*': wire('DiscardRule'),
  'nyet.do.*': wire('DiscardRule').filter((rule) => rule !== 'none'),
  'nyet.row.*': ROWS,
  'nyet.row.*.text': ROWS,
  'nyet.space.*': ['trump', 'supertrump'],
  'nyet.space.*.none': ['trump', 'supertrump'],
  'nyet.space.discard.*': wire('DiscardRule'),
  'nyet.where.*': Object.keys(NYET_PLACES),
  'opt.end.*': ['usual', 'rounds', 'target'],
  'opt.opening.*': ['deals', 'leads'],
  'opt.replays.*': REPLAY_ACCESS,
  'play.presence.*': wire('PresenceState').filter((presence) => presence !== 'here'),
  'presence.*': wire('PresenceState'),
  'react.*': wire('Reaction'),
  'replay.error.*': ['no_such_game', 'replay_forbidden', 'round_unavailable', 'game_not_over', 'not_connected'],
  'replay.speed.*': Object.keys(STOP_MS),
  'replay.perspective.*': ['open', 'spectator'],
  'refused.*': [...refusalCodes(), 'not_connected', 'unknown'],
  'set.*': Object.keys(SWITCHES),
  'set.*.text': ['oneTap', 'hints', 'vibration', 'letterKeys', 'hideChat', 'speakChat', 'streamer'],
  'set.theme.*': THEMES,
  'sticheln.example.*': STICHELN_EXAMPLES,
  'sticheln.example.*.text': STICHELN_EXAMPLES,
  'sticheln.opt.edition.*': wire('Edition'),
  'sticheln.opt.edition.*.text': wire('Edition'),
  'sticheln.opt.history.*': wire('History'),
  'sticheln.opt.opening.*.named': ['deals', 'leads'],
  'sticheln.opt.opening.*.random': ['deals', 'leads'],
  'sticheln.opt.zeros.*': ['edition', ...wire('AllZeroTrick')],
  'sticheln.opt.zeros.*.text': wire('AllZeroTrick'),
};
/** Rooms whose options differ in everything on which the rules in the help depend. */
const ROOMS_OF_RULES = END_OPTIONS.flatMap((end) =>
  [null, 0].flatMap((opening_seat) =>
    EDITIONS.flatMap((edition) =>
      ALL_ZERO_TRICKS.flatMap((all_zero_trick) =>
        nyet.seats.flatMap((players) =>
          [false, true].map((isOn) => ({ end, opening_seat, edition, all_zero_trick, players, isOn })),
        ),
      ),
    ),
  ),
);
/** The patterns of the rules, which have a test of their own, of the second form of a line, and of the names of files. */
const TESTED_ELSEWHERE = [
  'first.*',
  'usual.*',
  'zeros.*',
  'sticheln.rules.*',
  'sticheln.rules.named.*',
  'nyet.rules.*',
  '*.*',
  'bonus.*',
  '*.you',
  '**.json',
];

const placeholders = (/** @type {Texts[string]} */ entry) =>
  [...new Set(JSON.stringify(entry).match(/\{\w+\}/g) ?? [])].sort();

test('a text is filled with its arguments', () => {
  const t = translator({ 'a.b': '{name} plays {n}' }, 'en');
  assert.equal(t('a.b', { name: 'Ann', n: -3 }), 'Ann plays \u22123');
  assert.equal(t('a.b', { n: 1 }), '{name} plays 1');
});

test('the plural form follows the number', () => {
  const t = translator({ seats: { one: '{n} seat', other: '{n} seats' } }, 'en');
  assert.equal(t('seats', { n: 1 }), '1 seat');
  assert.equal(t('seats', { n: 2 }), '2 seats');
  assert.equal(t('seats'), '{n} seats');
});

test('a name in a text adds no placeholders', () => {
  const t = translator({ a: '{x} {y}' }, 'en');
  assert.equal(t('a', { x: '{y}', y: 'b' }), '{y} b');
});

test('failed texts change nothing, and the last chosen language stays', async (context) => {
  /** @type {Record<string, (answer: object) => void>} */
  const answers = {};
  const name = (/** @type {string} */ address) => /(\w+)\.json$/.exec(address)?.[1] ?? '';
  context.mock.method(
    globalThis,
    'fetch',
    (/** @type {string} */ address) => new Promise((done) => (answers[name(address)] = done)),
  );
  const answer = (/** @type {string} */ language, ok = true) =>
    answers[language]({ ok, json: async () => ({ word: language }) });

  const [german, english] = [loadLanguage('de'), loadLanguage('en')];
  answer('en');
  await english;
  answer('de');
  await german;
  assert.equal(t('word'), 'en');

  const gone = loadLanguage('de');
  answer('de', false);
  await assert.rejects(gone);
  assert.equal(t('word'), 'en');
  assert.equal(currentLanguage(), 'en');
});

test('a set that is requested during a change of the language is loaded in the new one', async (context) => {
  /** @type {Map<string, (answer: object) => void>} */
  const answers = new Map();
  const name = (/** @type {string} */ address) => /i18n\/([\w.]+)\.json$/.exec(address)?.[1] ?? '';
  context.mock.method(
    globalThis,
    'fetch',
    (/** @type {string} */ address) => new Promise((done) => answers.set(name(address), done)),
  );
  const answer = (/** @type {string} */ file) =>
    answers.get(file)?.({ ok: true, json: async () => ({ [file.includes('help') ? 'help.word' : 'word']: file }) });
  const helpIsLoaded = () => new Promise((done) => hasTexts([HELP], () => done(undefined)));

  const german = loadLanguage('de');
  const inOldLanguage = helpIsLoaded();
  answer('de');
  await german;
  answer('help.en');
  await inOldLanguage;
  assert.equal(isLoaded(HELP), false, 'its texts are of the old language');
  const inNewLanguage = helpIsLoaded();
  answer('help.de');
  await inNewLanguage;
  assert.deepEqual([isLoaded(HELP), t('help.word')], [true, 'help.de']);

  const english = loadLanguage('en');
  for (const file of ['en', 'help.en']) answer(file);
  await english;
  assert.deepEqual([isLoaded(HELP), t('help.word')], [true, 'help.en'], 'a loaded set follows the language');
});

test('a missing text shows its key, a missing refusal a general text', () => {
  const t = translator({ 'refused.unknown': 'No.' }, 'en');
  assert.equal(t('a'), 'a');
  assert.equal(t('refused.of_tomorrow'), 'No.');
});

test('all languages have the same keys, placeholders and forms', () => {
  for (const language of LANGUAGES) {
    const texts = textsOf(language);
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(en).sort(), language);
    for (const key of Object.keys(en)) {
      assert.deepEqual(placeholders(texts[key]), placeholders(en[key]), `${key} in ${language}`);
      assert.equal(typeof texts[key], typeof en[key], `${key} in ${language}`);
    }
  }
});

test('the page, its files of texts and the server have the same languages', () => {
  const files = readdirSync(new URL('i18n/', web)).map((name) =>
    name.replace(/^(?:help|replay)\./, '').replace(/\.json$/, ''),
  );
  assert.deepEqual([...new Set(files)].sort(), [...LANGUAGES].sort());
  const server = text('../crates/server/src/http/pages.rs');
  const [, list] = /const LANGUAGES: .*= \[(.*)\];/.exec(server) ?? [];
  assert.deepEqual(JSON.parse(`[${list}]`), LANGUAGES);
});

test('every key in the code has a text', () => {
  /** @type {Set<string>} */
  const found = new Set();
  for (const { path, source } of sources()) {
    for (const [, key] of source.matchAll(/\bt\(\s*'([^']+)'/g)) assert.ok(key in en, `${key} in ${path}`);
    for (const [, key] of source.matchAll(/\bkey: '([^']+)'/g)) assert.ok(key in en, `${key} in ${path}`);
    for (const [, key] of source.matchAll(/\bline\(\s*'([^']+)'/g)) {
      for (const form of [key, `${key}.you`]) assert.ok(form in en, `${form} in ${path}`);
    }
    for (const [, template] of source.matchAll(/`((?:[\w.]|\$\{[^}`]*\})+)`/g)) {
      const pattern = template.replace(/\$\{[^}]*\}/g, '*');
      if (!/^[\w*]+(?:\.[\w*]+)+$/.test(pattern) || !pattern.includes('*') || TESTED_ELSEWHERE.includes(pattern))
        continue;
      const values = COMPUTED_KEYS[pattern];
      assert.ok(values, `COMPUTED_KEYS has the values of ${pattern} in ${path}`);
      found.add(pattern);
      for (const key of keysOf(pattern, values)) assert.ok(key in en, `${key} in ${path}`);
    }
  }
  assert.deepEqual([...found].sort(), Object.keys(COMPUTED_KEYS).sort(), 'each pattern is in the code');
});

test('every rule in the help has a text', () => {
  // Without texts a rule is its key.
  const keys = ROOMS_OF_RULES.flatMap(({ end, opening_seat, edition, all_zero_trick, players, isOn }) => {
    const chairs = Array.from({ length: players }, () => person('Ann'));
    const shared = sharedRoom({ game: 'nyet', chairs, opening_seat });
    const switches = { supertrump_loot: isOn, no_trump_space: isOn };
    const nyetOptions = { end, characters: [...CHARACTERS], ...switches };
    return [
      ...stichelnLobby.rules({ ...shared, options: { ...STICHELN_OPTIONS, end, edition, all_zero_trick } }, null),
      ...nyetLobby.rules({ ...shared, options: nyetOptions }, null),
      ...stichelnLobby.rules(null, edition),
      ...nyetLobby.rules(null, null),
    ];
  });
  assert.deepEqual(
    [...new Set(keys)].sort(),
    Object.keys(en)
      .filter((key) => key.includes('.rules.') && key !== 'lobby.rules.host')
      .sort(),
  );
});

test('every text is used in the code', () => {
  const code = sources()
    .map(({ source }) => source)
    .join('\n');
  const names = new Set([...code.matchAll(/'([\w.]+)'/g)].map(([, name]) => name));
  for (const word of [...refusalCodes(), ...names]) names.add(`refused.${word}`);
  const starts = [...code.matchAll(/`((?:\w+\.)+)\$\{/g)]
    .map(([, start]) => start)
    .filter((start) => start !== 'refused.');
  /** The separator after the id of a game. */
  const middles = [...code.matchAll(/`\$\{\w+\}(\.(?:\w+\.)+)\$\{/g)].map(([, middle]) => middle);
  const ends = [...code.matchAll(/\$\{\w+\}((?:\.\w+)+)`/g)].map(([, end]) => end);
  const isUsed = (/** @type {string} */ key) =>
    names.has(key) ||
    starts.some((start) => key.startsWith(start)) ||
    middles.some((middle) => key.slice(key.indexOf('.')).startsWith(middle)) ||
    ends.some((end) => key.endsWith(end) && names.has(key.slice(0, -end.length)));
  assert.deepEqual(
    Object.keys(en).filter((key) => !isUsed(key)),
    [],
  );
});

test('no text for people is written in the code', () => {
  for (const { path, source } of sources()) assert.deepEqual(words(source), [], path);
  assert.deepEqual(words('html`<p title="Hello" class="big">${t(\'a\')} · <b>or so</b></p>`'), ['Hello', 'or so']);
  assert.deepEqual(words('html`<p>${all.map((one) => html`<b aria-label=${one}>Yes</b>`)}</p>`'), ['Yes']);
});

test('every refusal code has a text', () => {
  assert.deepEqual(
    refusalCodes().filter((code) => !(`refused.${code}` in en)),
    [],
  );
});

/**
 * The keys of a pattern: each value fills its places.
 * @param {string} pattern
 * @param {readonly (string | readonly string[])[]} values
 */
const keysOf = (pattern, values) =>
  values.map((value) => [value].flat().reduce((key, part) => key.replace('*', part), pattern));

/** All codes with which the server refuses something. */
function refusalCodes() {
  return /** @type {string[]} */ ([...schema.$defs.Code.enum, ...schema.$defs.HttpCode.enum]);
}

/** All modules of the page. */
function sources() {
  const files = readdirSync(new URL('js/', web), { recursive: true }).map(String);
  const modules = files.filter((path) => path.endsWith('.js') && !path.endsWith('.test.js'));
  return modules.map((path) => ({ path, source: text(`js/${path}`) }));
}

/**
 * The texts for people in the templates of a module, without codes of tables.
 * @param {string} source
 */
function words(source) {
  return templates(source)
    .flatMap((template) => [
      ...[...template.matchAll(/\b(?:aria-label|title|placeholder|alt)="([^"]*)"/g)].map(([, text]) => text),
      ...template
        .replace(/<!--.*?-->/gs, '')
        .replace(/<(?:"[^"]*"|[^>"])*>/g, '\0')
        .split('\0'),
    ])
    .map((text) => text.trim())
    .filter((text) => /\p{L}{2}/u.test(text) && !/^[2-9A-Z]{4}-[2-9A-Z]{4}$/.test(text));
}

/**
 * The templates of a module without the expressions in them. A template inside another one stands alone.
 * @param {string} source
 */
function templates(source) {
  const found = [];
  for (const { index } of source.matchAll(/\b(?:html|svg)`/g)) {
    let template = '';
    let at = source.indexOf('`', index) + 1;
    while (source[at] !== '`') {
      if (source.startsWith('${', at)) {
        at = ending(source, at + 2);
        template += '\u00b7';
      } else {
        template += source[at];
        at += 1;
      }
    }
    found.push(template);
  }
  return found;
}

/**
 * The index after the closing brace of an expression in a template.
 * @param {string} source
 * @param {number} start
 */
function ending(source, start) {
  let at = start;
  for (let depth = 1; depth > 0; at += 1) {
    if (source[at] === '{') depth += 1;
    else if (source[at] === '}') depth -= 1;
    else if (source[at] === "'" || source[at] === '"') at = source.indexOf(source[at], at + 1);
    else if (source[at] === '`') {
      at += 1;
      while (source[at] !== '`') at = source.startsWith('${', at) ? ending(source, at + 2) : at + 1;
    }
  }
  return at;
}
