// The page of a replay: steps by keys, buttons and swipes, links, perspectives, and its looks on all screens.
//
// The answers of `api/games/…` are samples.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { replaySample } from '../replays.js';
import { violations } from './axe.js';
import { recordPage } from './failures.js';
import { DESKTOP, openBrowser, PHONE, PHONE_LANDSCAPE, Server, SMALL_PHONE } from './harness.js';
import { flaws } from './layout.js';

/** @import { BrowserContextOptions, Page, Route } from 'playwright-core' */
/** @import { ReplaySample } from '../replays.js' */

const server = await Server.start();
const browser = await openBrowser();

const sticheln = replaySample('sticheln4');
const nyet = replaySample('nyet4');
const TIMEOUT = { timeout: 120_000 };

/**
 * Opens a page whose requests about games get the answers of a sample.
 * @param {ReplaySample} sample
 * @param {string} fragment
 * @param {BrowserContextOptions & { answer?: (path: string, route: Route) => Promise<void> | undefined }} [options]
 *   `answer`: answers some of the requests otherwise
 */
async function open(sample, fragment, { answer, ...options } = {}) {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en', reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  recordPage(page, 'replay');
  /** @type {string[]} */
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error.stack)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  const root = `api/games/${sample.overview.id}`;
  await page.route(`**/${root}**`, (route) => {
    const path = new URL(route.request().url()).pathname.replace(/^.*\/api\/games\/[^/]+\/?/, '');
    const given = answer?.(path, route);
    if (given) return given;
    const [, round] = /^rounds\/(\d+)$/.exec(path) ?? [];
    return route.fulfill({ json: round ? sample.rounds[Number(round) - 1] : sample.overview });
  });
  await page.goto(`${server.url}g/${sample.overview.id}${fragment}`);
  await page
    .locator('.felt :is(.seats, .nyet), .replay-result, .replay-note:not([aria-busy]), .single-panel')
    .first()
    .waitFor();
  return { page, errors };
}

/** The slider of the timeline. @param {Page} page */
const slider = (page) => page.getByRole('slider', { name: 'Place in the round' });

/**
 * Waits until the replay is at a stop.
 * @param {Page} page
 * @param {string} text the stop in words
 */
const isAt = (page, text) => page.locator(`input[aria-valuetext="${text}"]`).waitFor();

/** Waits until the address has a fragment. @param {Page} page @param {string} fragment */
const hasFragment = (page, fragment) => page.waitForFunction((wanted) => location.hash === wanted, fragment);

test('a link opens at its place, and the address follows the steps', TIMEOUT, async () => {
  const { page, errors } = await open(sticheln, '#r2.t7.c3');
  await isAt(page, 'Round 2, trick 7, card 3 of 4');
  assert.equal(await page.title(), 'Replay: Kitchen table');
  assert.equal(await page.locator('.slot.laid').count(), 3);
  await page.keyboard.press('ArrowRight');
  await isAt(page, 'Round 2, trick 7, card 4 of 4');
  await hasFragment(page, '#r2.t7.c4');
  // Somebody edits the address.
  await page.evaluate(() => (location.hash = '#r1.t2.c1.w'));
  await isAt(page, 'Round 1, trick 2, card 1 of 4');
  assert.equal(await page.getByRole('combobox', { name: 'View' }).inputValue(), '{"kind":"spectator"}');
  await page.goto(`${server.url}g/${sticheln.overview.id}#nonsense`);
  await isAt(page, 'Round 1, deal');
  await page.goto(`${server.url}g/${sticheln.overview.id}#r99.t1`);
  await page.getByText('This replay has no finished round 99. This is its first one.').waitFor();
  await hasFragment(page, '#r1.t0.c1');
  assert.deepEqual(errors, []);
});

