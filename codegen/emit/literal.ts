/** TypeScript literals of JSON values: what a descriptor says can become data, never code. */

const WIDTH = 120;
const INDENT = '  ';
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
/** Text that stands between single quotes as it is. */
const NEEDS_NO_ESCAPE = /^[ !#-&(-[\]-~]*$/;
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
  if (NEEDS_NO_ESCAPE.test(text)) return `'${text}'`;
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

/**
 * The literal of a JSON value: one property a line; arrays of scalars, and objects of nothing else, on one line where they
 * fit into 120 columns.
 *
 * Lines after the first are indented relative to the line on which the literal starts.
 *
 * @param indentation Spaces before the line on which the literal starts.
 * @param prefix Characters between them and the literal. Both decide only what fits on a line.
 */
export function jsonLiteral(value: unknown, indentation = 0, prefix = 0): string {
  return literal(value, '', indentation, prefix);
}

/** @param margin Spaces before every line of this literal but the first. */
function literal(value: unknown, margin: string, indentation: number, prefix: number): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (Array.isArray(value)) return arrayLiteral(value, margin, indentation, prefix);
  if (typeof value === 'object' && value !== null) return objectLiteral(value, margin, indentation, prefix);
  return JSON.stringify(value) ?? 'undefined';
}

function arrayLiteral(items: readonly unknown[], margin: string, indentation: number, prefix: number): string {
  if (items.length === 0) return '[]';
  if (items.every(isScalar)) {
    const line = `[${items.map((item) => literal(item ?? null, '', 0, 0)).join(', ')}]`;
    if (indentation + margin.length + prefix + line.length < WIDTH) return line;
  }
  const inner = margin + INDENT;
  let text = '[';
  for (const item of items) text += `\n${inner}${literal(item ?? null, inner, indentation, 0)},`;
  return `${text}\n${margin}]`;
}

function objectLiteral(object: object, margin: string, indentation: number, prefix: number): string {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return '{}';
  if (entries.every(([, value]) => isLeaf(value))) {
    const line = `{ ${entries.map(([name, value]) => `${propertyKey(name)}: ${literal(value, '', 0, 0)}`).join(', ')} }`;
    if (indentation + margin.length + prefix + line.length < WIDTH && !line.includes('\n')) return line;
  }
  const inner = margin + INDENT;
  let text = '{';
  for (const [name, value] of entries) {
    const key = propertyKey(name);
    text += `\n${inner}${key}: ${literal(value, inner, indentation, key.length + 2)},`;
  }
  return `${text}\n${margin}}`;
}

/** What an object on one line may hold: scalars, arrays of them, and what is empty. */
function isLeaf(value: unknown): boolean {
  if (isScalar(value)) return true;
  return Array.isArray(value) ? value.every(isScalar) : Object.keys(value as object).length === 0;
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** `open`, each entry on its own indented line with a comma, `close`; or `open` and `close` alone. */
export function block(open: string, entries: readonly string[], close: string): string {
  if (entries.length === 0) return open + close;
  return `${open}\n${entries.map((entry) => `${indent(entry)},\n`).join('')}${close}`;
}

/** Empty lines stay empty. */
function indent(text: string): string {
  const first = text === '' || text.startsWith('\n') ? '' : INDENT;
  return first + text.replaceAll(/\n(?=[^\n])/g, `\n${INDENT}`);
}
