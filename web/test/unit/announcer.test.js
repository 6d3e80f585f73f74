import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createAnnouncer } from '../../js/announcer.js';

/** Somebody who tells, with a clock that is set by hand. */
function voice({ hasWords = true } = {}) {
  const said = [];
  const due = [];
  const set = { hasWords };
  const aloud = createAnnouncer({
    lines: (events, { code }) =>
      set.hasWords ? events.filter((event) => event !== 'still').map((event) => `${code} ${event}.`) : null,
    say: (lines, sentence) => said.push(...lines, ...(sentence ? [`(${sentence})`] : [])),
    later: (done) => due.push(done),
  });
  const pass = () => {
    for (const done of due.splice(0)) done();
  };
  return { aloud, said, set, pass };
}

const at = (code) => /** @type {any} */ ({ code });

test('what comes together is said in one, in its order', () => {
  const { aloud, said, pass } = voice();
  aloud.hear(['a', 'b'], at(1));
  aloud.hear(['c'], at(2));
  assert.deepEqual(said, []);
  pass();
  aloud.hear(['d'], at(2));
  pass();
  assert.deepEqual(said, ['1 a. 1 b. 2 c.', '2 d.']);
});

test('no announcement is longer than a trick', () => {
  const { aloud, said, pass } = voice();
  aloud.hear([...'abcdefghij'], at(1));
  pass();
  assert.deepEqual(said, ['1 a. 1 b. 1 c. 1 d. 1 e. 1 f. 1 g. 1 h.', '1 i. 1 j.']);
});

test('the sentence is said behind what has led to it, as it is then', () => {
  const { aloud, said, pass } = voice();
  aloud.see(' Wait\u00a0for\n b. ');
  pass();
  aloud.see('Sending.');
  aloud.hear(['b'], at(1));
  aloud.see('Your turn.');
  pass();
  aloud.see('Your turn.');
  pass();
  assert.deepEqual(said, ['(Wait for b.)', '1 b.', '(Your turn.)']);
});

test('nothing is said of what is worth no line', () => {
  const { aloud, said, pass } = voice();
  aloud.hear([], at(1));
  aloud.hear(['still'], at(1));
  pass();
  assert.deepEqual(said, []);
});

test('what has no words yet is told once there are some, as it was then', () => {
  const { aloud, said, set, pass } = voice({ hasWords: false });
  aloud.hear(['a'], at(1));
  aloud.hear(['b'], at(2));
  pass();
  assert.deepEqual(said, []);
  set.hasWords = true;
  aloud.catchUp();
  aloud.catchUp();
  pass();
  assert.deepEqual(said, ['1 a. 2 b.']);
});

test('nothing of one table is told at the next', () => {
  const { aloud, said, set, pass } = voice();
  aloud.hear(['a'], at(1));
  set.hasWords = false;
  aloud.hear(['b'], at(1));
  aloud.forget();
  set.hasWords = true;
  aloud.catchUp();
  pass();
  assert.deepEqual(said, []);
});
