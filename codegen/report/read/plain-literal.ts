/** Reads the exported constant of a file in codegen's form, in a tenth of the time that a TypeScript parser takes. */

const START = /^export const [A-Za-z_$][\w$]*(?:: [^=\n]+)? = (?=\{)/m;
const SPACE = /\s*/y;
const KEY = /([A-Za-z_$][\w$]*)\s*:|\['__proto__'\]\s*:/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w$.])/y;
const WORD = /(?:true|false|null)(?![\w$])/y;
const SINGLE = /'((?:[^'\\\n]|\\[^\n])*)'/y;
const DOUBLE = /"((?:[^"\\\n]|\\[^\n])*)"/y;
const PLUS = /\s*\+\s*(?=['"])/y;
const SATISFIES = /\s+satisfies\s+/y;
const NAME = /[A-Za-z_$][\w$]*/y;
const NAMES = /\[(?:\s*[A-Za-z_$][\w$]*,)*\s*\]/y;
const ESCAPE = /\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^\n]))/g;
const PLAIN_ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
};
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/** Text that is not in codegen's form. */
class UnknownForm extends Error {}

/**
 * The members of the first exported constant: the values of literals, and the text of a name or a list of names.
 *
 * @returns null for a file in any other form, such as an edited one, which needs a real parser.
 */
export function readPlainMembers(text: string): Record<string, unknown> | null {
  const start = START.exec(text);
  if (start === null) return null;
  try {
    const reader = new Reader(text, start.index + start[0].length);
    const members = reader.object((): unknown => reader.valueOrNames());
    return reader.endsStatement() ? members : null;
  } catch (error) {
    if (error instanceof UnknownForm) return null;
    throw error;
  }
}

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  endsStatement(): boolean {
    return this.#text[this.#at] === ';';
  }

  object(read: () => unknown): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    this.#each('{', '}', () => {
      const name = this.#key();
      this.#space();
      // A member named __proto__ is data here too.
      Object.defineProperty(value, name, { value: read(), enumerable: true, configurable: true, writable: true });
    });
    return value;
  }

  valueOrNames(): unknown {
    const names = this.#match(NAMES);
    if (names !== null && names[0].length > 2) return names[0];
    if (names !== null) this.#at -= names[0].length;
    const next = this.#text[this.#at] ?? '';
    if (/[A-Za-z_$]/.test(next) && this.#peek(WORD) === null) return this.#need(NAME)[0];
    return this.value();
  }

  value(): unknown {
    const value = this.#plain();
    if (this.#match(SATISFIES) !== null) this.#skipType();
    return value;
  }

  #plain(): unknown {
    switch (this.#text[this.#at]) {
      case '{':
        return this.object(() => this.value());
      case '[': {
        const items: unknown[] = [];
        this.#each('[', ']', () => items.push(this.value()));
        return items;
      }
      case "'":
      case '"':
        return this.#sentences();
      case 't':
      case 'f':
      case 'n':
        return WORDS[this.#need(WORD)[0]];
      default:
        return Number(this.#need(NUMBER)[0]);
    }
  }

  /** Members or items, separated by commas; a trailing comma is optional. */
  #each(open: string, close: string, read: () => void): void {
    this.#take(open);
    this.#space();
    while (this.#text[this.#at] !== close) {
      read();
      this.#space();
      if (this.#text[this.#at] !== close) this.#take(',');
      this.#space();
    }
    this.#take(close);
  }

  #key(): string {
    const next = this.#text[this.#at];
    if (next !== "'" && next !== '"') return this.#need(KEY)[1] ?? '__proto__';
    const name = this.#string();
    this.#space();
    this.#take(':');
    return name;
  }

  /** `'One. ' + 'Two.'` */
  #sentences(): string {
    let text = this.#string();
    while (this.#match(PLUS) !== null) text += this.#string();
    return text;
  }

  #string(): string {
    const inner = this.#need(this.#text[this.#at] === "'" ? SINGLE : DOUBLE)[1] ?? '';
    if (!inner.includes('\\')) return inner;
    return inner.replaceAll(ESCAPE, (_all, ...groups: string[]) => {
      const [point, unit, byte, other = ''] = groups;
      const hex = point ?? unit ?? byte;
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (/[ux1-9]/.test(other)) throw new UnknownForm();
      return PLAIN_ESCAPES[other] ?? other;
    });
  }

  /** Skips the type after `satisfies`, up to the end of its member. */
  #skipType(): void {
    for (let depth = 0; ; this.#at += 1) {
      const next = this.#text[this.#at];
      if (next === "'" || next === '"') {
        this.#string();
        this.#at -= 1;
      } else if (next === undefined || next === '`') throw new UnknownForm();
      else if ('<[({'.includes(next)) depth += 1;
      else if (depth === 0 && ',}]);'.includes(next)) return;
      else if ('>])}'.includes(next)) depth -= 1;
    }
  }

  #space(): void {
    this.#match(SPACE);
  }

  #take(expected: string): void {
    if (this.#text[this.#at] !== expected) throw new UnknownForm();
    this.#at += 1;
  }

  #peek(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    const found = this.#peek(pattern);
    if (found !== null) this.#at += found[0].length;
    return found;
  }

  #need(pattern: RegExp): RegExpExecArray {
    const found = this.#match(pattern);
    if (found === null) throw new UnknownForm();
    return found;
  }
}
