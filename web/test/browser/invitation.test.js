// Players invite friends by link and QR code, and move a seat to another device.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import jsqr from 'jsqr';
import { PNG } from 'pngjs';

import { redactedScreenshot } from './failures.js';
import { assertFaultless, openBrowser, Person, PHONE, Server } from './harness.js';

const server = await Server.start();
const browser = await openBrowser();

/** The package is a CommonJS module. @type {typeof jsqr} */
const decode = /** @type {{ default: typeof jsqr }} */ (/** @type {unknown} */ (jsqr)).default;

const HANDHELD = { viewport: PHONE, hasTouch: true, isMobile: true };

describe('invitations', { timeout: 300_000 }, () => {
  test('the QR code of a room has its link in both themes', async () => {
    const ann = await Person.open(browser, server, 'Ann', { isDrawn: true });
    const link = await ann.openRoom({ seats: 3 });
    await ann.waitUntilSeated();
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await ann.page.emulateMedia({ colorScheme });
      assert.equal(await scanned(ann, 'QR code for the link to this table'), link, colorScheme);
    }
    assertFaultless(ann);
  });

  test('during a game a seat moves by a link that works once', async () => {
    const bea = await Person.open(browser, server, 'Bea', { isDrawn: true });
    const room = await bea.openRoom({ seats: 3 });
    await bea.waitUntilSeated();
    await bea.click('Fill with bots & start');
    await bea.playDownTo(13);
    await bea.page.locator('.tray.turn').waitFor();
    await bea.click('Menu');
    await bea.click('Move my seat to another device');
    const offer = bea.dialog('Move your seat');
    await offer.getByText(/Valid for \d+ more seconds/).waitFor();
    const link = await offer.locator('.link').innerText();
    assert.equal(await scanned(bea, 'QR code for the link that moves your seat'), link);
    assert.equal(decoded(await bea.page.screenshot()), link);
    assert.equal(
      decoded(await redactedScreenshot(bea.page)),
      undefined,
      'the screenshot of a failed test has no secrets',
    );

    const phone = await Person.open(browser, server, 'Bea', HANDHELD);
    /** @type {string[]} */
    const asked = [];
    phone.page.on('request', (request) => asked.push(request.url()));
    await phone.page.goto(link);
    const question = phone.dialog('Sit down as Bea here?');
    await question.waitFor();
    assert.equal(phone.page.url(), room, 'the code is out of the address');
    const code = link.split('.').at(-1) ?? '';
    const sent = asked.map((url) => url.split('#')[0]);
    assert.ok(code.length > 0 && sent.length > 0 && !sent.some((url) => url.includes(code)), 'nor was it sent');
    await question.getByRole('button', { name: 'Sit down here' }).click();
    await question.waitFor({ state: 'detached' });
    await phone.page.locator('.tray.turn .hand .card-button').nth(12).waitFor();

    const moved = bea.dialog('Your seat has moved');
    await moved.getByRole('button', { name: 'Watch' }).click();
    await bea.sees('You are watching.');
    await bea.waitUntilWithoutHand();
    await phone.playDownTo(12);

    const late = await Person.open(browser, server, 'Bea', HANDHELD);
    await late.page.goto(link);
    await late.dialog('Sit down as Bea here?').getByRole('button', { name: 'Sit down here' }).click();
    await late.sees('This code is wrong or too old.');
    assertFaultless(bea, phone, late);
  });

  test('an expired link says so, and a new one can be made', async () => {
    const cem = await Person.open(browser, server, 'Cem');
    await cem.page.clock.install();
    await cem.openRoom({ seats: 3 });
    await cem.waitUntilSeated();
    await cem.click('Menu');
    await cem.click('Move my seat to another device');
    const offer = cem.dialog('Move your seat');
    const first = await offer.locator('.link').innerText();
    await cem.page.clock.fastForward('02:01');
    await offer.getByText('The link and its code have expired.').waitFor();
    // The page and the server agree on the time again.
    await cem.page.clock.setSystemTime(Date.now());
    await offer.getByRole('button', { name: 'A new link' }).click();
    await offer.getByText(/Valid for \d+ more seconds/).waitFor();
    assert.notEqual(await offer.locator('.link').innerText(), first);
    assertFaultless(cem);
  });

  test('the link can be copied, or shared by the dialog of the device', async () => {
    const dora = await Person.open(browser, server, 'Dora', { permissions: ['clipboard-read', 'clipboard-write'] });
    await dora.page.addInitScript(() => {
      navigator.share = async (data) => void Object.assign(window, { shared: data });
    });
    const link = await dora.openRoom({ seats: 3 });
    await dora.waitUntilSeated();
    await dora.page.getByRole('button', { name: 'Copy' }).click();
    await dora.sees('Link copied');
    assert.equal(await dora.page.evaluate(() => navigator.clipboard.readText()), link);
    await dora.click('Share link…');
    assert.equal(
      await dora.page.evaluate(
        () => /** @type {Window & typeof globalThis & { shared: ShareData }} */ (window).shared.url,
      ),
      link,
    );
    assertFaultless(dora);
  });

  test('the home page leads back to each room, and forgets rooms that are gone or dismissed', async () => {
    const emil = await Person.open(browser, server, 'Emil');
    const links = [];
    for (let room = 0; room < 3; room += 1) {
      links.push(await emil.openRoom({ seats: 3 }));
      await emil.waitUntilSeated();
    }
    const [gone, other, last] = links.map((link) => new URL(link).pathname.split('/').at(-1) ?? '');
    emil.browserLog.expectNotFound();
    await emil.page.route(`**/api/rooms/${gone}`, (route) =>
      route.fulfill({ status: 404, json: { code: 'no_such_room' } }),
    );
    await emil.goHome();
    const seats = emil.page.locator('.saved-room');
    await seats
      .filter({ has: emil.page.locator(`a[href$="${other}"]`) })
      .getByText('Not started yet.')
      .waitFor();
    assert.equal(await seats.count(), 2);
    const unwanted = seats.filter({ has: emil.page.locator(`a[href$="${last}"]`) });
    await unwanted.getByRole('button').click();
    await unwanted.waitFor({ state: 'detached' });
    assert.equal(await seats.count(), 1);
    await emil.page.getByRole('link', { name: 'Back to the table' }).click();
    await emil.waitUntilSeated();
    assert.equal(emil.page.url(), links[1]);
    assertFaultless(emil);
  });
});

/**
 * The text of the QR code with this label.
 * @param {Person} person
 * @param {string} name
 */
async function scanned({ page }, name) {
  const code = page.getByRole('img', { name, exact: true });
  const paper = page.locator('.qr').filter({ has: code });
  return decoded(await paper.screenshot());
}

/**
 * The text of the QR code in a picture.
 * @param {Buffer} screenshot
 */
function decoded(screenshot) {
  const { data, width, height } = PNG.sync.read(screenshot);
  return decode(Uint8ClampedArray.from(data), width, height)?.data;
}
