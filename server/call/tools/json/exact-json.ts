/** JSON whose numbers keep every digit, even those that a JavaScript number cannot hold. */

/** The ECMAScript proposal "JSON.parse source text access": in Node since 21, not yet in TypeScript's library. */
interface ExactJson {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

const exact = JSON as unknown as ExactJson;

/** Only these numbers can be inexact: sixteen digits or more, or an exponent of three digits. */
const MAY_BE_INEXACT = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

/** A parsed JSON text. */
export interface ParsedJson {
  /** Numbers that would lose digits are kept as raw JSON, which `JSON.stringify` writes unchanged. */
  readonly value: unknown;
  /** The same with every number as a JavaScript number, for type checks. */
  readonly rounded: unknown;
}

/** @throws {SyntaxError} if the text is not JSON. */
export function parseExactJson(text: string): ParsedJson {
  const rounded: unknown = JSON.parse(text);
  if (!MAY_BE_INEXACT.test(text)) return { value: rounded, rounded };
  const value = exact.parse(text, (_, member, context) =>
    typeof member === 'number' && isInexact(member, context.source ?? '')
      ? exact.rawJSON(context.source ?? '')
      : member,
  );
  return { value, rounded };
}

/** Whether a value is nested deeper than `limit`. Does not recurse, so that no depth can exhaust the stack. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= limit) return true;
    const next: unknown[] = [];
    for (const node of level) {
      if (typeof node !== 'object' || node === null) continue;
      for (const member of Object.values(node)) if (typeof member === 'object' && member !== null) next.push(member);
    }
    level = next;
  }
  return false;
}

/** Whether a JSON text could be nested deeper than `limit`: false if it opens fewer arrays and objects than that. */
export function mayBeDeeperThan(text: string, limit: number): boolean {
  let opened = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > limit) return true;
    }
  }
  return false;
}

/** The text of a value that `parseExactJson` kept raw, or undefined. */
export function rawNumber(value: unknown): string | undefined {
  return exact.isRawJSON(value) ? JSON.stringify(value) : undefined;
}

/** A raw integer that `JSON.stringify` writes with exactly these digits. */
export function toRawNumber(digits: string): object {
  return exact.rawJSON(digits);
}

function isInexact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true;
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value);
  return source.length >= 16 && String(value) !== source;
}
