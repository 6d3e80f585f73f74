// The sizes of the screens of people, in CSS pixels.

export const SMALL_PHONE = { width: 320, height: 568 };
export const PHONE = { width: 360, height: 740 };
export const PHONE_LANDSCAPE = { width: 740, height: 360 };
export const TABLET = { width: 768, height: 1024 };
export const DESKTOP = { width: 1366, height: 768 };
