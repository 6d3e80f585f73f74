// What the first view can do without for a moment: what lies over the page, what is said aloud, and what calls for
// attention.

export { banners } from './banners.js';
export { chatPanel } from './chat.js';
export { check } from './connection-check.js';
export { dialogs } from './dialogs.js';
export { keepingFocus } from './focus.js';
export { houseRules } from './house-rules.js';
export { fourLines } from './intro.js';
export { invite } from './invite.js';
export { log } from './log.js';
export { call, hush, mayNotify } from './notifications.js';
export { reaction } from './reactions.js';
export { play, unlock } from './sound.js';
export { toasts } from './toasts.js';
export { stayAwake } from './wake-lock.js';
