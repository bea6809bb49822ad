/** Keywords of JSON Schema that compare numbers: by all of their digits, where a validator checks rounded numbers. */

import type { Ajv2020, CodeKeywordDefinition, KeywordCxt } from 'ajv/dist/2020.js';
import type {
  _ as _Template,
  Code,
  operators as codeOperators,
  strConcat as joinCode,
} from 'ajv/dist/compile/codegen/index.js';
import { compareNumbers, isExactNumber, toNormalForm, toUnits } from '../../../shared/exact-json.ts';

/** The digits of each number that a value holds only approximately, by RFC 6901 pointer. */
export type Digits = ReadonlyMap<string, string>;

export const NO_DIGITS: Digits = new Map();

/** The digits of the value that is checked now. Generated code reads `hasAny`. */
const current = { digits: NO_DIGITS, hasAny: false };

/** Runs a check of a value whose rounded numbers have these digits. It must not be asynchronous. */
export function withExactNumbers<Result>(digits: Digits, check: () => Result): Result {
  const { digits: outerDigits } = current;
  use(digits);
  try {
    return check();
  } finally {
    use(outerDigits);
  }
}

function use(digits: Digits): void {
  current.digits = digits;
  current.hasAny = digits.size > 0;
}

function digitsAt(pointer: string): string | undefined {
  return current.hasAny ? current.digits.get(pointer) : undefined;
}

/** Limits of integers of 64 bits. JavaScript rounds the greatest ones up to these in schemas. */
const LIMITS_OF_64_BITS = new Set([2 ** 63, 2 ** 64, -(2 ** 63)]);

/** Returns the digits that a schema's limit was written with, or undefined if it is beyond 2^53, where JavaScript has rounded them. */
function limitDigits(keyword: string, limit: number): string | undefined {
  const text = String(limit);
  if (isExactNumber(text)) return text;
  if (!LIMITS_OF_64_BITS.has(limit)) return undefined;
  return String(keyword === 'maximum' ? BigInt(limit) - 1n : BigInt(limit));
}

type Comparison = (difference: number) => boolean;

const FITS: Readonly<Record<string, Comparison>> = {
  minimum: (difference) => difference >= 0,
  maximum: (difference) => difference <= 0,
  exclusiveMinimum: (difference) => difference > 0,
  exclusiveMaximum: (difference) => difference < 0,
};

/** The operators with which a value breaks a limit. */
const BREAKS = { minimum: 'LT', maximum: 'GT', exclusiveMinimum: 'LTE', exclusiveMaximum: 'GTE' } as const;

/** Names in generated code, from the library, which is loaded lazily. */
export interface CodeTools {
  readonly _: typeof _Template;
  readonly strConcat: typeof joinCode;
  readonly operators: typeof codeOperators;
  /** The pointer to the object or array in which the checked value is. */
  readonly instancePath: Code;
}

/** Replaces the library's keywords, whose `uniqueItems` compares each pair, and whose `multipleOf` refuses 1.1 as a multiple of 0.1. */
export function addExactKeywords(ajv: Ajv2020, { _, strConcat, operators, instancePath }: CodeTools): void {
  const pathOf = ({ it }: KeywordCxt) => strConcat(instancePath, it.errorPath);
  for (const [keyword, operator] of Object.entries(BREAKS)) {
    const { type, schemaType, error } = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type,
      schemaType,
      error,
      code(context) {
        const { gen, data, schema } = context;
        const state = gen.scopeValue('obj', { ref: current });
        const check = gen.scopeValue('func', { ref: isWithin });
        const isRefused = _`!${check}(${keyword}, ${schema}, ${data}, ${pathOf(context)})`;
        context.fail(_`${state}.hasAny ? ${isRefused} : ${data} ${operators[operator]} ${schema}`);
      },
    } as CodeKeywordDefinition);
  }
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    code(context) {
      const { gen, data, schema: divisor } = context;
      const [step, scale] = toUnits(String(divisor));
      const state = gen.scopeValue('obj', { ref: current });
      const check = gen.scopeValue('func', { ref: isMultipleOf });
      const units = gen.const('units', _`Math.round(${data} / ${divisor}) * ${Number(step)}`);
      const isPlain = _`!${state}.hasAny && Math.abs(${units}) <= ${scale > MAX_EXACT_POWER ? -1 : MAX_FIFTEEN_DIGITS}`;
      const power = 10 ** Math.min(scale, MAX_EXACT_POWER);
      const isExact = _`${check}(${divisor}, ${data}, ${pathOf(context)})`;
      context.fail(_`!(${isPlain} ? ${units} / ${power} === ${data} : ${isExact})`);
    },
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    code(context) {
      const check = context.gen.scopeValue('func', { ref: allDiffer });
      if (context.schema === true) context.fail(_`!${check}(${context.data}, ${pathOf(context)})`);
    },
  });
}

/** A number that JavaScript cannot tell apart from a rounded limit is accepted. */
function isWithin(keyword: string, limit: number, value: number, pointer: string): boolean {
  const isFitting = FITS[keyword] as Comparison;
  const digits = digitsAt(pointer);
  if (digits === undefined) return isFitting(value - limit);
  const exactLimit = limitDigits(keyword, limit);
  if (exactLimit !== undefined) return isFitting(compareNumbers(digits, exactLimit));
  return value === limit || isFitting(value - limit);
}

/** Integers up to this have one text each, and so have their quotients by powers of ten: the division gives the number that is nearest to it. */
const MAX_FIFTEEN_DIGITS = 999_999_999_999_999;
/** JavaScript holds each power of ten up to this exponent. */
const MAX_EXACT_POWER = 22;

/** Longest text of a number that is divided with all its digits, and largest exponent in it. */
const MAX_DIVIDED = 400;
const EXPONENT = /[eE]([+-]?\d+)$/;

function canBeDivided(digits: string): boolean {
  return digits.length <= MAX_DIVIDED && Math.abs(Number(EXPONENT.exec(digits)?.[1] ?? 0)) <= MAX_DIVIDED;
}

/** Exact for decimals. An integer beyond 2^53 is known by its digits; without them, it is rounded already, and is accepted. */
function isMultipleOf(divisor: number, value: number, pointer: string): boolean {
  const knownDigits = digitsAt(pointer);
  const digits = knownDigits !== undefined && canBeDivided(knownDigits) ? knownDigits : undefined;
  if (digits === undefined && Math.abs(value) > Number.MAX_SAFE_INTEGER) return true;
  const [step, stepScale] = toUnits(String(divisor));
  const [units, scale] = toUnits(digits ?? String(value));
  const common = Math.max(scale, stepScale);
  return (units * 10n ** BigInt(common - scale)) % (step * 10n ** BigInt(common - stepScale)) === 0n;
}

function allDiffer(items: readonly unknown[], pointer: string): boolean {
  return new Set(items.map((item, index) => toKey(item, `${pointer}/${index}`))).size === items.length;
}

/** Returns a text that only equal values have. */
function toKey(value: unknown, pointer: string): string {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? String(value) : toNormalForm(digitsAt(pointer) ?? String(value));
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map((item, index) => toKey(item, `${pointer}/${index}`)).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toKey(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)}`).join(',')}}`;
}