test('keys step by card, trick and round, and play', TIMEOUT, async () => {
  const { page, errors } = await open(sticheln, '#r1.t3.c2');
  await isAt(page, 'Round 1, trick 3, card 2 of 4');
  for (const [key, text] of [
    ['ArrowLeft', 'Round 1, trick 3, card 1 of 4'],
    ['Shift+ArrowRight', 'Round 1, trick 4, card 1 of 4'],
    ['PageUp', 'Round 1, trick 3, card 1 of 4'],
    ['End', 'Round 1, result'],
    ['Home', 'Round 1, deal'],
    [']', 'Round 2, deal'],
    ['1', 'Round 1, deal'],
    ['PageDown', 'Round 1, trick 1, card 1 of 4'],
  ]) {
    await page.keyboard.press(key);
    await isAt(page, text);
  }
  await page.getByRole('combobox', { name: 'Speed' }).selectOption('fast');
  await page.locator('main').focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await isAt(page, 'Round 1, trick 1, card 3 of 4');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('previous, next trick').first().waitFor();
  assert.deepEqual(errors, []);
});

test('buttons step and keep the focus, and a step is announced to screen readers', TIMEOUT, async () => {
  const { page, errors } = await open(sticheln, '#r1.t14.c3');
  await isAt(page, 'Round 1, trick 14, card 3 of 4');
  const next = page.getByRole('button', { name: 'Next card' });
  await next.focus();
  await next.click();
  await isAt(page, 'Round 1, trick 14, card 4 of 4');
  await page
    .getByRole('log')
    .getByText(/takes the trick/)
    .first()
    .waitFor({ state: 'attached' });
  await next.click();
  await page.getByRole('heading', { name: 'Round 1 is scored', level: 1 }).waitFor();
  await next.click();
  await isAt(page, 'Round 2, deal');
  assert.equal(await next.evaluate((button) => button === document.activeElement), true);
  await page.getByRole('button', { name: 'Round 1', exact: true }).click();
  await page.getByRole('button', { name: 'End of the round' }).click();
  await isAt(page, 'Round 1, result');
  await slider(page).fill('9');
  await isAt(page, 'Round 1, trick 2, card 1 of 4');
  assert.deepEqual(errors, []);
});

test('the timeline of Nyet! marks what the tricks cost, and their points are announced', TIMEOUT, async () => {
  const { page, errors } = await open(nyet, '#r2.t4.c3');
  await isAt(page, 'Round 2, trick 4, card 3 of 4');
  const marks = page.locator('.loss');
  const radii = () => marks.evaluateAll((circles) => circles.map((circle) => Number(circle.getAttribute('r'))));
  const ofLosers = await radii();
  assert.ok(ofLosers.length > 3 && new Set(ofLosers).size > 1, String(ofLosers));
  // Marks and numbers are further than one stop from each tick, so that they belong to one trick.
  const percents = (/** @type {string} */ selector, /** @type {string} */ attribute) =>
    page
      .locator(selector)
      .evaluateAll((all, name) => all.map((one) => parseFloat(one.getAttribute(name) ?? '')), attribute);
  const ticks = await percents('.tick', 'x1');
  const oneStop = 100 / Number(await slider(page).getAttribute('max'));
  for (const x of [...(await percents('.loss', 'cx')), ...(await percents('.tick-text:not(.first)', 'x'))]) {
    assert.ok(
      ticks.every((tick) => Math.abs(tick - x) > 1.2 * oneStop),
      String(x),
    );
  }
  await page.keyboard.press('ArrowRight');
  const text = 'The trick counts +6.';
  await page.getByRole('log').getByText(text).first().waitFor({ state: 'attached' });
  await page.locator('.replay-log [aria-current]').getByText(text).waitFor();
  // Selim is in the team that loses the round, Mira in the other one.
  const view = page.getByRole('combobox', { name: 'View' });
  await view.selectOption({ label: 'As Selim saw it' });
  await hasFragment(page, '#r2.t4.c4.s3');
  assert.deepEqual(await radii(), ofLosers);
  await view.selectOption({ label: 'As Mira saw it' });
  await hasFragment(page, '#r2.t4.c4.s1');
  assert.equal(await marks.count(), 13 - ofLosers.length);
  assert.deepEqual(errors, []);
});

