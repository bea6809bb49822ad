/** Reads base64 as models write it. */

/** Standard or URL-safe letters (RFC 4648 §4, §5), then at most two `=`. */
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const ASCII_WHITESPACE = /[\t\n\f\r ]+/g;
const DATA_URL = /^\s{0,20}data:/i;

/** Bytes, or the problem as words that follow the name of the text, such as `is not base64`. */
export type Decoded = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly problem: string };

/** Decodes either alphabet, with or without padding; ASCII whitespace anywhere is skipped. */
export function decodeBase64(given: string): Decoded {
  if (DATA_URL.test(given)) return { ok: false, problem: 'is a data URL: give only what follows its comma' };
  const text = BASE64.test(given) ? given : given.replace(ASCII_WHITESPACE, '');
  if (!BASE64.test(text)) {
    return {
      ok: false,
      problem: 'is not base64: it holds characters other than A-Z a-z 0-9 + / - _ and = at its end',
    };
  }
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const isWhole = padding === 0 ? text.length % 4 !== 1 : text.length % 4 === 0;
  if (!isWhole) return { ok: false, problem: 'is not base64: its length says that characters are missing' };
  // Node reads both alphabets and stops at the padding.
  return { ok: true, bytes: Buffer.from(text, 'base64') };
}
