// Notifications, vibration, sound and the wake lock follow the settings, on a fake device.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { KEYS } from '../../js/storage.js';
import { assertFaultless, openBrowser, Person, PHONE, Server } from './harness.js';

/** @import { Game } from '../../js/protocol.js' */
/** @import { BrowserContextOptions } from 'playwright-core' */

/**
 * A device that records the calls of the page.
 * @typedef {object} FakeDevice
 * @property {number} focused how often the page has taken the focus
 * @property {number} vibrations
 * @property {number} gain the gain at the loudspeaker
 * @property {string[]} locks the state of each wake lock
 * @property {(number | string | undefined)[]} tones the frequency of each tone
 * @property {{ title: string, open: boolean }[]} notifications
 * @property {() => void} click clicks the newest notification
 */
/** @typedef {Window & typeof globalThis & { device: FakeDevice }} FakeWindow */
/**
 * The notifications that the service worker of a fake Android has shown.
 * @typedef {Window & typeof globalThis & { shown: { title: string, data: string, open: boolean }[] }} AndroidWindow
 */

const server = await Server.start();
const browser = await openBrowser();

describe('the own turn', { timeout: 300_000 }, () => {
  test('a notification is shown only if it was switched on and the page is hidden', async () => {
    const { ann, ben } = await openPair();
    const shown = () => ann.page.evaluate(() => /** @type {FakeWindow} */ (window).device.notifications);
    await hide(ann, true);
    await start(ben, ann);
    assert.deepEqual(await shown(), [], 'nobody has asked for it');
    await end(ben, ann);
    await hide(ann, false);
    await set(ann, 'Notifications');
    await start(ben, ann);
    assert.deepEqual(await shown(), [], 'the page is seen');
    await end(ben, ann);

    await hide(ann, true);
    await start(ben, ann);
    assert.deepEqual(await shown(), [{ title: 'Your turn.', open: true }]);
    await hide(ann, false);
    assert.deepEqual(await shown(), [{ title: 'Your turn.', open: false }], 'the page is seen again');
    await end(ben, ann);

    await hide(ann, true);
    await start(ben, ann);
    await ann.page.evaluate(() => /** @type {FakeWindow} */ (window).device.click());
    assert.deepEqual((await shown()).at(-1), { title: 'Your turn.', open: false }, 'it was clicked');
    assert.equal(await ann.page.evaluate(() => /** @type {FakeWindow} */ (window).device.focused), 1);
    await end(ben, ann);

    await start(ben, ann);
    await ann.play(1);
    assert.deepEqual((await shown()).at(-1), { title: 'Your turn.', open: false }, 'the turn is over');
    assert.equal((await shown()).length, 3);
    assertFaultless(ann, ben);
  });

  test('where only service workers show notifications, one does so', async () => {
    const { ann, ben } = await openPair();
    await ann.page.evaluate(fakeAndroid);
    await set(ann, 'Notifications');
    await hide(ann, true);
    await start(ben, ann);
    const shown = () => ann.page.evaluate(() => /** @type {AndroidWindow} */ (window).shown);
    await ann.page.waitForFunction(() => /** @type {AndroidWindow} */ (window).shown.length > 0);
    const address = ann.page.url();
    assert.deepEqual(await shown(), [{ title: 'Your turn.', data: address, open: true }]);
    // The real service worker is active. It controls no page and keeps no cache.
    const worker = await ann.page.evaluate(async () => {
      const [registration] = await navigator.serviceWorker.getRegistrations();
      const { controller } = navigator.serviceWorker;
      return { state: registration.active?.state, isControlled: controller !== null, caches: await caches.keys() };
    });
    assert.deepEqual(worker, { state: 'activated', isControlled: false, caches: [] });
    await hide(ann, false);
    await ann.page.waitForFunction(() => !(/** @type {AndroidWindow} */ (window).shown[0].open));
    assertFaultless(ann, ben);
  });

  test('the sound is offered once, at the first table', async () => {
    const ann = await Person.open(browser, server, 'Ann', { isNew: true });
    await ann.openRoom({ seats: 3 });
    await ann.waitUntilSeated();
    const intro = ann.page.locator('.banner').filter({ hasText: 'New to Sticheln?' });
    await intro.getByRole('button', { name: 'Close' }).click();
    const offer = ann.page.locator('.banner').filter({ hasText: 'A sound can tell you that it is your turn.' });
    await offer.getByRole('button', { name: 'Switch it on' }).click();
    await offer.waitFor({ state: 'detached' });
    await ann.click('Menu');
    await ann.page.getByRole('checkbox', { name: 'Sound', checked: true }).waitFor();
    await ann.page.keyboard.press('Escape');
    // Somebody who wants no sound is not asked again either.
    const ben = await Person.open(browser, server, 'Ben', { isNew: true });
    await ben.openRoom({ seats: 3 });
    await ben.waitUntilSeated();
    await ben.page.locator('.banner').getByRole('button', { name: 'Close' }).click();
    await ben.page.locator('.banner').filter({ hasText: 'A sound can' }).getByRole('button', { name: 'Close' }).click();
    await ben.page.reload();
    await ben.waitUntilSeated();
    assert.equal(await ben.page.locator('.banner').count(), 0);
    assertFaultless(ann, ben);
  });

  test('if the browser denies notifications, the switch stays off and says why', async () => {
    const ann = await Person.open(browser, server, 'Ann');
    await ann.page.addInitScript(installFakeDevice, 'denied');
    await ann.goHome();
    await ann.page.getByRole('link', { name: 'Settings' }).click();
    const box = ann.page.getByRole('checkbox', { name: 'Notifications' });
    await ann.page.getByText('Notifications', { exact: true }).click();
    await ann.sees('This browser does not show notifications from this page.');
    assert.equal(await box.isChecked(), false);
    assertFaultless(ann);
  });

  test('a phone vibrates if that was switched on, a computer does not offer it', async () => {
    const { ann, ben } = await openPair({ viewport: PHONE, hasTouch: true, isMobile: true });
    await start(ben, ann);
    await end(ben, ann);
    assert.equal(await ann.page.evaluate(() => /** @type {FakeWindow} */ (window).device.vibrations), 0);
    await set(ann, 'Vibration');
    await start(ben, ann);
    assert.equal(await ann.page.evaluate(() => /** @type {FakeWindow} */ (window).device.vibrations), 1);
    await ben.click('Menu');
    assert.equal(await ben.page.getByText('Vibration', { exact: true }).count(), 0);
    assertFaultless(ann, ben);
  });

  test('the screen stays on while a game is on and the page is visible', async () => {
    const { ann, ben } = await openPair();
    const locks = () => ann.page.evaluate(() => /** @type {FakeWindow} */ (window).device.locks);
    assert.deepEqual(await locks(), []);
    await start(ben, ann);
    assert.deepEqual(await locks(), ['held']);
    await hide(ann, true);
    assert.deepEqual(await locks(), ['released']);
    await hide(ann, false);
    assert.deepEqual(await locks(), ['released', 'held']);
    await end(ben, ann);
    assert.deepEqual(await locks(), ['released', 'released']);
    assertFaultless(ann, ben);
  });

  test('sounds play only when they are switched on, at the chosen volume', async () => {
    const { ann, ben } = await openPair();
    await start(ben, ann);
    await ann.play(1);
    assert.deepEqual(await soundsOf(ann), []);
    await end(ben, ann);

    await set(ann, 'Sound');
    assert.deepEqual(await soundsOf(ann), [440, 587.33], 'what it is like');
    await start(ben, ann);
    assert.deepEqual(await soundsOf(ann), [440, 587.33], 'the turn');
    /** @type {Record<string, (number | string)[]>} */
    const sounds = { card: ['noise'], trick: [130], pluck: [130, 311.13], end: [392, 493.88, 587.33, 783.99] };
    for (const [name, tones] of Object.entries(sounds)) {
      await ann.page.evaluate(async (name) => {
        const main = /** @type {HTMLScriptElement} */ (document.querySelector('script[type=module]')).src;
        (await import(new URL('sound.js', main).href)).playSound(name, 10);
      }, name);
      assert.deepEqual(await soundsOf(ann), tones, name);
    }
    assert.equal(await ann.page.evaluate(() => /** @type {FakeWindow} */ (window).device.gain), 4, 'louder than usual');
    assertFaultless(ann, ben);
  });

  test('hints are on for two games, and then only if somebody switches them on', async () => {
    const ann = await Person.open(browser, server, 'Ann', { isNew: true });
    /** @type {Game | null} */
    let last = null;
    /** @type {(message: string) => void} */
    let tell = () => {};
    await ann.page.routeWebSocket(/socket/, (socket) => {
      tell = (message) => socket.send(message);
      socket.connectToServer().onMessage((message) => {
        if (JSON.parse(String(message)).type === 'game') last = JSON.parse(String(message));
        socket.send(message);
      });
    });
    await ann.openRoom({ seats: 3 });
    await ann.waitUntilSeated();
    await ann.click('Fill with bots & start');
    await ann.page.locator('.hand .card-button').nth(14).waitFor();
    const hints = ann.page.getByRole('button', { name: 'Hints' });
    const key = KEYS.experience;
    const finish = async () => {
      const over = { type: 'game_over', ranks: [1, 2, 3], totals: [3, 2, 1] };
      const before = await ann.page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? '{}').games, key);
      tell(JSON.stringify({ ...last, events: [over] }));
      await ann.page.waitForFunction(
        ({ key, before }) => JSON.parse(localStorage.getItem(key) ?? '{}').games === before + 1,
        { key, before },
      );
      await ann.waitForFrame();
    };
    await finish();
    assert.equal(await hints.getAttribute('aria-pressed'), 'true');
    await finish();
    await ann.page.locator('[aria-label=Hints][aria-pressed=false]').waitFor();
    await hints.click();
    await finish();
    assert.equal(await hints.getAttribute('aria-pressed'), 'true', 'somebody wants them');
    await ann.page.reload();
    await ann.page.locator('[aria-label=Hints][aria-pressed=true]').waitFor();
    assertFaultless(ann);
  });
});

