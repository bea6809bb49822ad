/** TypeScript literals of JSON values: text from a descriptor can become data, never code. */

import { escapeInvisible } from '../../shared/invisible.ts';
import { wordSet } from '../word-set.ts';

/** Maximum line width, where a line can be broken. */
export const WIDTH = 120;
const INDENT = '  ';
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
/** Text that needs no escape between single quotes. */
const NEEDS_NO_ESCAPE = /^[ !#-&(-[\]-~]*$/;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** A string literal on one line: single quotes, or double ones where that saves escapes. */
export function stringLiteral(text: string): string {
  if (NEEDS_NO_ESCAPE.test(text)) return `'${text}'`;
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll(/[\\\n\r\t]/g, (character) => SHORT_ESCAPES[character] ?? character)
    .replaceAll(quote, `\\${quote}`);
  return quote + escapeInvisible(escaped) + quote;
}

/** A property name of an object literal. `__proto__` is computed, because the plain form would set the prototype. */
export function propertyKey(name: string): string {
  return name === '__proto__' ? "['__proto__']" : memberName(name);
}

/** A property name of an interface or type literal. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) ? name : stringLiteral(name);
}

/** Between two words, and the end of a sentence or of a line of text. */
const WORD_START = /(?<=\s)(?=\S)/;
const SENTENCE_END = /(?:\n\s*|(?<!\b(?:e\.g|i\.e|vs))[.!?]["')\]]*\s+)$/;

/** Keywords that map names to schemas, or wire names to arguments: each entry is a property. */
const MAPS = wordSet('properties patternProperties dependentSchemas $defs members');

/**
 * Returns the literal of a JSON value, with one schema property on each line.
 *
 * An object is on one line if it fits into 120 columns and holds at most one other object that is not empty, which follows the same rule: `{ type:
 * 'array', items: { type: 'string' } }`. If only the last member of an object needs several lines, both open on the same line: `data: { items: {
 * properties: {`.
 *
 * Lines after the first are indented relative to the line on which the literal starts.
 *
 * @param indentation Spaces before the line on which the literal starts: they only decide what fits on a line.
 */
export function jsonLiteral(value: unknown, indentation = 0): string {
  return literal(value, false, { margin: '', indentation, prefix: 0, breaksTexts: false });
}

/** The place of a member in a file. */
interface MemberPlace {
  /** Number of objects around it, which only decides what fits on a line. Default: the exported constant alone. */
  readonly depth?: number;
  /** False: a text stays one literal, with the type of a literal. Default: true. */
  readonly breaksTexts?: boolean;
}

/** The members that are not undefined, in their order. */
export function jsonMembers(values: Readonly<Record<string, unknown>>, place: MemberPlace = {}): string[] {
  return membersOf(values).map(([name, value]) => jsonMember(name, value, place));
}

/** The list or object; undefined for an empty one, which is not written. */
export function unlessEmpty<Value extends object>(value: Value): Value | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

/**
 * A member of an exported constant: `name: 'crm_get_person'`.
 *
 * A text that does not fit on its line has one sentence on each line, `'One. ' +`, so that a changed word is a changed
 * line in a review; a sentence longer than a line breaks between words. The type of such a text is `string`.
 */
export function jsonMember(name: string, value: unknown, { depth = 1, breaksTexts = true }: MemberPlace = {}): string {
  const layout = { margin: '', indentation: depth * INDENT.length, prefix: 0, breaksTexts };
  return entry(propertyKey(name), value, MAPS.has(name), layout);
}

interface LineLayout {
  /** Goes before every line of the literal except the first. */
  readonly margin: string;
  readonly indentation: number;
  readonly prefix: number;
  readonly breaksTexts: boolean;
}

/** `key: value`, or `key:` and the lines of a long text. */
function entry(key: string, value: unknown, isMap: boolean, layout: LineLayout): string {
  const valueLayout = { ...layout, prefix: layout.prefix + key.length + ': '.length };
  const lines = typeof value === 'string' && !fits(stringLiteral(value), valueLayout) ? linesOf(value, layout) : [];
  if (lines.length === 0) return `${key}: ${literal(value, isMap, valueLayout)}`;
  return `${key}:\n${layout.margin}${INDENT}${joinLines(lines, layout)}`;
}

/** The literals of a text's sentences; none if the text has to stay on one line. */
function linesOf(text: string, { margin, indentation, breaksTexts }: LineLayout): string[] {
  if (!breaksTexts) return [];
  const width = WIDTH - indentation - margin.length - INDENT.length - ' +'.length;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(WORD_START)) {
    if (line !== '' && (SENTENCE_END.test(line) || stringLiteral(line + word).length > width)) {
      lines.push(line);
      line = '';
    }
    line += word;
  }
  const literals = [...lines, line].map(stringLiteral);
  return literals.length === 1 && stringLiteral(text).length > width ? [] : literals;
}

function joinLines(lines: readonly string[], { margin }: LineLayout): string {
  return lines.join(` +\n${margin}${INDENT}`);
}

function literal(value: unknown, isMap: boolean, layout: LineLayout): string {
  const line = lineOf(value, isMap);
  if (line !== null && fits(line, layout)) return line;
  if (typeof value === 'string') return joinLines(linesOf(value, layout), layout) || stringLiteral(value);
  if (line !== null && isScalar(value)) return line;
  const { margin } = layout;
  const innerLayout = { ...layout, margin: margin + INDENT, prefix: 0 };
  const lines = (entries: readonly string[]) => entries.map((each) => `\n${innerLayout.margin}${each},`).join('');
  if (Array.isArray(value))
    return `[${lines(value.map((item) => literal(item ?? null, false, innerLayout)))}\n${margin}]`;
  const members = membersOf(value as object);
  return (
    openedWithLast(members, isMap, layout, innerLayout) ??
    `{${lines(
      members.map(([name, each]) => entry(propertyKey(name), each, !isMap && MAPS.has(name), innerLayout)),
    )}\n${margin}}`
  );
}

/** Null if another member has members too, or if the last one fits on its own line. */
function openedWithLast(
  members: readonly Member[],
  isMap: boolean,
  layout: LineLayout,
  innerLayout: LineLayout,
): string | null {
  const last = members.at(-1);
  if (isMap || last === undefined || isLeaf(last[1]) || Array.isArray(last[1])) return null;
  const leadingMembers = members.slice(0, -1);
  if (!leadingMembers.every(([, value]) => isLeaf(value))) return null;
  const [name, value] = last;
  const [key, isInnerMap] = [`${propertyKey(name)}: `, MAPS.has(name)];
  const head = `{ ${leadingMembers.map((member) => `${memberLine(member, false)}, `).join('')}${key}`;
  const line = lineOf(value, isInnerMap);
  if (!fits(head, layout) || (line !== null && fits(key + line, innerLayout))) return null;
  return `${head}${literal(value, isInnerMap, { ...layout, prefix: layout.prefix + head.length })} }`;
}

function fits(line: string, { margin, indentation, prefix }: LineLayout): boolean {
  return indentation + margin.length + prefix + line.length + ','.length <= WIDTH;
}

/**
 * The value on one line, however long; null if it needs several.
 * @param isMap its members are properties
 */
function lineOf(value: unknown, isMap: boolean): string | null {
  if (typeof value === 'string') return stringLiteral(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) {
    if (value.length > 1 && !value.every(isScalar)) return null;
    const items = value.map((item) => lineOf(item ?? null, false));
    return items.includes(null) ? null : `[${items.join(', ')}]`;
  }
  const members = membersOf(value);
  const nested = members.filter(([, each]) => !isLeaf(each)).length;
  if (nested > 1 || (nested === 1 && isMap && members.length > 1)) return null;
  const lines = members.map((member) => memberLine(member, isMap));
  if (lines.length === 0) return '{}';
  return lines.includes(null) ? null : `{ ${lines.join(', ')} }`;
}

function memberLine([name, value]: Member, isMap: boolean): string | null {
  const line = lineOf(value, !isMap && MAPS.has(name));
  return line === null ? null : `${propertyKey(name)}: ${line}`;
}

type Member = readonly [name: string, value: unknown];

function membersOf(object: object): readonly Member[] {
  return Object.entries(object).filter(([, value]) => value !== undefined);
}

/** Scalars, arrays of scalars, and empty values. */
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
