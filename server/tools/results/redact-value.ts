/** Takes the credential out of a value that was read from JSON, where its escapes are gone. */

import type { Redactor } from '../../upstream/index.ts';
import { rawNumber } from '../json/exact-json.ts';

/** JSON's spelling of `%`, `&` or a backslash. */
const ESCAPED_ESCAPE = /\\u00(?:25|26|5c)/i;

/**
 * The value with the credential taken out of its texts, names and numbers; the same object where it holds none.
 *
 * @param json The text that the value was read from, nested no deeper than a stack can follow. It says whether there is
 * anything to look for.
 */
export function redactValue(value: unknown, json: string, redactor: Redactor): unknown {
  return ESCAPED_ESCAPE.test(json) || redactor.isIn(json) ? redacted(value, redactor) : value;
}

/** The same for a value of no known text. */
export function redacted(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.text(value);
  const number = typeof value === 'number' ? String(value) : rawNumber(value);
  if (number !== undefined) return redactor.isIn(number) ? redactor.text(number) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redacted(item, redactor));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const members = Object.entries(value);
  const clean = members.map(([name, member]) => [redactor.text(name), redacted(member, redactor)] as const);
  const isSame = clean.every(([name, member], index) => name === members[index]?.[0] && member === members[index]?.[1]);
  return isSame ? value : Object.fromEntries(clean);
}
