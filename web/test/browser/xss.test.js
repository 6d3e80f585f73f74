// Hostile texts in the chat, as names and as titles are shown as text and run no script.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { errors } from './browser.js';
import { assertFaultless, openBrowser, Person, PHONE, Server, seatTwo } from './harness.js';

/** Texts that would do harm as HTML, in attributes, templates or addresses. */
const TEXTS = [
  // Elements and scripts.
  '<script>__hit=1</script>',
  '<script src=//a.bc>',
  '</script><script>__hit=1</script>',
  '<svg onload=__hit=1>',
  '<svg/onload=__hit=1>',
  '<svg><script>__hit=1</script></svg>',
  '<img src=x onerror=__hit=1>',
  '<img src=//a.bc>',
  '<img src="https://example.com/x.png">',
  '<b onclick=__hit=1>',
  '<body onload=__hit=1>',
  '<iframe src=//a.bc>',
  '<iframe srcdoc="<script>__hit=1</script>">',
  '<object data=//a.bc>',
  '<embed src=//a.bc>',
  '<link rel=stylesheet href=//a.bc>',
  '<style>*{display:none}</style>',
  '<style>@import"//a.bc"</style>',
  '<meta http-equiv=refresh content="0;//a.bc">',
  '<base href=//a.bc>',
  '<form action=//a.bc><button>OK</button>',
  '<a href=//a.bc>x</a>',
  '<a href="javascript:__hit=1">x</a>',
  '<details open ontoggle=__hit=1>',
  '<input autofocus onfocus=__hit=1>',
  '<plaintext>',
  '</title><h1>x</h1>',
  '</main></body>',
  '<!--',
  '-->',
  '<!-- x -->',
  // Attributes and quotes.
  '" onclick="__hit=1',
  "' onclick='__hit=1",
  '"><b>x</b>',
  "'><b>x</b>",
  '` onclick=`__hit=1',
  '"\'`',
  "O'Brien \\",
  // Templates.
  '${__hit=1}',
  '${alert(1)}',
  '{{__hit=1}}',
  '{name}',
  '{n} {max} {names}',
  '<!--?lit$1$-->',
  '<!--?lit$123456789$-->',
  '?lit$123456789$',
  '<?lit$123456789$>',
  '<!--lit-part-->',
  '{{lit-123}}',
  '$lit$',
  '%s %d %o',
  '__proto__',
  'constructor',
  'null',
  // Entities and addresses.
  '&lt;script&gt;',
  '&#60;b&#62;',
  '&quot;&amp;&nbsp;',
  'javascript:__hit=1',
  'javascript:alert(1)',
  'data:text/html,<script>__hit=1</script>',
  'https://example.com',
  '../../etc/passwd',
  '%3Cscript%3E',
  '\\u003cscript\\u003e',
  // Characters that many programs handle wrongly.
  'שלום עליכם',
  'مرحبا بالعالم',
  '\u202egnp.txt',
  'A\u2066nn\u2069',
  'A\u200bn\u200bn',
  'Z\u0335\u0321\u0353\u0349a\u0334\u0358\u0355l\u0336\u0339\u031dg\u0337\u0322o\u0338\u0348',
  '\ufdfd\ufdfd\ufdfd\ufdfd\ufdfd\ufdfd\ufdfd\ufdfd\ufdfd\ufdfd',
  'WWWWWWWWWWWWWWWWWWWW',
  'W'.repeat(60),
  '長い名前'.repeat(5),
  'x'.repeat(300),
  '\u{1f600}\u{1f3f4}\u{1f1e9}\u{1f1ea}',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}',
  '\u{1f44d}\u{1f3fd}'.repeat(20),
  '0\ufe0f\u20e3',
  '    ',
];

const server = await Server.start();
const browser = await openBrowser();

