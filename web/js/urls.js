// Where things are. All addresses are relative to the folder of the page, so that it may lie on a sub-path.

/** The folder of the page's files: the server names it by their content. */
const files = new URL('..', import.meta.url);

/** The folder that the page lies in. */
export const pageFolder = new URL('../..', files);

/** The characters of a table's code: none that look alike. */
const CODE = /^[23456789abcdefghjkmnpqrstuvwxyz]{8}$/;

/**
 * An address inside the page's folder.
 * @param {string} path
 */
export const urlOf = (path) => new URL(path, pageFolder).href;

/**
 * The address of one of the page's files.
 * @param {string} path
 */
export const fileUrl = (path) => new URL(path, files).href;

/** The mark of the files that this page is made of. */
export const filesVersion = files.pathname.split('/').at(-2) ?? '';

/**
 * The invitation to a table.
 * @param {string} code
 */
export const tableUrl = (code) => urlOf(`t/${code}`);

/**
 * The address of the home page, or of a table.
 * @param {string | null} code
 */
export const pageUrl = (code) => (code === null ? urlOf('.') : tableUrl(code));

/**
 * The link that moves a seat. What follows the # is never sent to a server.
 * @param {string} room
 * @param {number} seat
 * @param {string} code
 */
export const handoverUrl = (room, seat, code) => `${tableUrl(room)}#seat=${seat}.${code}`;

/**
 * The seat that the address of the page offers, and its code. Takes it out of the address, so that it is neither
 * seen nor kept.
 * @returns {{ seat: number, code: string } | null}
 */
export function takeHandoverOffer() {
  const found = /^#seat=(\d)\.(\w+)$/.exec(location.hash);
  if (!found) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return { seat: Number(found[1]), code: found[2] };
}

/**
 * Where a table is listened to.
 * @param {string} code
 */
export function socketUrl(code) {
  const url = new URL(`api/rooms/${code}/socket`, pageFolder);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

/**
 * The code of a table as it is kept, from what people type or paste: any case, spaces, hyphens, or the whole
 * link. Null if there is none in it.
 * @param {string} text
 */
export function parseCode(text) {
  const last = text.trim().replace(/\/+$/, '').split('/').at(-1) ?? '';
  const code = last.toLowerCase().replace(/[\s\u2010-\u2015-]/g, '');
  return CODE.test(code) ? code : null;
}

/**
 * A code as it is shown: two groups of four in capitals.
 * @param {string} code
 */
export const formatCode = (code) => `${code.slice(0, 4)}-${code.slice(4)}`.toUpperCase();

/**
 * The table that an address of the page names: its code, or what stands there instead of one; null at home.
 * @param {string} href
 */
export function codeAt(href) {
  const { pathname } = new URL(href);
  if (!pathname.startsWith(pageFolder.pathname)) return null;
  const found = /^t\/([^/]+)\/?$/.exec(pathname.slice(pageFolder.pathname.length));
  if (!found) return null;
  let text = found[1];
  try {
    text = decodeURIComponent(text);
  } catch {
    // Not a text at all: it names no table.
  }
  return parseCode(text) ?? text;
}
