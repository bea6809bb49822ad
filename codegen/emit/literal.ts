/** TypeScript literals of JSON values: what a descriptor says can become data, never code. */

const WIDTH = 120;
const INDENT = '  ';
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** Most text is this, and is left alone without a search for rarer characters. */
const PLAIN = /^[ -~]*$/;

/** Control, format (bidi, zero width, tags), line and paragraph separator, and half of a surrogate pair. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Writes characters that a reviewer cannot see, or that end a line for some reader, as escapes of a string literal.
 *
 * Backslashes are left alone: for text that is already a literal, or that lands in a comment.
 */
export function escapeInvisible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(INVISIBLE, escapeCodePoint);
}

function escapeCodePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A string literal on one line: single quotes, or double ones where that saves escapes. */
export function stringLiteral(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll(/[\\\n\r\t]/g, (character) => SHORT_ESCAPES[character] ?? character)
    .replaceAll(quote, `\\${quote}`);
  return quote + escapeInvisible(escaped) + quote;
}

/** A property name of an object literal. `__proto__` is computed, because written plainly it sets the prototype. */
export function propertyKey(name: string): string {
  return name === '__proto__' ? "['__proto__']" : memberName(name);
}

/** A property name of an interface or type literal. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) ? name : stringLiteral(name);
}

/** `args.pageSize` or `args['page.size']`. */
export function memberAccess(object: string, name: string): string {
  return IDENTIFIER.test(name) ? `${object}.${name}` : `${object}[${stringLiteral(name)}]`;
}

/**
 * The literal of a JSON value: one property a line, arrays of scalars on one line where they fit into 120 columns.
 *
 * Lines after the first are indented relative to the line on which the literal starts.
 *
 * @param indentation Spaces before the line on which the literal starts.
 * @param prefix Characters between them and the literal. Both decide only whether arrays fit.
 */
export function jsonLiteral(value: unknown, indentation = 0, prefix = 0): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (Array.isArray(value)) return arrayLiteral(value, indentation, prefix);
  if (typeof value === 'object' && value !== null) return objectLiteral(value, indentation);
  return JSON.stringify(value) ?? 'undefined';
}

function arrayLiteral(items: readonly unknown[], indentation: number, prefix: number): string {
  if (items.every((item) => typeof item !== 'object' || item === null)) {
    const line = `[${items.map((item) => jsonLiteral(item ?? null)).join(', ')}]`;
    if (indentation + prefix + line.length < WIDTH) return line;
  }
  return block(
    '[',
    items.map((item) => jsonLiteral(item ?? null, indentation + INDENT.length)),
    ']',
  );
}

function objectLiteral(object: object, indentation: number): string {
  const properties = Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const key = `${propertyKey(name)}: `;
      return key + jsonLiteral(value, indentation + INDENT.length, key.length);
    });
  return block('{', properties, '}');
}

/** `open`, each entry on its own indented line with a comma, `close`; or `open` and `close` alone. */
export function block(open: string, entries: readonly string[], close: string): string {
  if (entries.length === 0) return open + close;
  return `${open}\n${entries.map((entry) => `${indent(entry)},\n`).join('')}${close}`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, INDENT);
}
