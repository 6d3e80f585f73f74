// Re-exports the helpers that most tests with a `Person` need. docs/testing.md has a map of the helpers.

export { openBrowser } from './browser.js';
export {
  assertFaultless,
  assertSameStandings,
  assertTokensNotLogged,
  openPeople,
  seatTwo,
  sitDown,
  startGame,
} from './people.js';
export { DRAWN, ONE_TAP, Person, TURN_TIMEOUT_MS, WITH_ANIMATIONS } from './person.js';
export { Server } from './server.js';
export { TcpProxy } from './tcp-proxy.js';
export { DESKTOP, PHONE, PHONE_LANDSCAPE, SMALL_PHONE, TABLET } from './viewports.js';
