// The page docs/rules/player-help.md has the texts of the help. UPDATE_HELP=1 regenerates it.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { GAMES } from '../../js/games.js';
import { LANGUAGE_NAMES } from '../../js/settings.js';

const PAGE = new URL('../../../docs/rules/player-help.md', import.meta.url);
/** The ends of keys of lines that belong to an edition, or to a rule for a trick of zeros. */
const VARIANTS = ['nsv', 'amigo-1993', 'nobody', 'leader'];

const INTRODUCTION = `<!-- Generated from web/js/*/i18n by web/test/unit/player-help.test.js. Do not edit. -->

# Help texts for players

This page shows the rules as the help of the page explains them, for reviewers of the texts. The page selects the lines by
the options of the room. Lines with (nsv) or (amigo-1993) belong to that edition only, those with (nobody) or (leader) to that
rule for a trick of zeros. Lines with {name} are for rooms whose host has chosen the opening seat. The page fills in the
numbers and names in braces.
`;

/** @param {string} game @param {string} language */
function lines(game, language) {
  const file = new URL(`../../js/${game}/i18n/help.${language}.json`, import.meta.url);
  const texts = Object.entries(JSON.parse(readFileSync(file, 'utf8')));
  const rules = texts.filter(([key]) => key.startsWith(`${game}.rules.`));
  return rules.map(([key, value]) => {
    const variant = VARIANTS.find((name) => key.endsWith(`.${name}`));
    // A text that depends on a number is shown in its plural.
    const text = typeof value === 'string' ? value : value.other;
    return `- ${text}${variant ? ` (${variant})` : ''}\n`;
  });
}

test('player-help.md has the texts of the help', () => {
  const sections = GAMES.flatMap(({ id, name }) =>
    Object.entries(LANGUAGE_NAMES).map(
      ([language, inWords]) => `\n## ${name} (${inWords})\n\n${lines(id, language).join('')}`,
    ),
  );
  const expected = INTRODUCTION + sections.join('');
  if (process.env.UPDATE_HELP) writeFileSync(PAGE, expected);
  assert.equal(readFileSync(PAGE, 'utf8'), expected, 'UPDATE_HELP=1 regenerates the page');
});
