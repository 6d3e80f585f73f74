// The deferred part: dialogs and toasts, banners, chat, sounds, announcements and notifications. The first screen works
// without it.

export { banners } from './banners.js';
export { chatPanel } from './chat.js';
export { checkConnection } from './connection-check.js';
export { dialogs } from './dialogs.js';
export { preserveFocus } from './focus.js';
export { houseRules } from './house-rules.js';
export { shortRules } from './intro.js';
export { invitation } from './invitation.js';
export { announcementRegions } from './live-region.js';
export { dismissNotification, notifyTurn, requestNotifications } from './notifications.js';
export { reaction } from './reactions.js';
export { playSound, unlockSound } from './sound.js';
export { queueButton, spectatorPanel } from './spectators.js';
export { toasts } from './toasts.js';
export { keepScreenOn } from './wake-lock.js';
