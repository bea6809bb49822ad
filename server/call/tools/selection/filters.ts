/** Terms of `where` that the service tests itself, by the arguments that connector.yaml declares for them. */

import type { Tool } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { isSchema } from '../json.ts';
import { numberOf, periodOf, toBound } from './compare.ts';
import type { Term } from './condition.ts';

/** By operator: the declared ones whose items include all that it accepts. */
const SERVED_BY: Readonly<Record<string, readonly string[]>> = {
  equals: ['equals', 'in', 'contains'],
  in: ['in', 'equals'],
  contains: ['contains'],
  startsWith: ['startsWith', 'contains'],
  endsWith: ['endsWith', 'contains'],
  after: ['after', 'more', 'atLeast'],
  more: ['more', 'after', 'atLeast'],
  atLeast: ['atLeast'],
  before: ['before', 'less', 'atMost'],
  less: ['less', 'before', 'atMost'],
  atMost: ['atMost'],
};

/** Filters that a call sends to its service. The gateway tests the condition all the same. */
export interface Filtered {
  readonly arguments: Arguments;
  /** The arguments without the filters. */
  readonly without: Arguments;
  /** The filters, such as `status="open"`. */
  readonly texts: readonly string[];
}

/**
 * Adds the arguments by which the service tests terms itself. Returns null if there are none.
 *
 * An argument that the call has already, from its caller or pinned, keeps its value. A value that the argument does not take is not sent.
 *
 * @param accepts returns true if the tool takes such arguments.
 */
export function useFilters(
  { filters = {}, inputSchema }: Tool,
  terms: readonly Term[],
  without: Arguments,
  accepts: (args: Arguments) => boolean,
): Filtered | null {
  let args = without;
  const texts: string[] = [];
  for (const term of terms) {
    const declared = Object.hasOwn(filters, term.member) ? (filters[term.member] ?? {}) : {};
    for (const operator of SERVED_BY[term.operator] ?? []) {
      const name = declared[operator];
      if (name === undefined || Object.hasOwn(args, name)) continue;
      const schema = (inputSchema.properties as Readonly<Record<string, unknown>> | undefined)?.[name];
      const value = toValues(term, operator, isSchema(schema) ? schema.format : undefined).find((one) =>
        accepts({ ...args, [name]: one }),
      );
      if (value === undefined) continue;
      args = { ...args, [name]: value };
      texts.push(`${name}=${JSON.stringify(value)}`);
      break;
    }
  }
  return texts.length === 0 ? null : { arguments: args, without, texts };
}

/** Returns the forms of a term's operand as the value of an argument, best first. The list is empty if the argument cannot express the term. */
function toValues({ operator: asked, operand }: Term, declared: string, format: unknown): unknown[] {
  const values: unknown[] = Array.isArray(operand) ? operand : [operand];
  switch (declared) {
    case 'in':
      return values.some(isDate) ? [] : [values, values.map(String)];
    case 'equals':
      if (values.length > 1 || (isDate(values[0]) && !(format === 'date' && isDay(values[0])))) return [];
      return [values[0], String(values[0]), numberOf(values[0])];
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return typeof operand === 'string' && operand !== '' ? [operand] : [];
    default:
      return toLimits(operand as string | number, asked, format);
  }
}

function toLimits(operand: string | number, asked: string, format: unknown): unknown[] {
  if (format === 'date') return isDay(operand) ? [operand] : [];
  if (format !== 'date-time') return [numberOf(operand)];
  const { period } = toBound(operand, asked === 'before' || asked === 'after');
  if (period === null) return [];
  // The end of a day may be finer than milliseconds.
  return [new Date(asked === 'atMost' ? period.to + 1 : period.from).toISOString()];
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
}

/** Equals all times of its day, and is written in several ways: a service may compare texts. */
function isDate(value: unknown): boolean {
  return typeof value === 'string' && periodOf(value) !== null;
}
