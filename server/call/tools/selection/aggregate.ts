/** The argument `aggregate`: numbers about the items of a list, computed item by item without keeping them. */

import { isObject } from '../json.ts';
import { findNearest } from '../nearest.ts';
import { compareRanks, numberOf, rankOf, timeOf } from './compare.ts';
import { ExactSum } from './exact-sum.ts';
import { type Member, type MemberLookup, SelectionError, toMember, unwrapRawNumber, valuesAt } from './items.ts';
import type { Order, Ranks } from './order.ts';

/** Groups of one answer; items of other groups are counted together. */
const MAX_GROUPS = 200;
const MAX_FIGURES = 10;
const MAX_KEY_LENGTH = 200;

const KINDS = ['min', 'max', 'sum', 'average', 'first', 'last'] as const;
type Kind = (typeof KINDS)[number];
/** Characters of an ISO date that name its period. */
const PERIODS: ReadonlyMap<unknown, number> = new Map([
  ['year', 4],
  ['month', 7],
  ['day', 10],
]);
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['avg', 'average'],
  ['mean', 'average'],
  ['groupBy', 'by'],
]);
const NAMES = ['count', ...KINDS, 'by', 'per'];
const EXAMPLE = '{"sum": "total", "by": "createdAt", "per": "month"}';

interface Figure {
  readonly kind: Kind;
  readonly member: Member;
  /** True if several members have this kind, so that the result names them. */
  readonly isNamed: boolean;
}

/** The groups of figures. */
interface Grouping {
  /** The member that groups. Null if all items are one group. */
  readonly by: Member | null;
  /** Number of characters of the date that form the group. Null if the value itself does. */
  readonly per: number | null;
}

/** The figures to compute, and their groups. */
export interface Aggregate extends Grouping {
  readonly figures: readonly Figure[];
  readonly members: readonly Member[];
}

/** Reads the argument. @throws {SelectionError} for an unknown name or member. */
export function readAggregate(input: Readonly<Record<string, unknown>>, lookup: MemberLookup): Aggregate {
  const entries = Object.entries(input).map(([name, value]) => [OTHER_NAMES.get(name) ?? name, value] as const);
  const valueByName = new Map<string, unknown>(entries);
  const unknownName = [...valueByName.keys()].find((name) => !NAMES.includes(name));
  if (unknownName !== undefined) {
    const [nearest] = findNearest(unknownName, NAMES);
    const hint = nearest === undefined ? `Known: ${NAMES.join(', ')}.` : `Did you mean "${nearest}"?`;
    refuse(`has no "${unknownName.slice(0, MAX_KEY_LENGTH)}". ${hint}`);
  }
  const figures = KINDS.flatMap((kind) => {
    const names = [valueByName.get(kind) ?? []].flat();
    return names.map((name): Figure => ({ kind, member: readMember(name, kind, lookup), isNamed: names.length > 1 }));
  });
  if (figures.length > MAX_FIGURES) refuse(`has more than ${MAX_FIGURES} figures.`);
  const { by, per } = readGroups(valueByName.get('by') ?? null, valueByName.get('per') ?? null, lookup);
  const members = figures.map(({ member }) => member);
  if (by !== null) members.push(by);
  return { figures, by, per, members };
}

function readGroups(by: unknown, per: unknown, lookup: MemberLookup): Grouping {
  const [nested] = isObject(by) ? Object.entries(by) : [];
  const [period, name] = nested ?? [per, by];
  if (period !== null && !PERIODS.has(period)) {
    refuse(
      `"per" must be ${[...PERIODS.keys()].join(', ')} (got ${JSON.stringify(period)?.slice(0, MAX_KEY_LENGTH)}).`,
    );
  }
  if (name === null && period !== null) refuse('"per" needs "by", a member with dates.');
  return { by: name === null ? null : readMember(name, 'by', lookup), per: PERIODS.get(period) ?? null };
}

function readMember(name: unknown, kind: string, lookup: MemberLookup): Member {
  if (typeof name === 'string') return toMember(lookup, name);
  return refuse(`"${kind}" must name a member, such as ${EXAMPLE}.`);
}

function refuse(problem: string): never {
  throw new SelectionError('aggregate', `"aggregate" ${problem}`);
}

/** Numbers so far: of figures, by their places. */
interface Group {
  count: number;
  readonly figures: FigureState[];
}

/** The state of one figure. */
class FigureState {
  readonly #sum = new ExactSum();
  #best: { readonly ranks: Ranks; readonly value: unknown } | null = null;
  readonly #kind: Kind;
  readonly #compare: (a: Ranks, b: Ranks) => number;

  constructor(kind: Kind, compare: (a: Ranks, b: Ranks) => number) {
    this.#kind = kind;
    this.#compare = kind === 'first' || kind === 'last' ? compare : compareFirst;
  }