describe('hostile texts', { timeout: 300_000 }, () => {
  test('hostile texts in the chat stay texts', async () => {
    const [ann, bob] = await seatTwo(browser, server, 'Ann', 'Bob', { viewport: PHONE });
    const field = ann.page.getByPlaceholder('Say something');
    await bob.click(/^Chat/);
    for (const text of lines()) {
      await field.fill(text);
      // A line that is sent too soon stays in the field, and can be sent again.
      do await field.press('Enter');
      while (!(await saysAtLast(bob, text.replace(HIDDEN, '').trim())));
      await assertNothingInjected(bob);
    }
    assertFaultless(ann, bob);
  });

  test('a hostile name stays a text', async () => {
    const [ann, bob] = await seatTwo(browser, server, 'Ann', 'Bob', { viewport: PHONE });
    const field = ann.page.getByRole('dialog').getByLabel('Your name');
    for (const text of TEXTS) {
      if (!(await field.isVisible())) await ann.page.locator('[data-seat="0"] .icon-button').click();
      await field.fill(text);
      await ann.click('Change name');
      // Until a frame is drawn, the refusal of the text before is still there.
      await ann.waitForFrame();
      if (isLabel(text, 20)) {
        await shows(bob, '[data-seat="0"] .name', `${asLabel(text)} host`);
        await assertNothingInjected(bob);
        await field.waitFor({ state: 'detached' });
      } else {
        const refusal = /That is too long|This name has characters|Type a name/;
        await ann.page.locator('#chair-error').getByText(refusal).waitFor();
      }
    }
    assertFaultless(ann, bob);
  });

  test('a hostile title stays a text', async () => {
    const [ann, bob] = await seatTwo(browser, server, 'Ann', 'Bob', { viewport: PHONE });
    const field = ann.page.getByLabel('Title', { exact: true });
    for (const text of TEXTS.filter((text) => text.trim() !== '')) {
      await field.fill(text);
      await field.blur();
      if (isLabel(text, 40)) {
        await shows(bob, 'h1', asLabel(text));
        assert.equal(await bob.page.title(), `${asLabel(text)} – Sticheln`);
        await assertNothingInjected(bob);
      } else {
        await ann.sees(/That is too long|The title has characters/);
      }
    }
    assertFaultless(ann, bob);
  });

  test('a room where all names are hostile can be played at', async () => {
    const names = ['<svg onload=__hit=1>', '"><b>{name}${1}</b>', '<!--?lit$1$-->WWWWWW'];
    const title = `<img src=x onerror=__hit=1>{n}&lt;${'W'.repeat(6)}`;
    const people = await Promise.all(names.map((name) => Person.open(browser, server, name, { viewport: PHONE })));
    const [ann, bob, cem] = people;
    await ann.goHome();
    await ann.page.locator('#name').fill(ann.name);
    await ann.page.locator('.segmented label').filter({ hasText: '3' }).click();
    await ann.page.getByText('Title, listing, password').click();
    await ann.page.getByLabel('Title', { exact: true }).fill(title);
    await ann.page.getByText('Listed on the home page').click();
    await ann.click('Open a new table');
    await ann.waitUntilSeated();

    await bob.goHome();
    await shows(bob, '.open-tables li > b', title);
    await assertNothingInjected(bob);
    await bob.page.getByRole('link', { name: 'Join' }).click();
    await bob.sit();
    await cem.sit(ann.page.url());
    await ann.sees(`Waiting for ${bob.name} and ${cem.name}.`);
    await ann.click('Start anyway');
    await Promise.all(people.map((person) => person.playDownTo(12)));
    for (const person of people) {
      const others = names.filter((name) => name !== person.name);
      const plates = await person.page.locator('.plate .name').allInnerTexts();
      assert.deepEqual(plates.map((plate) => plate.trim()).sort(), others.sort());
      for (const name of others) await person.page.getByRole('button', { name }).first().waitFor();
      await assertNothingInjected(person);
    }

    // Past tricks (who took the last one differs), points, menu, a player, and the toast about a player who has left.
    for (const button of ['Past tricks', 'Scores', 'Menu']) {
      await ann.click(button);
      const sheet = ann.page.getByRole('dialog');
      await sheet.waitFor();
      if (button !== 'Past tricks') await sheet.getByText(bob.name).first().waitFor();
      await assertNothingInjected(ann);
      await ann.click('Close');
    }
    await ann.page.locator('.plate').first().click();
    await ann.page.getByRole('dialog').getByRole('heading', { name: bob.name }).waitFor();
    await ann.click('Close');
    await bob.page.getByRole('link', { name: 'To the home page' }).click();
    await bob.sees(`You are still sitting at “${title}”.`);
    await assertNothingInjected(bob);
    await ann.sees(`${bob.name} lost the connection.`);
    await assertNothingInjected(ann);

    // A spectator sees the same.
    const dora = await Person.open(browser, server, 'Dora', { locale: 'de-DE' });
    await dora.follow(ann.page.url());
    await dora.sees(`Platz: ${ann.name}`);
    await shows(dora, '.bar-title > b', title);
    await assertNothingInjected(dora);
    assertFaultless(...people, dora);
  });
});

