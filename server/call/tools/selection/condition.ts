/** The argument `where`: reads a condition on the items of a list, and tests items. Never a regular expression of the caller's. */

import { isObject } from '../json.ts';
import { findNearest } from '../nearest.ts';
import { isContainer } from '../results/measure.ts';
import { isRelated, isScalar, periodOf, type Relation, type Scalar, toBound } from './compare.ts';
import {
  hasMember,
  listsMembers,
  type Member,
  type Place,
  placeBelow,
  plain,
  SelectionError,
  toMember,
  valuesAt,
} from './items.ts';

/** Tests of one condition, at most; each takes time on every item. */
const MAX_TESTS = 30;
const MAX_DEPTH = 8;
/** Values of one `in`. */
const MAX_LISTED = 200;
const MAX_TEXT_LENGTH = 500;
const MAX_SHOWN_LENGTH = 60;

type Test = (value: unknown) => boolean;

/** One value of the member passes the operator, which is a documented one. */
export interface Term {
  /** Dotted. */
  readonly member: string;
  readonly operator: string;
  readonly operand: unknown;
}

/** A condition on items. */
export interface Condition {
  readonly accepts: Test;
  /** The members of items that it tests. */
  readonly members: readonly Member[];
  /** Tests that every item passes that it accepts. */
  readonly terms: readonly Term[];
  /** Texts that differed from a wanted one only in upper and lower case, so far. */
  readonly almost: () => number;
}

const EXAMPLE = '{"name": {"contains": "ana"}, "createdAt": {"after": "2026-01-31"}}';

/** By the names that models write; the documented name is the value. */
const OPERATORS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    equals: 'equals eq is ==',
    contains: 'contains like ilike includes has',
    startsWith: 'startsWith beginsWith prefix',
    endsWith: 'endsWith suffix',
    before: 'before',
    after: 'after',
    less: 'less lt lessThan <',
    more: 'more gt greater greaterThan >',
    atMost: 'atMost lte max <=',
    atLeast: 'atLeast gte min since from >=',
    in: 'in anyOf oneOf',
    exists: 'exists',
    not: 'not ne neq != notEquals',
    and: 'and all',
    or: 'or any',
  }).flatMap(([name, written]) => written.split(' ').map((one) => [toKey(one), name] as const)),
);
const DOCUMENTED = [...new Set(OPERATORS.values())];
/** Operators of other languages that this language does not have. */
const UNSUPPORTED = new Set([
  'regex',
  'regexp',
  'matches',
  'match',
  'pattern',
  'glob',
  'between',
  'size',
  'every',
  'none',
]);
const LOGICAL = new Set(['and', 'or', 'not']);
const RELATIONS: Readonly<Record<string, Relation>> = {
  before: 'less',
  less: 'less',
  after: 'more',
  more: 'more',
  atLeast: 'atLeast',
  atMost: 'atMost',
};

/** Tests of texts in lower case. */
const TEXT_TESTS: Readonly<Record<string, (text: string, wanted: string) => boolean>> = {
  contains: (text, wanted) => text.includes(wanted),
  startsWith: (text, wanted) => text.startsWith(wanted),
  endsWith: (text, wanted) => text.endsWith(wanted),
};

function toKey(name: string): string {
  return name.replace(/^\$|[_\s-]/g, '').toLowerCase();
}

/**
 * Reads a condition.
 *
 * All members must match; a bare value means `equals`, a list `in`. Of a member with several values, as in a list, one value must pass all of its
 * operators. Members inside a member are written nested or dotted.
 *
 * @throws {SelectionError} for an unknown member or operator, a value that does not fit, or too large a condition.
 */
export function readCondition(given: Readonly<Record<string, unknown>>, place: Place): Condition {
  const reader = new ConditionReader();
  const accepts = reader.readAll(given, place, 0);
  return { accepts, members: reader.members, terms: reader.terms, almost: () => reader.almost };
}

class ConditionReader {
  readonly members: Member[] = [];
  readonly terms: Term[] = [];
  almost = 0;
  #tests = 0;
  /** Levels of alternatives, negations and members inside of members around what is read. */
  #inside = 0;

