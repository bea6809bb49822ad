/** Redacts a connection's credential in an upstream's answers, before anyone reads them. */

/** Finds one credential. Text and bytes without it stay unchanged. */
export interface Redactor {
  /** The secrets that it finds, to create the same redactor in another thread. */
  readonly secrets: readonly string[];
  /** Returns true if a text contains the credential. */
  isIn(text: string): boolean;
  /** Replaces the credential with `[redacted]`. */
  text(text: string): string;
  /** Replaces the credential with asterisks, because lengths and offsets matter in bytes. */
  bytes(bytes: Uint8Array): Uint8Array;
}

const REPLACEMENT = '[redacted]';
const FILLER = 0x2a;

/** Shorter values are not redacted: ordinary words would match them. */
const MIN_SECRET_LENGTH = 6;
/** Shorter parts of an encoding are not searched for: they occur in texts without the secret too. */
const MIN_ENCODED_LENGTH = 10;

/** For a connection without a credential. */
export const NOTHING_TO_REDACT: Redactor = {
  secrets: [],
  isIn: () => false,
  text: (text) => text,
  bytes: (bytes) => bytes,
};

/**
 * Creates the redactor of these secrets. Its time is linear in the text.
 *
 * It finds:
 *
 * - the secret itself, and any escape of it that `createEscapeReader` reads;
 * - its hexadecimal form;
 * - base64 and base64url of any text that contains the secret, its percent-encoding, or its base64 (so base64 twice);
 * - in bytes, also its UTF-8 and UTF-16.
 *
 * It does not find a secret that an upstream hides on purpose, such as reversed, in pieces, in another case or with characters in between.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const longSecrets = [...new Set(secrets)].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  if (longSecrets.length === 0) return NOTHING_TO_REDACT;
  const encoded = longSecrets.flatMap((secret) => [
    encodeURIComponent(secret.toWellFormed()),
    Buffer.from(secret).toString('base64'),
  ]);
  const spellings = distinct([
    ...longSecrets.flatMap((secret) => [secret, readEscapes(secret), utf8(secret), ...base64(secret), ...hex(secret)]),
    ...encoded.flatMap(base64),
  ]);
  const inBytes = distinct([...spellings.filter(isLatin1), ...longSecrets.map(utf16)]);
  const read = lazily(() => createEscapeReader(spellings.join('')));
  return {
    secrets: longSecrets,
    isIn(text) {
      for (const spelling of spellings) if (text.includes(spelling)) return true;
      return mayHoldEscapes(text) && findAll(text, spellings, read()).length > 0;
    },
    text: (text) => replaceRanges(text, findAll(text, spellings, read())),
    bytes(bytes) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      const ranges = findAll(text, inBytes, read());
      if (ranges.length === 0) return bytes;
      const copy = Uint8Array.from(bytes);
      for (const { start, end } of ranges) copy.fill(FILLER, start, end);
      return copy;
    },
  };
}

/** Every occurrence of a spelling, plain or escaped. Sorted, without overlaps. */
function findAll(text: string, spellings: readonly string[], read: EscapeReader): Range[] {
  const ranges = findPlain(text, spellings);
  const plain = read(text);
  if (plain !== null) ranges.push(...findPlain(plain.text, spellings).map(plain.toSource));
  if (ranges.length < 2) return ranges;
  const merged: Range[] = [];
  for (const range of ranges.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || range.start >= last.end) merged.push(range);
    else if (range.end > last.end) merged.splice(-1, 1, { start: last.start, end: range.end });
  }
  return merged;
}

function findPlain(text: string, spellings: readonly string[]): Range[] {
  const ranges: Range[] = [];
  for (const spelling of spellings) {
    for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + spelling.length)) {
      ranges.push({ start: at, end: at + spelling.length });
    }
  }
  return ranges;
}

function replaceRanges(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const plainPieces = ranges.map(({ start }, index) => text.slice(ranges[index - 1]?.end ?? 0, start));
  return `${plainPieces.map((piece) => piece + REPLACEMENT).join('')}${text.slice(ranges.at(-1)?.end ?? 0)}`;
}