/**
 * Ann, who has a fake device, in the room of Ben.
 * @param {BrowserContextOptions} [options]
 */
async function openPair(options = {}) {
  const ann = await Person.open(browser, server, 'Ann', options);
  await ann.page.addInitScript(installFakeDevice, 'granted');
  const ben = await Person.open(browser, server, 'Ben');
  const link = await ben.openRoom({ seats: 3 });
  await ben.waitUntilSeated();
  await ann.sit(link);
  return { ann, ben };
}

/**
 * Ben begins a game, in which it is at once Ann's turn to pick.
 * @param {Person} ben
 * @param {Person} ann
 */
async function start(ben, ann) {
  await ben.page.getByRole('button', { name: /^(Start|Start anyway|Fill with bots & start)$/ }).click();
  await ann.page.locator('.tray.turn .hand .card-button').nth(14).waitFor();
}

/**
 * Ben ends it.
 * @param {Person} ben
 * @param {Person} ann
 */
async function end(ben, ann) {
  await ben.click('Menu');
  await ben.dialog('Menu').getByRole('button', { name: 'End the game' }).click();
  await ben.dialog('End this game?').getByRole('button', { name: 'End the game' }).click();
  await ann.page.locator('.seat-list').waitFor();
}

/**
 * Switches a setting in the menu.
 * @param {Person} person
 * @param {string} name
 */