test('the log marks the line of the stop, and leads to others', TIMEOUT, async () => {
  const { page } = await open(sticheln, '#r1.t5.c2');
  const side = page.getByRole('complementary', { name: 'Hands and log' });
  const current = side.locator('[aria-current=step]');
  await current.waitFor();
  const [, , card] = sticheln.rounds[0].steps.filter(({ events }) => events?.[0]?.type === 'played').slice(15);
  assert.ok(card);
  await side.locator('.log-group').filter({ hasText: 'Trick 8' }).locator('.log-line').nth(2).click();
  await isAt(page, 'Round 1, trick 8, card 3 of 4');
  assert.equal(await current.count(), 1);
  assert.equal(
    await current.evaluate((line) => line.closest('.log-group')?.querySelector('h3')?.textContent),
    'Trick 8',
  );
  // The line is within the log.
  assert.ok(
    await current.evaluate((line) => {
      const [box, list] = [line, line.closest('.replay-log')].map((element) => element?.getBoundingClientRect());
      return box && list && box.top >= list.top - 1 && box.bottom <= list.bottom + 1;
    }),
  );
  // A bot stands in for a person.
  await side.getByText('A bot plays for Mira now.').waitFor();
});

test('a perspective hides the hands that it does not know', TIMEOUT, async () => {
  const { page, errors } = await open(sticheln, '#r1.t4.c2');
  await isAt(page, 'Round 1, trick 4, card 2 of 4');
  const [round] = sticheln.rounds;
  /** The own parts of the seats after the second card of trick 4. @type {Map<number, readonly string[]>} */
  const hands = new Map();
  for (const { own = [] } of round.steps.slice(0, 19)) for (const [seat, part] of own) hands.set(seat, part.hand);
  const cards = () => page.locator('.open-hands li li, .replay-hand li').count();
  const all = [...hands.values()].flat().length;
  assert.equal(await cards(), all + 2, 'all hands, and the cards of the trick');

  const view = page.getByRole('combobox', { name: 'View' });
  await view.selectOption({ label: 'As Tom saw it' });
  await page.locator('.replay-hand').waitFor();
  assert.equal(await cards(), hands.get(1)?.length);
  await hasFragment(page, '#r1.t4.c2.s1');
  // The log ends with the stop.
  assert.equal(await page.getByRole('heading', { name: 'Trick 5', exact: true }).count(), 0);

  await view.selectOption({ label: 'As a spectator' });
  await page.locator('.replay-hand').waitFor({ state: 'detached' });
  assert.equal(await cards(), 0);
  assert.equal(await page.locator('.open-hands').count(), 0);
  assert.deepEqual(errors, []);
});

test('with open hands face-down cards are shown as hidden, and a seat sees its own ones alone', TIMEOUT, async () => {
  const { page, errors } = await open(sticheln, '#r1.t0.c3');
  await isAt(page, 'Round 1, before the first trick, step 3 of 5');
  const known = page.locator('.felt').getByRole('img', { name: /^face down: / });
  const labels = () => known.evaluateAll((cards) => cards.map((card) => card.getAttribute('aria-label')?.trim()));
  assert.deepEqual((await labels()).sort(), ['face down: blue\u00a01', 'face down: purple\u00a00']);
  const notes = page.locator('.hidden-note');
  assert.equal(await notes.filter({ hasText: 'picked, still face down' }).count(), 2);
  assert.equal(await notes.getByRole('img', { name: 'purple\u00a00' }).count(), 1);
  assert.deepEqual(await violations(page), []);

  const view = page.getByRole('combobox', { name: 'View' });
  await view.selectOption({ label: 'As Tom saw it' });
  await page.locator('.replay-hand').waitFor();
  assert.equal(await known.count(), 0);
  assert.equal(await notes.getByRole('img', { name: 'purple\u00a00' }).count(), 1);
  await view.selectOption({ label: 'As Jonas saw it' });
  await page.locator('.replay-hand li').nth(14).waitFor();
  assert.equal(await notes.count(), 0, 'Jonas has not picked yet');
  await view.selectOption({ label: 'As a spectator' });
  await page.locator('.replay-hand').waitFor({ state: 'detached' });
  assert.deepEqual([await known.count(), await notes.count()], [0, 0]);
  assert.deepEqual(errors, []);

  const { page: cards } = await open(nyet, '#r2.t0.c23');
  await cards.getByRole('img', { name: 'face down: red\u00a010 and blue\u00a08' }).waitFor();
  assert.equal(await cards.locator('.hidden-note').filter({ hasText: 'chosen, still face down' }).count(), 3);
  assert.equal(await cards.locator('.open-hands li.hidden-card').count(), 6, 'they are in the hands still');
  await cards.keyboard.press('ArrowRight');
  await cards.locator('.hidden-note').filter({ hasText: 'laid aside, face down' }).nth(3).waitFor();
  assert.equal(await cards.locator('.open-hands li.hidden-card').count(), 0);
});