/** The secret in base64 at each of the three byte offsets, without the digits that depend on its neighbours. */
function base64(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((offset) => {
    const all = Buffer.concat([Buffer.alloc(offset), bytes]);
    const digits = all.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((all.byteLength * 8) / 6));
    return digits.length < MIN_ENCODED_LENGTH ? [] : [digits, digits.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function hex(secret: string): string[] {
  const digits = Buffer.from(secret, 'utf8').toString('hex');
  return digits.length < MIN_ENCODED_LENGTH ? [] : [digits, digits.toUpperCase()];
}

/** Returns the UTF-8 of a text with one character per byte, as percent-encoding and bytes are read. */
function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Returns the UTF-16 of a text without the last byte, so that it is found in either byte order. */
function utf16(text: string): string {
  return Buffer.from(text, 'utf16le').toString('latin1').slice(0, -1);
}

function isLatin1(text: string): boolean {
  return !/[^\0-\xff]/.test(text);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text.length >= MIN_SECRET_LENGTH);
}

function lazily<T>(create: () => T): () => T {
  let created: T | undefined;
  return () => {
    created ??= create();
    return created;
  };
}

/** Part of a text: from `start` up to `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** A text with every escape read. */
interface PlainText {
  readonly text: string;
  /** The range of the escaped text that a range of this text came from. */
  toSource(range: Range): Range;
}

const NAMES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  sol: '/',
  plus: '+',
  equals: '=',
  bsol: '\\',
  percnt: '%',
};

function mayHoldEscapes(text: string): boolean {
  return text.includes('\\') || text.includes('%') || text.includes('&');
}

/** Unescapes a text. Returns null if it has no escapes. */
type EscapeReader = (source: string) => PlainText | null;

/** Reads the escapes of every byte. */
const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code));

/** Compiled once: that takes longer than the rest of a redactor. */
const readEveryByte = lazily(() => createEscapeReader(EVERY_BYTE));

/** Reads all escapes of a text. For secrets, not for answers. */
function readEscapes(source: string): string {
  return readEveryByte()(source)?.text ?? source;
}

/**
 * Creates a reader of the escapes of these characters, which leaves all others as they are.
 *
 * `%2F`, `%252F`; `&#47;`, `&#x2f;`, `&sol;`, `&amp;#47;`; `\\/`, `\\u002f`, `\\u{2f}`, `\\x2f`, `\\057`, `\\\\u002f`: one character each, in either
 * case. Bytes of percent-encoding become one character each. Every repetition is bounded, so the time is linear in the text.
 */
function createEscapeReader(characters: string): EscapeReader {
  const escapes = toExpression([...new Set(characters.split(''))]);
  return (source) => {
    if (!mayHoldEscapes(source)) return null;
    const pieces: string[] = [];
    // Of each escape: where its character is in the plain text, and where it ends in the source.
    const plainStarts: number[] = [];
    const sourceEnds: number[] = [];
    let length = 0;
    let end = 0;
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
    // An escape is one character of the plain text. So a position is the end of the last escape before it, and the characters since.
    const toSourcePosition = (position: number): number => {
      const lastEscape = lastAtMost(plainStarts, position - 1);
      if (lastEscape < 0) return position;
      const plainSince = position - ((plainStarts[lastEscape] ?? 0) + 1);
      return (sourceEnds[lastEscape] ?? 0) + plainSince;
    };
    return {
      text: pieces.join(''),
      toSource: (range) => ({ start: toSourcePosition(range.start), end: toSourcePosition(range.end) }),
    };
  };
}

function toExpression(characters: readonly string[]): RegExp {
  const codes = characters.map((character) => character.charCodeAt(0));
  const hex = (length: number) =>
    codes
      .map((code) => code.toString(16).padStart(length, '0'))
      .filter((digits) => digits.length === length)
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
    `u\\{0{0,4}(?<braced>${codes.map((code) => code.toString(16)).join('|')})\\}`,
    `(?<octal>${
      codes
        .map((code) => code.toString(8).padStart(3, '0'))
        .filter((digits) => /^[0-3]..$/.test(digits))
        .join('|') || '(?!)'
    })`,
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

function readOne({
  percent,
  decimal,
  hex,
  name,
  unit,
  braced,
  octal,
  byte,
  plain,
}: Record<string, string | undefined>): string {
  if (plain !== undefined) return plain;
  if (name !== undefined) return NAMES[name.toLowerCase()] ?? '';
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  const code =
    decimal === undefined ? Number.parseInt(percent ?? hex ?? unit ?? braced ?? byte ?? '', 16) : Number(decimal);
  return String.fromCharCode(code);
}

/** Index of the last number that is at most `limit`, in ascending numbers; -1 when there is none. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
