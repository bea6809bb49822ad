/** Unescapes a text, and maps each character back to its place in the source. */

/** Part of a text: from `start` up to `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A text with every escape read. */
export interface PlainText {
  readonly text: string;
  /** The range of the escaped text that a range of this text came from. */
  toSource(range: Range): Range;
}

const NAMES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", sol: '/', plus: '+', equals: '=', bsol: '\\', percnt: '%' },
};

/** Unescapes a text; null when it has no escapes. */
export type EscapeReader = (source: string) => PlainText | null;

/** Reads the escapes of every byte. */
const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code));

/** Reads all escapes of a text. For secrets, not for answers. */
export function readEscapes(source: string): string {
  return createEscapeReader(EVERY_BYTE)(source)?.text ?? source;
}

/**
 * Creates a reader of the escapes of these characters, which leaves all others as they are.
 *
 * `%2F`, `%252F`; `&#47;`, `&#x2f;`, `&sol;`, `&amp;#47;`; `\\/`, `\\u002f`, `\\x2f`, `\\\\u002f`: one character each, in either
 * case. Bytes of percent-encoding become one character each. Every repetition is bounded, so the time is linear in the text.
 */
export function createEscapeReader(characters: string): EscapeReader {
  const escapes = toExpression([...new Set(characters.split(''))]);
  return (source) => {
    if (!source.includes('\\') && !source.includes('%') && !source.includes('&')) return null;
    const pieces: string[] = [];
    const plainStarts: number[] = [];
    const sourceEnds: number[] = [];
    let [length, end] = [0, 0];
    for (const match of source.matchAll(escapes)) {
      pieces.push(source.slice(end, match.index), readOne(match.groups ?? {}));
      length += match.index - end;
      plainStarts.push(length);
      length += 1;
      end = match.index + match[0].length;
      sourceEnds.push(end);
    }
    if (pieces.length === 0) return null;
    pieces.push(source.slice(end));
    const before = (position: number): number => {
      const index = lastAtMost(plainStarts, position - 1);
      return index < 0 ? position : (sourceEnds[index] ?? 0) + position - 1 - (plainStarts[index] ?? 0);
    };
    return { text: pieces.join(''), toSource: ({ start, end: last }) => ({ start: before(start), end: before(last) }) };
  };
}

function toExpression(characters: readonly string[]): RegExp {
  const codes = characters.map((character) => character.charCodeAt(0));
  const hex = (length: number) =>
    codes
      .map((code) => code.toString(16).padStart(length, '0'))
      .filter((one) => one.length === length)
      .join('|');
  const names = Object.keys(NAMES).filter((name) => characters.includes(NAMES[name] ?? ''));
  const signs = characters
    .filter((character) => !/[a-z0-9\s]/i.test(character))
    .map((sign) => `\\x${sign.charCodeAt(0).toString(16)}`);
  const entity = [
    `#0{0,4}(?<decimal>${codes.join('|')})(?!\\d)`,
    `#x0{0,4}(?<hex>${codes.map((code) => code.toString(16)).join('|')})(?![0-9a-f])`,
    `(?<name>${names.join('|') || '(?!)'})`,
  ];
  const backslash = [
    `u(?<unit>${hex(4)})`,
    `x(?<byte>${hex(2) || '(?!)'})`,
    `(?<plain>[${signs.filter((sign) => sign.length === 4).join('')}])`,
  ];
  const forms = [
    `%(?:25){0,3}(?<percent>${hex(2) || '(?!)'})`,
    `&(?:amp;){0,3}(?:${entity.join('|')});?`,
    `\\\\{1,8}(?:${backslash.join('|')})`,
  ];
  return new RegExp(forms.join('|'), 'gi');
}

function readOne({ percent, decimal, hex, name, unit, byte, plain }: Record<string, string | undefined>): string {
  if (plain !== undefined) return plain;
  if (name !== undefined) return NAMES[name.toLowerCase()] ?? '';
  const code = decimal === undefined ? Number.parseInt(percent ?? hex ?? unit ?? byte ?? '', 16) : Number(decimal);
  return String.fromCharCode(code);
}

/** Index of the last number that is at most `limit`, in ascending numbers; -1 when there is none. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
