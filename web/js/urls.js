// The addresses of pages, files and requests. All are relative to the folder of the page, which may lie on a sub-path.

/** @import { HandoverCode } from './types.js' */

/** The folder of the page's files; the server names it by their content. */
const filesFolder = new URL('..', import.meta.url);

/** The folder of the page. */
export const pageFolder = new URL('../..', filesFolder);

/** The hash of the files that this page is made of. */
export const filesHash = filesFolder.pathname.split('/').at(-2) ?? '';

/** The id of a replay: 128 bits as base64url. */
const REPLAY_ID = /^[\w-]{22}$/;

/** The code of a room: no two of its characters look alike. */
const CODE = /^[23456789abcdefghjkmnpqrstuvwxyz]{8}$/;

/**
 * The URL of a path in the page's folder.
 * @param {string} path
 */
export const urlOf = (path) => new URL(path, pageFolder).href;

/**
 * The URL of one of the page's files.
 * @param {string} path
 */
export const fileUrl = (path) => new URL(path, filesFolder).href;

/**
 * The URL of a room: the invitation to it.
 * @param {string} code
 */
export const roomUrl = (code) => urlOf(`t/${code}`);

/**
 * The URL of a replay.
 * @param {string} id
 */
export const replayUrl = (id) => urlOf(`g/${id}`);

/**
 * The URL of the home page, or of a room.
 * @param {string | null} code
 */
export const pageUrl = (code) => (code === null ? urlOf('.') : roomUrl(code));

/**
 * The URL that moves a seat to another device. Browsers never send the part after the # to a server.
 * @param {string} roomCode
 * @param {number} seat
 * @param {string} handoverCode
 */
export const handoverUrl = (roomCode, seat, handoverCode) => `${roomUrl(roomCode)}#seat=${seat}.${handoverCode}`;

/**
 * The seat that the address of the page offers, with its code; null if it offers none. The offer is removed from the
 * address, so that nobody sees it there and the history does not keep it.
 * @returns {HandoverCode | null}
 */
export function takeHandoverCode() {
  const found = /^#seat=(\d)\.(\w+)$/.exec(location.hash);
  if (!found) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return { seat: Number(found[1]), code: found[2] };
}

/**
 * The URL of a path in the page's folder for a WebSocket.
 * @param {string} path
 */
export function socketUrl(path) {
  const url = new URL(path, pageFolder);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

/**
 * The code of a room in a text that people type or paste: in any case, with spaces or hyphens, or the whole link.
 * Null if there is none in it.
 * @param {string} text
 */
export function parseCode(text) {
  const last = text.trim().replace(/\/+$/, '').split('/').at(-1) ?? '';
  const code = last.toLowerCase().replace(/[\s\u2010-\u2015-]/g, '');
  return CODE.test(code) ? code : null;
}

/**
 * A code for people to read: two groups of four capitals.
 * @param {string} code
 */
export const formatCode = (code) => `${code.slice(0, 4)}-${code.slice(4)}`.toUpperCase();

/**
 * The code of the room that an address names; null at home. Of an address that is not valid it is the text in the
 * place of the code.
 * @param {string} href
 */
export function codeAt(href) {
  const text = partAfter('t', href);
  return text === null ? null : (parseCode(text) ?? text);
}

/**
 * The id of the replay that an address names; null on other pages. Of an address that is not valid it is an empty text.
 * @param {string} href
 */
export function replayAt(href) {
  const text = partAfter('g', href);
  return text === null || REPLAY_ID.test(text) ? text : '';
}

/**
 * The part of an address after a folder of the page; null if the address is not in this folder.
 * @param {string} folder
 * @param {string} href
 */
function partAfter(folder, href) {
  const { pathname } = new URL(href);
  if (!pathname.startsWith(pageFolder.pathname)) return null;
  const [first, part, ...rest] = pathname.slice(pageFolder.pathname.length).split('/');
  if (first !== folder || !part || rest.join('') !== '') return null;
  try {
    return decodeURIComponent(part);
  } catch {
    // The text is not encoded as it should be: it names nothing.
    return part;
  }
}
