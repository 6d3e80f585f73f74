// A storage of a browser for the unit tests.

/**
 * A storage in memory. It can refuse everything, as a browser does that stores nothing, or be full.
 * @implements {Storage}
 */
export class FakeStorage {
  /** @type {Map<string, string>} */
  #items = new Map();
  isRefusing = false;
  isFull = false;

  get length() {
    return this.#allowed().size;
  }

  /** @param {number} index */
  key(index) {
    return [...this.#allowed().keys()][index] ?? null;
  }

  /** @param {string} key */
  getItem(key) {
    return this.#allowed().get(key) ?? null;
  }

  /** @param {string} key @param {string} value */
  setItem(key, value) {
    if (this.isFull) throw new DOMException('There is no space.', 'QuotaExceededError');
    this.#allowed().set(key, value);
  }

  /** @param {string} key */
  removeItem(key) {
    this.#allowed().delete(key);
  }

  clear() {
    this.#allowed().clear();
  }

  /** The items, unless the storage refuses. */
  #allowed() {
    if (this.isRefusing) throw new DOMException('The browser stores nothing.', 'SecurityError');
    return this.#items;
  }
}
