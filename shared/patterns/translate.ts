/** Translates a JSON Schema pattern (ECMA-262 with the `u` flag) into the syntax of RE2. */

/** A pattern that is invalid or cannot run in linear time. `message` completes "The pattern …". */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** `\s` in ECMA-262 (WhiteSpace and LineTerminator), and its complement: RE2's own is ASCII. */
const SPACES = String.raw`\x09-\x0d\x20\xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NO_SPACES = String.raw`\x00-\x08\x0e-\x1f\x21-\x9f\xa1-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;

const TOKEN = new RegExp(
  [
    String.raw`\\u\{(?<point>[0-9A-Fa-f]+)\}`,
    String.raw`\\u(?<high>[dD][89abAB][0-9A-Fa-f]{2})\\u(?<low>[dD][c-fC-F][0-9A-Fa-f]{2})`,
    String.raw`\\[ux](?<unit>[0-9A-Fa-f]{4}|(?<=x)[0-9A-Fa-f]{2})`,
    String.raw`\\c(?<control>[A-Za-z])`,
    String.raw`\\(?<property>[pP])\{(?:(?:sc|Script|gc|General_Category)=)?(?<value>\w+)\}`,
    String.raw`\\(?<escaped>[^])`,
    String.raw`\((?<group>\?(?:<(?![=!])[^>\]]*>|:))?(?<special>\?)?`,
    String.raw`\{(?<least>\d+)(?:,(?<most>\d*))?\}`,
    String.raw`\[(?<empty>\^?\])`,
    `(?<plain>[^])`,
  ].join('|'),
  'gu',
);

const SINGLE: Readonly<Record<string, string>> = { '0': String.raw`\x00`, '-': String.raw`\-`, '/': '/' };

/** RE2's limit for a count. */
const MAX_COUNT = 1000;

/** Maximum states of a compiled pattern: RE2 may visit each of them for each character of a text. */
const MAX_STATES = 500;

/**
 * Translates a pattern that ECMA-262 accepts. Groups do not capture, because no caller needs captures.
 *
 * @throws {PatternError} for constructs without a linear-time form (back-references, lookahead and lookbehind), and
 * for more than `MAX_STATES` states.
 */
export function toRe2(pattern: string): string {
  let inClass = false;
  const translated = pattern.replace(TOKEN, (token, ...rest) => {
    const groups = rest.at(-1) as Partial<Record<string, string>>;
    const { point, high, low, unit, control, property, value, escaped, special, least, most, empty, plain } = groups;
    if (point !== undefined) return codePoint(Number.parseInt(point, 16));
    if (high !== undefined && low !== undefined) return codePoint(toPoint(high, low));
    if (unit !== undefined) return codePoint(Number.parseInt(unit, 16));
    if (control !== undefined) return codePoint((control.codePointAt(0) ?? 0) % 32);
    if (property !== undefined) return `\\${property}{${value}}`;
    if (escaped !== undefined) return toEscape(escaped, inClass);
    if (inClass) {
      inClass = !token.endsWith(']');
      return token.replaceAll('[', String.raw`\[`);
    }
    if (special !== undefined) throw new PatternError('looks ahead or behind, or sets flags');
    if (token.startsWith('(')) return '(?:';
    if (least !== undefined) return toCount(token, least, most);
    if (empty !== undefined) return empty === ']' ? String.raw`[^\x00-\x{10ffff}]` : String.raw`[\x00-\x{10ffff}]`;
    inClass = plain === '[';
    return plain === '.' ? String.raw`[^\n\r\x{2028}\x{2029}]` : token;
  });
  const states = countStates(pattern);
  if (states <= MAX_STATES) return translated;
  throw new PatternError(`has about ${states} states with its counts written out (at most ${MAX_STATES})`);
}

const STEP = new RegExp(
  [
    String.raw`\\(?:[pPu]\{[^}]*\}|u[^]{4}|x[^]{2}|c[^]|[^])`,
    String.raw`\[(?:\\[^]|[^\\\]])*\]`,
    String.raw`\((?:\?(?:<[^>]*>|:))?`,
    String.raw`\{(?<least>\d+)(?:,(?<most>\d*))?\}\??`,
    '[^]',
  ].join('|'),
  'gu',
);

/** States of RE2 in addition to those of the pattern's parts. */
const OTHER_STATES = 5;

/** An upper bound of the states of a compiled pattern, from its text. ECMA-262 accepts the pattern. */
export function countStates(pattern: string): number {
  const open: number[] = [];
  let before = OTHER_STATES;
  let last = 0;
  for (const { 0: step, groups } of pattern.matchAll(STEP)) {
    if (step.startsWith('(')) {
      open.push(before + last);
      before = 0;
      last = 1;
    } else if (step === ')') {
      last += before;
      before = open.pop() ?? 0;
    } else if (groups?.least !== undefined) {
      last = (last + 1) * Math.max(Number(groups.least), Number(groups.most ?? 0), 1);
    } else if (step === '*' || step === '+' || step === '?') {
      last += 1;
    } else {
      before += last;
      last = 1;
    }
  }
  return before + last;
}

function toEscape(escaped: string, inClass: boolean): string {
  if (escaped === 's') return inClass ? SPACES : `[${SPACES}]`;
  if (escaped === 'S') return inClass ? NO_SPACES : `[${NO_SPACES}]`;
  if (escaped === 'b' && inClass) return String.raw`\x08`;
  if (/[1-9k]/.test(escaped)) throw new PatternError('refers back to a group');
  return SINGLE[escaped] ?? `\\${escaped}`;
}

function toCount(token: string, least: string, most: string | undefined): string {
  if (Math.max(Number(least), Number(most ?? 0)) <= MAX_COUNT) return token;
  throw new PatternError(`repeats something more than ${MAX_COUNT} times beside other parts that vary`);
}

function toPoint(high: string, low: string): number {
  return 0x10000 + ((Number.parseInt(high, 16) & 0x3ff) << 10) + (Number.parseInt(low, 16) & 0x3ff);
}

function codePoint(point: number): string {
  return `\\x{${point.toString(16)}}`;
}
