// A click on an element that can disappear before, because the game goes on.

/** @import { Locator } from 'playwright-core' */

/**
 * Clicks an element, unless it disappears or no longer matches first. A click that fails for another reason is an error:
 * for example, another element covers this one.
 * @param {Locator} locator
 * @param {Parameters<Locator['click']>[0]} [options]
 * @returns {Promise<boolean>} whether the element was there until the click
 */
export async function clickUnlessGone(locator, options = {}) {
  const race = new AbortController();
  const { signal } = race;
  const isClicked = locator.click({ ...options, signal }).then(() => true);
  const isGone = locator.waitFor({ state: 'detached', timeout: 0, signal }).then(() => false);
  try {
    return await Promise.race([isClicked, isGone]);
  } finally {
    race.abort();
    await Promise.allSettled([isClicked, isGone]);
  }
}
