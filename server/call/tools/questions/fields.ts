/** The form that a question of an MCP server asks for (MCP 2026-07-28, Elicitation): flat members of simple types. */

import { isObject } from '../json.ts';

/** One value out of several. */
export interface FieldOption {
  readonly value: string;
  readonly title: string;
}

interface FieldBase {
  /** Member of the answer. */
  readonly name: string;
  readonly title: string;
  /** Undefined if the server does not explain it. */
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

export interface TextField extends FieldBase {
  readonly kind: 'text';
  readonly format: 'email' | 'uri' | 'date' | 'date-time' | undefined;
  /** In characters. */
  readonly minLength: number;
  readonly maxLength: number;
  readonly preset: string | undefined;
}

export interface NumberField extends FieldBase {
  readonly kind: 'number' | 'integer';
  readonly minimum: number;
  readonly maximum: number;
  readonly preset: number | undefined;
}

export interface YesNoField extends FieldBase {
  readonly kind: 'boolean';
  readonly preset: boolean;
}

export interface ChoiceField extends FieldBase {
  readonly kind: 'one-of' | 'some-of';
  readonly options: readonly FieldOption[];
  /** How many may be chosen. */
  readonly minItems: number;
  readonly maxItems: number;
  readonly preset: readonly string[];
}

export type Field = TextField | NumberField | YesNoField | ChoiceField;

const MAX_FIELDS = 30;
const MAX_OPTIONS = 200;
const MAX_NAME_CHARS = 200;
/** Longest text that a person may enter. */
const MAX_TEXT_CHARS = 4000;
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

/** Returns the fields of a schema. Null if it is not one that the specification allows, or has too many members to be shown. */
export function readFields(schema: unknown): readonly Field[] | null {
  if (!isObject(schema)) return null;
  const { type = 'object', properties = {}, required = [] } = schema;
  if (type !== 'object' || !isObject(properties) || !Array.isArray(required)) return null;
  const members = Object.entries(properties);
  if (members.length > MAX_FIELDS) return null;
  const fields = members.map(([name, member]) => readField(name, member, required.includes(name)));
  return fields.every((field) => field !== null) ? fields : null;
}

function readField(name: string, member: unknown, isRequired: boolean): Field | null {
  if (!isObject(member) || name.length > MAX_NAME_CHARS) return null;
  const { title, description, type, default: preset } = member;
  const base: FieldBase = {
    name,
    title: typeof title === 'string' && title !== '' ? title : name,
    description: typeof description === 'string' ? description : undefined,
    isRequired,
  };
  switch (type) {
    case 'string':
      return 'enum' in member || 'oneOf' in member ? toChoice(base, 'one-of', member) : toText(base, member);
    case 'number':
    case 'integer': {
      const { minimum, maximum } = member;
      const range = { minimum: numberOr(minimum, -Number.MAX_VALUE), maximum: numberOr(maximum, Number.MAX_VALUE) };
      return { ...base, ...range, kind: type, preset: typeof preset === 'number' ? preset : undefined };
    }
    case 'boolean':
      return { ...base, kind: 'boolean', preset: preset === true };
    case 'array':
      return toChoice(base, 'some-of', member);
    default:
      return null;
  }
}

function toText(
  base: FieldBase,
  { format, minLength, maxLength, default: preset }: Readonly<Record<string, unknown>>,
): TextField {
  return {
    ...base,
    kind: 'text',
    format: FORMATS.includes(format) ? (format as TextField['format']) : undefined,
    minLength: Math.max(0, numberOr(minLength, 0)),
    maxLength: Math.min(MAX_TEXT_CHARS, numberOr(maxLength, MAX_TEXT_CHARS)),
    preset: typeof preset === 'string' ? preset : undefined,
  };
}

/** @returns null if the options are not all texts. */
function toChoice(
  base: FieldBase,
  kind: ChoiceField['kind'],
  member: Readonly<Record<string, unknown>>,
): ChoiceField | null {
  const { minItems, maxItems, default: preset, items } = member;
  const options = readOptions(kind === 'one-of' ? member : items);
  if (options === null) return null;
  const isOne = kind === 'one-of';
  const presets = (Array.isArray(preset) ? preset : [preset]).filter((value) => typeof value === 'string');
  return {
    ...base,
    kind,
    options,
    minItems: isOne ? 1 : numberOr(minItems, base.isRequired ? 1 : 0),
    maxItems: isOne ? 1 : numberOr(maxItems, MAX_OPTIONS),
    preset: presets,
  };
}

/** Reads `enum` with its old `enumNames`, or titled values in `oneOf` or `anyOf`. */
function readOptions(schema: unknown): readonly FieldOption[] | null {
  if (!isObject(schema)) return null;
  const { enum: values, enumNames, oneOf, anyOf } = schema;
  const titled = oneOf ?? anyOf;
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  const list = Array.isArray(titled)
    ? titled.map((option: unknown) => (isObject(option) ? { value: option.const, title: option.title } : {}))
    : (Array.isArray(values) ? values : []).map((value: unknown, index) => ({ value, title: names[index] }));
  if (list.length === 0 || list.length > MAX_OPTIONS) return null;
  const options = list.flatMap(({ value, title }) =>
    typeof value === 'string' ? [{ value, title: typeof title === 'string' ? title : value }] : [],
  );
  return options.length === list.length ? options : null;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

/** A value that was entered, or a sentence that says what is wrong with it. Neither if nothing was entered. */
interface EnteredValue {
  readonly value?: unknown;
  readonly problem?: string;
}

/**
 * Reads what a person entered.
 *
 * @param valuesOf the values of a field: texts, positions of options, or any value for yes.
 * @returns the members of the answer, and a sentence for each field that is wrong, by name.
 */
export function readEntries(
  fields: readonly Field[],
  valuesOf: (field: Field, index: number) => readonly string[],
): { readonly content: Readonly<Record<string, unknown>>; readonly problems: ReadonlyMap<string, string> } {
  const content: [string, unknown][] = [];
  const problems = new Map<string, string>();
  for (const [index, field] of fields.entries()) {
    const { value, problem } = readEntry(field, valuesOf(field, index));
    if (problem !== undefined) problems.set(field.name, problem);
    else if (value !== undefined) content.push([field.name, value]);
    else if (field.isRequired) problems.set(field.name, 'Enter a value.');
  }
  return { content: Object.fromEntries(content), problems };
}

function readEntry(field: Field, values: readonly string[]): EnteredValue {
  switch (field.kind) {
    case 'boolean':
      return { value: values.length > 0 };
    case 'text':
      return readText(field, values[0] ?? '');
    case 'number':
    case 'integer':
      return readNumber(field, (values[0] ?? '').trim());
    case 'one-of':
    case 'some-of':
      return readChosen(field, values);
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

function readText({ format, minLength, maxLength, isRequired }: TextField, text: string): EnteredValue {
  if (text === '' && (!isRequired || minLength > 0)) return {};
  const length = [...text].length;
  if (length < minLength || length > maxLength) return { problem: `Enter ${minLength} to ${maxLength} characters.` };
  if (format === 'email' && !EMAIL.test(text)) return { problem: 'Enter an email address.' };
  if (format === 'uri' && !URL.canParse(text)) return { problem: 'Enter an address such as https://example.com.' };
  if (format === 'date' && !(DATE.test(text) && isOfCalendar(text))) {
    return { problem: 'Enter a date such as 2026-11-30.' };
  }
  if (format === 'date-time' && !(DATE_TIME.test(text) && isOfCalendar(text))) {
    return { problem: 'Enter a time such as 2026-11-30T12:00:00Z.' };
  }
  return { value: text };
}

/** False for a day or an hour that there is not, such as February 31, which `Date.parse` takes for a day of March. */
function isOfCalendar(time: string): boolean {
  const day = time.slice(0, 10);
  const midnight = Date.parse(day);
  return !Number.isNaN(Date.parse(time)) && new Date(midnight).toISOString().startsWith(day);
}

function readNumber({ kind, minimum, maximum }: NumberField, text: string): EnteredValue {
  if (text === '') return {};
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: 'Enter a number.' };
  if (kind === 'integer' && !Number.isSafeInteger(value)) return { problem: 'Enter a whole number.' };
  if (value < minimum) return { problem: `Enter at least ${minimum}.` };
  return value > maximum ? { problem: `Enter at most ${maximum}.` } : { value };
}

function readChosen(
  { kind, options, minItems, maxItems, isRequired }: ChoiceField,
  positions: readonly string[],
): EnteredValue {
  const chosen = [...new Set(positions)]
    .filter((position) => position !== '')
    .map((position) => options[Number(position)]?.value);
  if (chosen.length === 0 && !isRequired) return {};
  if (chosen.includes(undefined)) return { problem: 'Choose one of the values.' };
  if (chosen.length < minItems || chosen.length > maxItems) {
    return {
      problem:
        kind === 'one-of' ? 'Choose one value.' : `Choose ${minItems} to ${Math.min(maxItems, options.length)} values.`,
    };
  }
  return { value: kind === 'one-of' ? chosen[0] : chosen };
}