  /** A condition on the members of a place: all must hold. */
  readAll(given: unknown, place: Place, depth: number): Test {
    if (!isObject(given)) refuse(`a condition must be an object such as ${EXAMPLE} (got ${shown(given)})`);
    if (depth > MAX_DEPTH) refuse(`it is nested deeper than ${MAX_DEPTH} levels`);
    const tests = Object.entries(given).map(([name, inner]) => {
      const operator = operatorIn(place, name);
      if (operator === undefined || !LOGICAL.has(operator)) return this.#readMember(name, inner, place, depth);
      return this.#readLogical(operator, inner, (one) => this.readAll(one, place, depth + 1));
    });
    return (item) => tests.every((test) => test(item));
  }

  /** `and`, `or` and `not` of what `read` reads. */
  #readLogical(operator: string, given: unknown, read: (one: unknown) => Test): Test {
    if (operator === 'not') {
      const test = this.#readInside(() => read(given));
      return (item) => !test(item);
    }
    const list = isObject(given) ? Object.entries(given).map(([name, one]) => ({ [name]: one })) : given;
    if (!Array.isArray(list) || list.length === 0) refuse(`"${operator}" must be a list of conditions`);
    if (list.length > MAX_TESTS) refuse(`"${operator}" has more than ${MAX_TESTS} conditions`);
    const tests = operator === 'or' ? this.#readInside(() => list.map(read)) : list.map(read);
    return (item) => (operator === 'or' ? tests.some((test) => test(item)) : tests.every((test) => test(item)));
  }

  #readInside<Read>(read: () => Read): Read {
    this.#inside += 1;
    const result = read();
    this.#inside -= 1;
    return result;
  }

  #readMember(name: string, given: unknown, place: Place, depth: number): Test {
    if (operatorIn(place, name) !== undefined && listsMembers(place)) {
      refuse(`the operator "${name}" needs a member, such as {"name": {"${name}": ${shown(given)}}}`);
    }
    const member = toMember(place, name);
    if (place.list !== '') this.members.push(member);
    const test = this.#readValues(member, given, place, depth);
    return (item) => test(valuesAt(item, member.path));
  }

  /** A test of all values of a member. */
  #readValues(member: Member, given: unknown, place: Place, depth: number): (values: readonly unknown[]) => boolean {
    if (given === null) return this.#readExists(false);
    if (Array.isArray(given)) return anyOf([this.#readLeaf('in', given, member)]);
    if (!isContainer(given)) return anyOf([this.#readLeaf('equals', given, member)]);
    if (depth > MAX_DEPTH) refuse(`it is nested deeper than ${MAX_DEPTH} levels`);
    const below = placeBelow(place, member);
    const one: Test[] = [];
    const whole: ((values: readonly unknown[]) => boolean)[] = [];
    const inner: Record<string, unknown> = Object.create(null);
    for (const [name, operand] of Object.entries(given)) {
      const operator = operatorIn(below, name);
      const again = (part: unknown) => this.#readValues(member, part, place, depth + 1) as Test;
      if (operator === undefined) {
        refuseOperator(name, member, below);
        inner[name] = operand;
      } else if (operator === 'exists') whole.push(this.#readExists(operand));
      else if (LOGICAL.has(operator)) whole.push(this.#readLogical(operator, operand, again));
      else if (operand === null && operator === 'equals') whole.push(this.#readExists(false));
      else one.push(this.#readLeaf(operator, operand, member));
    }
    if (Object.keys(inner).length > 0) {
      const test = this.#readInside(() => this.readAll(inner, below, depth + 1));
      one.push((value) => isContainer(value) && test(value));
    }
    if (one.length > 0) whole.push(anyOf(one));
    if (whole.length === 0) refuse(`"${member.name}" has no operator. Operators: ${DOCUMENTED.join(', ')}`);
    return (values) => whole.every((test) => test(values));
  }

  /** A test of one value. */
  #readLeaf(operator: string, given: unknown, member: Member): Test {
    this.#count();
    const operand = Array.isArray(given) ? given.map(plain) : plain(given);
    if (this.#inside === 0) this.terms.push({ member: member.name, operator, operand });
    if (operator === 'in') return this.#readList(operand, member);
    const value = toScalar(operand, operator, member);
    const relation = RELATIONS[operator];
    if (relation !== undefined) {
      const bound = toBound(value, operator === 'before' || operator === 'after');
      const isTime = bound.period !== null || bound.number !== null;
      if ((operator === 'before' || operator === 'after') && !isTime) {
        refuse(`"${member.name}" must be compared with a date such as "2026-01-31" (got ${shown(operand)})`);
      }
      return (one) => isRelated(one, relation, bound);
    }
    if (operator === 'equals') return this.#readEquals([value]);
    const wanted = String(value).toLowerCase();
    const holds = TEXT_TESTS[operator];
    return (one) => {
      const text = textOf(one);
      return text !== null && holds?.(text, wanted) === true;
    };
  }

  /** Looked up by its text, because a list may be compared with many values. */
  #readEquals(values: readonly Scalar[]): Test {
    const texts = new Set(values.map(String));
    const lower = new Set(values.map((value) => String(value).toLowerCase()));
    const periods = values.flatMap((value) => (typeof value === 'string' ? (periodOf(value) ?? []) : []));
    return (one) => {
      const value = plain(one);
      if (!isScalar(value)) return false;
      const text = String(value);
      if (texts.has(text)) return true;
      const time = periods.length === 0 || typeof value !== 'string' ? null : periodOf(value);
      if (time !== null) return periods.some(({ from, to }) => time.from >= from && time.to <= to);
      if (text.length <= MAX_TEXT_LENGTH && lower.has(text.toLowerCase())) this.almost += 1;
      return false;
    };
  }

  #readList(operand: unknown, member: Member): Test {
    if (!Array.isArray(operand) || operand.length === 0) {
      refuse(`"in" of "${member.name}" must be a list such as ["a", "b"] (got ${shown(operand)})`);
    }
    if (operand.length > MAX_LISTED) refuse(`"in" of "${member.name}" has more than ${MAX_LISTED} values`);
    return this.#readEquals(operand.map((one) => toScalar(one, 'in', member)));
  }

  #readExists(operand: unknown): (values: readonly unknown[]) => boolean {
    this.#count();
    const wanted = operand === 'false' ? false : operand === 'true' ? true : operand;
    if (typeof wanted !== 'boolean') return refuse(`"exists" must be true or false (got ${shown(operand)})`);
    return (values) => isThere(values) === wanted;
  }

  #count(): void {
    this.#tests += 1;
    if (this.#tests > MAX_TESTS) refuse(`it has more than ${MAX_TESTS} tests`);
  }
}

/** One value passes all tests. */
function anyOf(tests: readonly Test[]): (values: readonly unknown[]) => boolean {
  return (values) => values.some((value) => tests.every((test) => test(value)));
}

function isThere(values: readonly unknown[]): boolean {
  return values.some((value) => value !== null && value !== undefined);
}

/** Returns the operator that a name means, or undefined if the name is a member or unknown. */
function operatorIn(place: Place, name: string): string | undefined {
  const operator = OPERATORS.get(toKey(name));
  return operator !== undefined && (name.startsWith('$') || !hasMember(place, name)) ? operator : undefined;
}

/** Refuses a name that is probably meant as an operator, where members are not listed. */
function refuseOperator(name: string, member: Member, below: Place): void {
  if (listsMembers(below)) return;
  const [nearest] = findNearest(name.replace(/^\$/, ''), DOCUMENTED);
  if (nearest === undefined && !UNSUPPORTED.has(toKey(name)) && !name.startsWith('$')) return;
  const hint = nearest === undefined ? `Operators: ${DOCUMENTED.join(', ')}` : `Did you mean "${nearest}"?`;
  const short = name.slice(0, MAX_SHOWN_LENGTH);
  refuse(`unknown operator "${short}" of "${member.name}". ${hint} A member in it is "${member.name}.${short}"`);
}

function toScalar(operand: unknown, operator: string, { name }: Member): Scalar {
  if (typeof operand === 'string' && operand.length > MAX_TEXT_LENGTH) {
    refuse(`"${operator}" of "${name}" has more than ${MAX_TEXT_LENGTH} characters`);
  }
  if (typeof operand === 'string' || typeof operand === 'number' || typeof operand === 'boolean') return operand;
  const way = operand === null ? '; for a missing value write {"exists": false}' : '';
  return refuse(`"${operator}" of "${name}" must be a text, a number, true or false (got ${shown(operand)})${way}`);
}

function textOf(given: unknown): string | null {
  const value = plain(given);
  if (typeof value === 'string') return value.toLowerCase();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`;
}

function refuse(problem: string): never {
  throw new SelectionError('where', `"where": ${problem}.`);
}