/** All texts in as few lines of chat as they fit in: nobody may say many things at once. */
function lines() {
  const texts = TEXTS.filter((text) => length(text) <= 200);
  return texts.slice(1).reduce(
    ([line, ...others], text) => {
      const longer = `${line} ${text}`;
      return length(longer) <= 200 ? [longer, ...others] : [text, line, ...others];
    },
    [texts[0]],
  );
}

/** Invisible characters. The server removes them from chat and refuses them in names. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among them
const HIDDEN = /[\0-\x1f\x7f-\x9f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** @param {string} text */
const length = (text) => [...new Intl.Segmenter().segment(text)].length;

/**
 * A name or a title as it is shown: composed, and with single spaces.
 * @param {string} text
 */
const asLabel = (text) => text.normalize('NFC').trim().replace(/\s+/g, ' ');

/**
 * Whether a text may be a name, or a title.
 * @param {string} text
 * @param {number} most characters
 */
function isLabel(text, most) {
  const label = asLabel(text);
  const isSeen = label.search(HIDDEN) < 0 && !/[\u200d\ufe0f]/.test(label) && !/\p{M}{3}/u.test(label);
  return isSeen && label !== '' && length(label) <= most && Buffer.byteLength(text) <= most * 8;
}

/**
 * Waits until a place of the page shows exactly this text.
 * @param {Person} person
 * @param {string} place
 * @param {string} text
 */
async function shows(person, place, text) {
  const isShown = person.finds(
    function shownText([place, text]) {
      return document.querySelector(place)?.textContent?.trim().replace(/\s+/g, ' ') === text || null;
    },
    [place, text],
  );
  await isShown.catch(async () => {
    assert.equal(await person.page.locator(place).first().textContent(), text);
  });
}

/**
 * Whether the last line of the chat that is open is soon exactly this.
 * @param {Person} person
 * @param {string} text
 */
async function saysAtLast(person, text) {
  const isLast = person.finds(
    function lastLine(text) {
      return [...document.querySelectorAll('dialog .chat-lines p')].at(-1)?.textContent === text || null;
    },
    text,
    1_000,
  );
  try {
    return await isLast;
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error;
    return false;
  }
}

/**
 * Asserts that no text has become an element or a script, and that the page is not wider.
 * @param {Person} person
 */
async function assertNothingInjected({ page }) {
  const found = await page.evaluate(() => ({
    hit: '__hit' in window,
    strangers: document.querySelectorAll('img, iframe, object, embed, base, style, form[action], plaintext').length,
    // The first one is written into the page by the server.
    scripts: document.querySelectorAll('script:not([src^="./a/"], [src^="../a/"], head > script:first-of-type)').length,
    handlers: [...document.querySelectorAll('*')].flatMap((element) =>
      element.getAttributeNames().filter((name) => name.startsWith('on')),
    ),
    links: [...document.querySelectorAll('a')].filter(({ href }) => new URL(href).origin !== location.origin).length,
    isWider: document.documentElement.scrollWidth > innerWidth,
  }));
  assert.deepEqual(found, { hit: false, strangers: 0, scripts: 0, handlers: [], links: 0, isWider: false });
}