async function set(person, name) {
  await person.click('Menu');
  await person.dialog('Menu').getByText(name, { exact: true }).click();
  assert.equal(await person.page.getByRole('checkbox', { name }).isChecked(), true);
  await person.page.keyboard.press('Escape');
  await person.dialog('Menu').waitFor({ state: 'detached' });
}

/**
 * The sounds since the last call.
 * @param {Person} person
 * @returns {Promise<FakeDevice['tones']>}
 */
const soundsOf = (person) => person.page.evaluate(() => /** @type {FakeWindow} */ (window).device.tones.splice(0));

/**
 * Hides or shows the page.
 * @param {Person} person
 * @param {boolean} isHidden
 */
async function hide(person, isHidden) {
  await person.page.evaluate((isHidden) => {
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (isHidden ? 'hidden' : 'visible'),
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

/** Runs in the page: only service workers can show notifications, as on Android. */
function fakeAndroid() {
  const page = /** @type {AndroidWindow} */ (window);
  page.shown = [];
  const refuse = class {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    constructor() {
      throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.');
    }
  };
  page.Notification = /** @type {typeof Notification} */ (/** @type {unknown} */ (refuse));
  const all = ServiceWorkerRegistration.prototype;
  all.showNotification = async (title, options) => {
    page.shown.push({ title, data: String(options?.data), open: true });
  };
  all.getNotifications = async () => {
    const open = page.shown.filter((one) => one.open);
    const notifications = open.map((one) => ({
      close: () => {
        one.open = false;
      },
    }));
    return /** @type {Notification[]} */ (/** @type {unknown} */ (notifications));
  };
}

/**
 * Runs in the page before its scripts: fakes that record the calls to the device.
 * @param {string} answer to the question for notifications
 */
function installFakeDevice(answer) {
  const page = /** @type {FakeWindow} */ (window);
  /** @type {{ title: string, open: boolean, onclick: (() => void) | null }[]} */
  const all = [];
  page.device = {
    focused: 0,
    vibrations: 0,
    gain: 0,
    locks: [],
    tones: [],
    get notifications() {
      return all.map(({ title, open }) => ({ title, open }));
    },
    click: () => all.at(-1)?.onclick?.(),
  };
  page.focus = () => {
    page.device.focused += 1;
  };
  const FakeNotification = class {
    static permission = 'default';
    static async requestPermission() {
      FakeNotification.permission = answer;
      return answer;
    }
    open = true;
    /** @type {(() => void) | null} */
    onclick = null;
    /** @param {string} title */
    constructor(title) {
      this.title = title;
      all.push(this);
    }
    close() {
      this.open = false;
    }
  };
  page.Notification = /** @type {typeof Notification} */ (/** @type {unknown} */ (FakeNotification));
  navigator.vibrate = () => {
    page.device.vibrations += 1;
    return true;
  };
  const request = async () => {
    const place = page.device.locks.push('held') - 1;
    const release = async () => {
      page.device.locks[place] = 'released';
    };
    return { release };
  };
  Object.defineProperty(navigator, 'wakeLock', { value: { request } });
  const { tones } = page.device;
  page.OscillatorNode = class extends OscillatorNode {
    /** @param {BaseAudioContext} audio @param {OscillatorOptions} [options] */
    constructor(audio, options) {
      super(audio, options);
      tones.push(options?.frequency);
    }
  };
  page.AudioBufferSourceNode = class extends AudioBufferSourceNode {
    /** @param {BaseAudioContext} audio @param {AudioBufferSourceOptions} [options] */
    constructor(audio, options) {
      super(audio, options);
      tones.push('noise');
    }
  };
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = /** @type {typeof connect} */ (
    /** @this {AudioNode} @param {unknown[]} to */
    function (...to) {
      // The nodes that are connected to the loudspeaker.
      if (to[0] instanceof AudioDestinationNode && this instanceof GainNode) page.device.gain = this.gain.value;
      return Reflect.apply(connect, this, to);
    }
  );
}
