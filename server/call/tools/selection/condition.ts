/** The argument `where`: reads a condition on the items of a list, and tests items. Never a regular expression of the caller's. */

import { isObject } from '../json.ts';
import { findNearest } from '../nearest.ts';
import { isContainer } from '../results/measure.ts';
import { isRelated, isScalar, periodOf, type Relation, type Scalar, toBound } from './compare.ts';
import {
  createInnerLookup,
  hasMember,
  holdsNoMembers,
  holdsOnlyMembers,
  type Member,
  type MemberLookup,
  memberNamesOf,
  SelectionError,
  toMember,
  unwrapRawNumber,
  valuesAt,
} from './items.ts';
import { ITEM, memberAt, narrowScope, type TestedMember } from './tested-members.ts';

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
  /** The members that it tests, of items and of elements in them. */
  readonly tested: readonly TestedMember[];
  /** Every term outside of `not`, by the full name of its member. */
  readonly namedTerms: readonly Term[];
  /** Terms that hold for every accepted item. */
  readonly terms: readonly Term[];
  /** Texts that differed from a wanted one only in upper and lower case, so far. */
  readonly countCaseMismatches: () => number;
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
  }).flatMap(([name, aliases]) => aliases.split(' ').map((alias) => [toKey(alias), name] as const)),
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

/** Names of SQL for a text with `%` at its ends. */
const LIKE = new Set(['like', 'ilike']);