  /** @param itemRanks the place of the item in the order, for `first` and `last`. */
  add(value: unknown, itemRanks: Ranks): void {
    if (this.#kind === 'sum' || this.#kind === 'average') this.#sum.add(numberOf(value));
    else this.#addRanked(value, itemRanks);
  }

  #addRanked(value: unknown, itemRanks: Ranks): void {
    const isPositional = this.#kind === 'first' || this.#kind === 'last';
    const rank = rankOf(value);
    if (!isPositional && rank === null) return;
    const ranks = isPositional ? itemRanks : [rank];
    if (this.#best === null || this.#replaces(this.#compare(ranks, this.#best.ranks))) this.#best = { ranks, value };
  }

  /** True if a value takes the place of the best one. @param order of the value to the best one: negative if it comes first. */
  #replaces(order: number): boolean {
    switch (this.#kind) {
      case 'min':
      case 'first':
        return order < 0;
      case 'last':
        return order >= 0;
      default:
        return order > 0;
    }
  }

  /** The figure's value. Null if no item had one. */
  get value(): unknown {
    if (this.#kind === 'sum') return this.#sum.total;
    if (this.#kind === 'average') return this.#sum.average;
    return this.#best?.value ?? null;
  }
}

function compareFirst([a = null]: Ranks, [b = null]: Ranks): number {
  return a === null || b === null ? Number(a === null) - Number(b === null) : compareRanks(a, b);
}

/** Adds items to the numbers of their groups. */
export class Aggregation {
  readonly #aggregate: Aggregate;
  readonly #order: Order | null;
  readonly #all: Group;
  readonly #groups = new Map<string | null, Group>();
  #others: Group | null = null;

  /** @param order for `first` and `last`, or null for the order of the date that groups, or else of the list. */
  constructor(aggregate: Aggregate, order: Order | null) {
    this.#aggregate = aggregate;
    this.#order = order;
    this.#all = this.#create();
  }

  add(item: unknown): void {
    const { by, per } = this.#aggregate;
    const keys = new Map(by === null ? [] : valuesAt(item, by.path).map((value) => [keyOf(value, per), value]));
    const [date = null] = per === null ? [] : keys.values();
    this.#addTo(this.#all, item, date);
    if (by === null) return;
    if (keys.size === 0) keys.set(null, null);
    for (const [key, value] of keys) this.#addTo(this.#groupOf(key), item, per === null ? null : value);
  }

  #create(): Group {
    const compare = (a: Ranks, b: Ranks) => this.#order?.compare(a, b) ?? compareFirst(a, b);
    return { count: 0, figures: this.#aggregate.figures.map(({ kind }) => new FigureState(kind, compare)) };
  }

  #groupOf(key: string | null): Group {
    const existingGroup = this.#groups.get(key);
    if (existingGroup !== undefined) return existingGroup;
    if (this.#groups.size >= MAX_GROUPS) {
      this.#others ??= this.#create();
      return this.#others;
    }
    const group = this.#create();
    this.#groups.set(key, group);
    return group;
  }

  #addTo(group: Group, item: unknown, date: unknown): void {
    group.count += 1;
    const itemRanks = this.#order?.ranksOf(item) ?? [
      date === null ? ([0, group.count] as const) : rankOf(timeOf(date)?.from),
    ];
    for (const [index, { member, kind }] of this.#aggregate.figures.entries()) {
      const values = valuesAt(item, member.path);
      const usedValues = kind === 'first' || kind === 'last' ? values.slice(0, 1) : values;
      for (const value of usedValues) group.figures[index]?.add(value, itemRanks);
    }
  }

  /** The result, as JSON. Groups of periods are in their order, others by their count. */
  get result(): Record<string, unknown> {
    const overall = this.#write(this.#all);
    if (this.#aggregate.by === null) return overall;
    const { per } = this.#aggregate;
    const groups = [...this.#groups].sort(([a, { count }], [b, { count: otherCount }]) => {
      if (per === null && count !== otherCount) return otherCount - count;
      return (a ?? '') < (b ?? '') ? -1 : 1;
    });
    const result = { ...overall, groups: groups.map(([key, group]) => ({ by: key, ...this.#write(group) })) };
    return this.#others === null ? result : { ...result, others: this.#write(this.#others) };
  }

  #write({ count, figures }: Group): Record<string, unknown> {
    const groupResult: Record<string, unknown> = { count };
    for (const [index, { kind, member, isNamed }] of this.#aggregate.figures.entries()) {
      const value = figures[index]?.value ?? null;
      groupResult[kind] = isNamed ? { ...(groupResult[kind] as object | undefined), [member.name]: value } : value;
    }
    return groupResult;
  }
}

/** The group of a value. */
function keyOf(rawValue: unknown, per: number | null): string | null {
  const value = unwrapRawNumber(rawValue);
  if (per !== null) {
    const time = timeOf(value);
    const date = time === null ? null : new Date(time.from);
    return date === null || Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, per);
  }
  if (value === null || value === undefined) return null;
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_KEY_LENGTH);
}
