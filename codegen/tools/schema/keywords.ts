/** The keywords that an input schema may publish unchanged, after their values are checked. */

import { findPatternProblem } from '../../../shared/patterns/index.ts';
import { canonicalJson, charsOf, isRecord } from '../../json.ts';
import { wordSet } from '../../word-set.ts';
import { discriminatorInWords } from './discriminator.ts';

/** Formats that ajv-formats knows; any other moves to the description, because a validator ignores it. */
const KNOWN_FORMATS = wordSet(
  'date time date-time iso-time iso-date-time duration uri uri-reference uri-template email hostname ' +
    'ipv4 ipv6 regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte int32 int64 ' +
    'float double password binary',
);

const MAX_DEFAULT_CHARS = 256;
const MAX_EXAMPLES = 3;
const MAX_EXAMPLES_CHARS = 240;

type Clean = (value: unknown) => unknown;

const number: Clean = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const count: Clean = (value) => (Number.isInteger(value) && (value as number) >= 0 ? value : undefined);

/** By keyword: the value to publish, or undefined to leave the keyword out. In the order of publication. */
const CLEANERS: readonly (readonly [string, Clean])[] = [
  ['enum', (value) => (Array.isArray(value) && value.length > 0 ? toUnique(value) : undefined)],
  ['const', (value) => value ?? undefined],
  ['format', (value) => (typeof value === 'string' && KNOWN_FORMATS.has(value) ? value : undefined)],
  ['pattern', (value) => (typeof value === 'string' && findPatternProblem(value) === null ? value : undefined)],
  ['minLength', count],
  ['maxLength', count],
  ['minimum', number],
  ['exclusiveMinimum', number],
  ['maximum', number],
  ['exclusiveMaximum', number],
  ['multipleOf', (value) => ((number(value) as number) > 0 ? value : undefined)],
  ['minItems', count],
  ['maxItems', count],
  ['uniqueItems', (value) => (value === true ? true : undefined)],
  ['minContains', count],
  ['maxContains', count],
  ['minProperties', count],
  ['maxProperties', count],
  ['contentEncoding', (value) => (typeof value === 'string' ? value : undefined)],
  ['contentMediaType', (value) => (typeof value === 'string' ? value : undefined)],
  ['dependentRequired', (value) => (isRecord(value) && Object.values(value).every(isNameList) ? value : undefined)],
  ['default', (value) => (value === null || charsOf(value) > MAX_DEFAULT_CHARS ? undefined : value)],
  ['examples', toFewExamples],
];

/** The valid keywords of a schema, without those that hold schemas, in a fixed order. */
export function cleanKeywords(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const [keyword, toClean] of CLEANERS) {
    const value = schema[keyword] === undefined ? undefined : toClean(schema[keyword]);
    if (value !== undefined) clean[keyword] = value;
  }
  if (clean.enum !== undefined) delete clean.examples;
  return clean;
}

/** The meaning of keywords that are not published, in words; empty if there are none. */
export function droppedInWords(schema: Readonly<Record<string, unknown>>): string {
  const notes: string[] = [];
  const { multipleOf, format } = schema;
  if (typeof multipleOf === 'number' && multipleOf > 0 && !Number.isInteger(multipleOf)) {
    notes.push(`A multiple of ${multipleOf}.`);
  }
  if (typeof format === 'string' && !KNOWN_FORMATS.has(format) && /^[\w.+-]{1,40}$/.test(format)) {
    notes.push(`Format: ${format}.`);
  }
  const chooses = discriminatorInWords(schema);
  if (chooses !== '') notes.push(chooses);
  return notes.join(' ');
}

function toUnique(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}

function isNameList(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((name) => typeof name === 'string') && new Set(value).size === value.length
  );
}

function toFewExamples(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  const few: unknown[] = [];
  for (const example of toUnique(value.filter((item) => item !== null && item !== undefined))) {
    if (few.length < MAX_EXAMPLES && charsOf([...few, example]) <= MAX_EXAMPLES_CHARS) few.push(example);
  }
  return few.length === 0 ? undefined : few;
}