/** Tests of texts in lower case. */
const TEXT_TESTS: Readonly<Record<string, (text: string, operand: string) => boolean>> = {
  contains: (text, operand) => text.includes(operand),
  startsWith: (text, operand) => text.startsWith(operand),
  endsWith: (text, operand) => text.endsWith(operand),
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
export function readCondition(input: Readonly<Record<string, unknown>>, lookup: MemberLookup): Condition {
  const reader = new ConditionReader();
  const accepts = reader.readAll(input, lookup, 0);
  const { tested, namedTerms, terms } = reader;
  return { accepts, tested, namedTerms, terms, countCaseMismatches: () => reader.caseMismatches };
}

class ConditionReader {
  readonly tested: TestedMember[] = [];
  readonly namedTerms: Term[] = [];
  readonly terms: Term[] = [];
  caseMismatches = 0;
  #tests = 0;
  /** Levels of alternatives, negations and members inside of members around what is read. */
  #inside = 0;
  #negations = 0;
  #scope = ITEM;

  /** A condition on the members of a place: all must hold. */
  readAll(input: unknown, lookup: MemberLookup, depth: number): Test {
    if (!isObject(input)) refuse(`a condition must be an object such as ${EXAMPLE} (got ${quoteValue(input)})`);
    if (depth > MAX_DEPTH) refuse(`it is nested deeper than ${MAX_DEPTH} levels`);
    const outerScope = this.#scope;
    const tests: Test[] = [];
    for (const [index, [name, inner]] of Object.entries(input).entries()) {
      // `tests` is complete when this runs, with one test for each entry in order.
      const passesOthers: Test = (object) => tests.every((test, other) => other === index || test(object));
      if (outerScope !== ITEM) this.#scope = narrowScope(outerScope, passesOthers);
      const operator = operatorIn(lookup, name);
      if (operator === undefined || !LOGICAL.has(operator)) tests.push(this.#readMember(name, inner, lookup, depth));
      else tests.push(this.#readLogical(operator, inner, (branch) => this.readAll(branch, lookup, depth + 1)));
    }
    this.#scope = outerScope;
    return (item) => tests.every((test) => test(item));
  }

  /** `and`, `or` and `not` of what `read` reads. */
  #readLogical(operator: string, input: unknown, read: (branch: unknown) => Test): Test {
    if (operator === 'not') {
      this.#negations += 1;
      const test = this.#readInside(() => read(input));
      this.#negations -= 1;
      return (item) => !test(item);
    }
    const list = isObject(input) ? Object.entries(input).map(([name, branch]) => ({ [name]: branch })) : input;
    if (!Array.isArray(list) || list.length === 0) refuse(`"${operator}" must be a list of conditions`);
    if (list.length > MAX_TESTS) refuse(`"${operator}" has more than ${MAX_TESTS} conditions`);
    const tests = operator === 'or' ? this.#readInside(() => list.map(read)) : list.map(read);
    return (item) => (operator === 'or' ? tests.some((test) => test(item)) : tests.every((test) => test(item)));
  }

  #readInside<Result>(read: () => Result): Result {
    this.#inside += 1;
    const result = read();
    this.#inside -= 1;
    return result;
  }

  /** Reads a condition on the objects that a member holds. */
  #readElements(member: Member, read: () => Test): Test {
    const outerScope = this.#scope;
    const { path, objectsIn } = outerScope;
    this.#scope = {
      path: [...path, ...member.path],
      objectsIn: (item, elements) =>
        objectsIn(item, elements).flatMap((object) => valuesAt(object, member.path).filter(isContainer)),
    };
    const test = this.#readInside(read);
    this.#scope = outerScope;
    return test;
  }

  #readMember(name: string, input: unknown, lookup: MemberLookup, depth: number): Test {
    if (operatorIn(lookup, name) !== undefined && memberNamesOf(lookup).length > 0) {
      refuse(`the operator "${name}" needs a member, such as {"name": {"${name}": ${quoteValue(input)}}}`);
    }
    const member = toMember(lookup, name);
    const { path, objectsIn } = this.#scope;
    this.tested.push({
      member: memberAt([...path, ...member.path]),
      valuesIn: (item, elements) => objectsIn(item, elements).flatMap((object) => valuesAt(object, member.path)),
    });
    const test = this.#readValues(member, input, lookup, depth);
    return (item) => test(valuesAt(item, member.path));
  }

  /** A test of all values of a member. */
  #readValues(
    member: Member,
    input: unknown,
    lookup: MemberLookup,
    depth: number,
  ): (values: readonly unknown[]) => boolean {
    if (input === null) return this.#readExists(false);
    const innerLookup = createInnerLookup(lookup, member);
    const [innerName] = holdsOnlyMembers(lookup, member) ? memberNamesOf(innerLookup) : [];
    const readLeaf = (operator: string, operand: unknown): Test => {
      if (innerName === undefined) return this.#readLeaf(operator, operand, member);
      const way = `Name one of them, such as "${member.name}.${innerName}"`;
      return refuse(`"${operator}" cannot test "${member.name}", which has members. ${way}`);
    };
    if (Array.isArray(input)) return anyOf([readLeaf('in', input)]);
    if (!isContainer(input)) return anyOf([readLeaf('equals', input)]);
    if (depth > MAX_DEPTH) refuse(`it is nested deeper than ${MAX_DEPTH} levels`);
    const valueTests: Test[] = [];
    const memberTests: ((values: readonly unknown[]) => boolean)[] = [];
    const innerMembers: Record<string, unknown> = Object.create(null);
    for (const [name, operand] of Object.entries(input)) {
      const operator = operatorIn(innerLookup, name);
      const readBranch = (branch: unknown) => this.#readValues(member, branch, lookup, depth + 1) as Test;
      if (operator === undefined) innerMembers[name] = operand;
      else if (operator === 'exists') memberTests.push(this.#readExists(operand));
      else if (LOGICAL.has(operator)) memberTests.push(this.#readLogical(operator, operand, readBranch));
      else if (operand === null && operator === 'equals') memberTests.push(this.#readExists(false));
      else if (LIKE.has(toKey(name))) valueTests.push(readLeaf(...toLike(operand, member)));
      else valueTests.push(readLeaf(operator, operand));
    }
    const isValue = valueTests.length > 0 || holdsNoMembers(lookup, member);
    for (const name of Object.keys(innerMembers)) checkInnerName(name, member, innerLookup, isValue);
    if (Object.keys(innerMembers).length > 0) {
      const test = this.#readElements(member, () => this.readAll(innerMembers, innerLookup, depth + 1));
      valueTests.push((value) => isContainer(value) && test(value));
    }
    if (valueTests.length > 0) memberTests.push(anyOf(valueTests));
    if (memberTests.length === 0) refuse(`"${member.name}" has no operator. Operators: ${DOCUMENTED.join(', ')}`);
    return (values) => memberTests.every((test) => test(values));
  }

  /** A test of one value. */
  #readLeaf(operator: string, input: unknown, member: Member): Test {
    this.#count();
    const operand = Array.isArray(input) ? input.map(unwrapRawNumber) : unwrapRawNumber(input);
    if (this.#inside === 0) this.terms.push({ member: member.name, operator, operand });
    if (this.#negations === 0) {
      const { name } = memberAt([...this.#scope.path, ...member.path]);
      this.namedTerms.push({ member: name, operator, operand });
    }
    if (operator === 'in') return this.#readList(operand, member);
    const value = toScalar(operand, operator, member);
    const relation = RELATIONS[operator];
    if (relation !== undefined) {
      const bound = toBound(value, operator === 'before' || operator === 'after');
      const isTime = bound.period !== null || bound.number !== null;
      if ((operator === 'before' || operator === 'after') && !isTime) {
        refuse(`"${member.name}" must be compared with a date such as "2026-01-31" (got ${quoteValue(operand)})`);
      }
      return (itemValue) => isRelated(itemValue, relation, bound);
    }
    if (operator === 'equals') return this.#readEquals([value]);
    const lowerOperand = String(value).toLowerCase();
    const textTest = TEXT_TESTS[operator];
    return (itemValue) => {
      const text = textOf(itemValue);
      return text !== null && textTest?.(text, lowerOperand) === true;
    };
  }

  /** Looked up by its text, because a list may be compared with many values. */
  #readEquals(values: readonly Scalar[]): Test {
    const texts = new Set(values.map(String));
    const lowerTexts = new Set(values.map((value) => String(value).toLowerCase()));
    const periods = values.flatMap((value) => (typeof value === 'string' ? (periodOf(value) ?? []) : []));
    return (itemValue) => {
      const value = unwrapRawNumber(itemValue);
      if (!isScalar(value)) return false;
      const text = String(value);
      if (texts.has(text)) return true;
      const time = periods.length === 0 || typeof value !== 'string' ? null : periodOf(value);
      if (time !== null) return periods.some(({ from, to }) => time.from >= from && time.to <= to);
      if (text.length <= MAX_TEXT_LENGTH && lowerTexts.has(text.toLowerCase())) this.caseMismatches += 1;
      return false;
    };
  }

  #readList(operand: unknown, member: Member): Test {
    if (!Array.isArray(operand) || operand.length === 0) {
      refuse(`"in" of "${member.name}" must be a list such as ["a", "b"] (got ${quoteValue(operand)})`);
    }
    if (operand.length > MAX_LISTED) refuse(`"in" of "${member.name}" has more than ${MAX_LISTED} values`);
    return this.#readEquals(operand.map((element) => toScalar(element, 'in', member)));
  }

  #readExists(operand: unknown): (values: readonly unknown[]) => boolean {
    this.#count();
    const expected = BOOLEAN_TEXTS.get(operand) ?? operand;
    if (typeof expected !== 'boolean') return refuse(`"exists" must be true or false (got ${quoteValue(operand)})`);
    return (values) => values.some((value) => value !== null && value !== undefined) === expected;
  }

  #count(): void {
    this.#tests += 1;
    if (this.#tests > MAX_TESTS) refuse(`it has more than ${MAX_TESTS} tests`);
  }
}

/** Returns the operator and text of a pattern of SQL: `%` at its ends stands for any text, and may be left out. */
function toLike(pattern: unknown, { name }: Member): [operator: string, operand: unknown] {
  if (typeof pattern !== 'string') return ['contains', pattern];
  const [, start = '', text = '', end = ''] = /^(%?)(.*?)(%?)$/s.exec(pattern) ?? [];
  if (text.includes('%')) {
    refuse(
      `"like" of "${name}" takes % at the ends of its text only. For more parts write {"and": [{"startsWith": "a"}, {"contains": "b"}]}`,
    );
  }
  if (start === end) return ['contains', text];
  return [start === '' ? 'startsWith' : 'endsWith', text];
}

/** Booleans that a caller wrote as texts. */
const BOOLEAN_TEXTS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** One value passes all tests. */
function anyOf(tests: readonly Test[]): (values: readonly unknown[]) => boolean {
  return (values) => values.some((value) => tests.every((test) => test(value)));
}

/** Returns the operator that a name means, or undefined if the name is a member or unknown. */
function operatorIn(lookup: MemberLookup, name: string): string | undefined {
  const operator = OPERATORS.get(toKey(name));
  return operator !== undefined && (name.startsWith('$') || !hasMember(lookup, name)) ? operator : undefined;
}

/**
 * Refuses a name in the condition on a member that cannot be a member inside of it: one that is next to a test of the value itself, or that is
 * probably meant as an operator where members are not listed.
 *
 * @param isValue true if the member has a value without members.
 */
function checkInnerName(name: string, member: Member, lookup: MemberLookup, isValue: boolean): void {
  const short = name.slice(0, MAX_SHOWN_LENGTH);
  const isListed = memberNamesOf(lookup).length > 0;
  if (isListed && hasMember(lookup, name)) {
    if (isValue) refuse(`"${short}" of "${member.name}" is next to an operator. Write it as "${member.name}.${short}"`);
    return;
  }
  const [nearest] = findNearest(name.replace(/^\$/, ''), DOCUMENTED);
  const isLikeOperator = nearest !== undefined || UNSUPPORTED.has(toKey(name)) || name.startsWith('$');
  if (!isValue && (isListed || !isLikeOperator)) return;
  const hint = nearest === undefined ? `Operators: ${DOCUMENTED.join(', ')}` : `Did you mean "${nearest}"?`;
  const way = isValue ? '' : ` A member in it is "${member.name}.${short}"`;
  refuse(`unknown operator "${short}" of "${member.name}". ${hint}${way}`);
}

function toScalar(operand: unknown, operator: string, { name }: Member): Scalar {
  if (typeof operand === 'string' && operand.length > MAX_TEXT_LENGTH) {
    refuse(`"${operator}" of "${name}" has more than ${MAX_TEXT_LENGTH} characters`);
  }
  if (typeof operand === 'string' || typeof operand === 'number' || typeof operand === 'boolean') return operand;
  const hint = operand === null ? '; for a missing value write {"exists": false}' : '';
  return refuse(
    `"${operator}" of "${name}" must be a text, a number, true or false (got ${quoteValue(operand)})${hint}`,
  );
}

function textOf(rawValue: unknown): string | null {
  const value = unwrapRawNumber(rawValue);
  if (typeof value === 'string') return value.toLowerCase();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function quoteValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`;
}

function refuse(problem: string): never {
  throw new SelectionError('where', `"where": ${problem}.`);
}