test('on a phone swipes step, and the log and the hands are dialogs', TIMEOUT, async () => {
  const { page, errors } = await open(sticheln, '#r1.t2.c1', { viewport: PHONE, hasTouch: true, isMobile: true });
  await isAt(page, 'Round 1, trick 2, card 1 of 4');
  const swipe = (/** @type {number} */ from, /** @type {number} */ to) =>
    page.evaluate(
      ([from, to]) => {
        const felt = document.querySelector('.felt .seats') ?? document.body;
        const event = (/** @type {string} */ type, /** @type {number} */ clientX) =>
          felt.dispatchEvent(
            new PointerEvent(type, {
              ...{ bubbles: true, isPrimary: true, pointerId: 7, pointerType: 'touch' },
              clientX,
              clientY: 300,
            }),
          );
        event('pointerdown', from);
        event('pointerup', to);
      },
      [from, to],
    );
  await swipe(300, 100);
  await isAt(page, 'Round 1, trick 2, card 2 of 4');
  await swipe(100, 300);
  await isAt(page, 'Round 1, trick 2, card 1 of 4');
  await swipe(100, 110);
  await isAt(page, 'Round 1, trick 2, card 1 of 4');
  await page.getByRole('button', { name: 'All hands' }).click();
  await page.getByRole('dialog').locator('.open-hands').waitFor();
  assert.equal(await page.getByRole('dialog').locator('.open-hands > li').count(), 4);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Round log' }).click();
  await page.locator('dialog [aria-current=step]').waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('dialog').locator('.log-line').filter({ hasText: 'takes the trick' }).nth(2).click();
  await isAt(page, 'Round 1, trick 3, card 4 of 4');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
});

test('a game that is over is exported with names or without', TIMEOUT, async () => {
  /** @type {string[]} */
  const asked = [];
  const { page } = await open(sticheln, '', {
    answer: (path, route) => {
      if (path !== 'record') return undefined;
      asked.push(new URL(route.request().url()).search);
      return route.fulfill({ json: { format: 'sticheln/record/1' } });
    },
  });
  await page.getByRole('button', { name: 'Menu of the replay' }).click();
  await page.getByRole('button', { name: 'Export the game' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Without names' }).click(),
  ]);
  assert.equal(file.suggestedFilename(), 'sticheln-record.json');
  assert.deepEqual(asked, ['?names=false']);
});

test('a running game cannot be exported yet', TIMEOUT, async () => {
  const running = /** @type {ReplaySample} */ ({ ...sticheln, overview: { ...sticheln.overview, status: 'playing' } });
  const { page } = await open(running, '');
  await page.getByRole('button', { name: 'Menu of the replay' }).click();
  await page.getByRole('button', { name: 'Export the game' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('There is no file of this game').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'With names' }).getAttribute('aria-disabled'), 'true');
});

test('a game goes on from a stop in a new room', TIMEOUT, async () => {
  const { page } = await open(sticheln, '#r1.t3.c2');
  await isAt(page, 'Round 1, trick 3, card 2 of 4');
  /** @type {unknown} */
  let form;
  await page.route('**/api/rooms', (route) => {
    form = route.request().postDataJSON();
    return route.fulfill({ status: 201, json: { room: 'k7qm2x4p', url: '../t/k7qm2x4p' } });
  });
  await page.getByRole('button', { name: 'Menu of the replay' }).click();
  await page.getByRole('button', { name: 'Play on from here' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Jonas', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Open the table' }).click();
  await page.waitForURL(`${server.url}t/k7qm2x4p`);
  const step = sticheln.rounds[0].steps.find(
    ({ table }) =>
      table?.phase === 'trick' &&
      'tricks_played' in table &&
      table.tricks_played === 2 &&
      table.trick.cards.length === 2,
  );
  assert.ok(step);
  const playOn = { replay: sticheln.overview.id, round: 1, rev: step.rev };
  assert.deepEqual(form, { game: 'sticheln', seats: 4, play_on: playOn });
  const kept = await page.evaluate(() => sessionStorage.getItem('sticheln.play-on-seat'));
  assert.deepEqual(JSON.parse(kept ?? ''), { code: 'k7qm2x4p', seat: 2 });
});

