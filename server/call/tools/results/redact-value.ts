/** Redacts the credential in a parsed JSON value, where escapes are already resolved. */

import type { Redactor } from '../../upstream/index.ts';
import { rawNumber } from '../json/exact-json.ts';

/** A JSON escape of `%`, `&` or a backslash. */
const ESCAPED_ESCAPE = /\\u00(?:25|26|5c)/i;

/**
 * Redacts the credential in texts, names and numbers; returns the same object if it is not there.
 *
 * @param json the text that the value was parsed from, to see quickly whether there is anything to redact. It must not
 * be nested too deeply for recursion.
 */
export function redactValue(value: unknown, json: string, redactor: Redactor): unknown {
  return ESCAPED_ESCAPE.test(json) || redactor.isIn(json) ? redacted(value, redactor) : value;
}

/** As `redactValue`, for a value without its JSON text. */
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
