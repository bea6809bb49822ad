/** Finds the prefix of the key in its header in the description of a security scheme: `Token`, `GenieKey`. */

/** Placeholders for a key: `<key>`, `{api_key}`, `[key]`, `$KEY`, `YOUR_KEY`, `your-key`, `xxxx`. */
const KEY = String.raw`(?:<[^<>\n]{1,60}>|\{[^{}\n]{1,60}\}|\[[^[\]\n]{1,60}\]|\$[A-Z_]{2,60}|[Yy]our[-_][\w-]{1,60}|[A-Z][A-Z0-9]{0,30}[-_][A-Z0-9_-]{1,60}|[xX]{3,60})`;
const WORD = String.raw`([A-Za-z][\w-]{0,40}(?: [a-z]{1,20}=| ))`;
const QUOTE = '["\'`]';

/** `` `Token <key>` ``, in quotes as a whole. */
const QUOTED = new RegExp(`${QUOTE}${WORD}"?${KEY}"?${QUOTE}`, 'g');

/** `with required prefix "Token"`, `prefixed with 'Token '`. */
const NAMED = new RegExp(
  String.raw`\b(?:required prefix|prefix(?:ed)? (?:it )?(?:with|by))\s+${QUOTE}([A-Za-z][\w-]{0,40}(?: [a-z]{1,20}=)?) ?${QUOTE}`,
  'gi',
);

/** Words that begin a sentence about a key, not a header. */
const NO_PREFIX = /^(a|an|api|key|my|the|this|use|your)$/i;

/**
 * The prefix with its space; null if the text does not show it, or shows two.
 * ¶ @param header name of the header
 */
export function findHeaderPrefix(header: string, text: string): string | null {
  const name = header.replaceAll(/[^\w-]/g, '');
  const shown = new RegExp(String.raw`(?<![\w-])${name}${QUOTE}?\s*:\s*${QUOTE}?${WORD}"?${KEY}`, 'gi');
  const found = [shown, QUOTED, NAMED].flatMap((expression) =>
    [...text.matchAll(expression)].map(([, prefix = '']) => prefix.trimEnd()),
  );
  const distinct = new Set(found.filter((prefix) => !NO_PREFIX.test(prefix)));
  const [prefix] = distinct;
  if (prefix === undefined || distinct.size > 1) return null;
  return prefix.endsWith('=') ? prefix : `${prefix} `;
}