test('a game that cannot be shown says why', TIMEOUT, async () => {
  for (const [status, code, text] of /** @type {const} */ ([
    [404, 'no_such_game', /There is no such game/],
    [403, 'replay_forbidden', /You may not see this replay/],
  ])) {
    const { page } = await open(sticheln, '', { answer: (_, route) => route.fulfill({ status, json: { code } }) });
    await page.getByText(text).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, code);
    assert.deepEqual(await violations(page), [], code);
  }
  let isOffline = true;
  const { page } = await open(sticheln, '', { answer: (_, route) => (isOffline ? route.abort() : undefined) });
  await page.getByText('The server cannot be reached.').waitFor();
  isOffline = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await isAt(page, 'Round 1, deal');
});

test('a round that was abandoned says so at its end', TIMEOUT, async () => {
  const [first, second] = sticheln.rounds;
  const rounds = [first, { ...second, steps: second.steps.slice(0, 20) }];
  const overview = { ...sticheln.overview, rounds: [sticheln.overview.rounds[0], { round: 2 }] };
  const { page, errors } = await open({ overview, rounds }, '#r2.t4.c2', { viewport: PHONE });
  const note = page.getByText('The round was abandoned here.');
  await isAt(page, 'Round 2, trick 4, card 2 of 4');
  assert.equal(await note.count(), 0);
  await page.getByRole('button', { name: 'End of the round' }).click();
  await isAt(page, 'Round 2, trick 4, card 3 of 4, then abandoned');
  await note.waitFor();
  assert.deepEqual(await flaws(page, {}), []);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(errors, []);
});

test('a round that is not kept leaves the others', TIMEOUT, async () => {
  const { page } = await open(sticheln, '#r2.t1.c1', {
    answer: (path, route) =>
      path === 'rounds/2' ? route.fulfill({ status: 404, json: { code: 'round_unavailable' } }) : undefined,
  });
  await page.getByText('This round is no longer kept.').waitFor();
  await page.getByRole('button', { name: 'Round 1', exact: true }).click();
  await isAt(page, 'Round 1, deal');
});

/** The screens on which the page is looked at. */
const SCREENS = [DESKTOP, PHONE, PHONE_LANDSCAPE, SMALL_PHONE];
const PLACES = /** @type {const} */ ([
  ['sticheln4', '#r2.t10.c4'],
  ['sticheln4', '#r2.t5.c2.s0'],
  ['sticheln4', '#r1.t0.c3'],
  ['sticheln4', '#r1.t0.c3.s1'],
  ['sticheln4', '#r1.t14.c5'],
  ['sticheln6', '#r1.t3.c5'],
  ['nyet4', '#r1.t0.c9'],
  ['nyet4', '#r1.t0.c7.s2'],
  ['nyet4', '#r2.t0.c23'],
  ['nyet4', '#r2.t0.c23.s1'],
  ['nyet4', '#r2.t4.c3.w'],
  ['nyet4', '#r2.t13.c5'],
]);

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  test(`no screen has a flaw in ${colorScheme} colours`, { timeout: 240_000 }, async () => {
    for (const [name, fragment] of PLACES) {
      const { page, errors } = await open(replaySample(name), fragment, { colorScheme, locale: 'de' });
      await page.locator('input[aria-valuetext]').waitFor();
      await page.locator('.felt .seats, .felt .nyet, .replay-result').first().waitFor();
      for (const screen of SCREENS) {
        await page.setViewportSize(screen);
        const where = `${name} ${fragment} ${screen.width} x ${screen.height}`;
        assert.deepEqual(await flaws(page, { areNamesLong: name === 'sticheln6' }), [], where);
        assert.deepEqual(await violations(page), [], where);
      }
      assert.deepEqual(errors, []);
      await page.context().close();
    }
  });
}
