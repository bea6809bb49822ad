/** The argument `aggregate`: numbers about the items of a list, computed item by item without keeping them. */

import { isObject } from '../json.ts';
import { findNearest } from '../nearest.ts';
import { compareRanks, numberOf, rankOf, timeOf } from './compare.ts';
import { ExactSum } from './exact-sum.ts';
import { type Member, type Place, plain, SelectionError, toMember, valuesAt } from './items.ts';
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

/** The figures to compute, and their groups. */
export interface Aggregate {
  readonly figures: readonly Figure[];
  readonly by: Member | null;
  /** Number of characters of the date that form the group. Null if the value itself does. */
  readonly per: number | null;
  readonly members: readonly Member[];
}

/** Reads the argument. @throws {SelectionError} for an unknown name or member. */
export function readAggregate(given: Readonly<Record<string, unknown>>, place: Place): Aggregate {
  const entries = Object.entries(given).map(([name, value]) => [OTHER_NAMES.get(name) ?? name, value] as const);
  const wanted = new Map<string, unknown>(entries);
  const unknown = [...wanted.keys()].find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    const [nearest] = findNearest(unknown, NAMES);
    const hint = nearest === undefined ? `Known: ${NAMES.join(', ')}.` : `Did you mean "${nearest}"?`;
    refuse(`has no "${unknown.slice(0, MAX_KEY_LENGTH)}". ${hint}`);
  }
  const figures = KINDS.flatMap((kind) => {
    const names = [wanted.get(kind) ?? []].flat();
    return names.map((name): Figure => ({ kind, member: toOne(name, kind, place), isNamed: names.length > 1 }));
  });
  if (figures.length > MAX_FIGURES) refuse(`has more than ${MAX_FIGURES} figures.`);
  const { by, per } = readGroups(wanted.get('by') ?? null, wanted.get('per') ?? null, place);
  const members = [...figures.map(({ member }) => member), ...(by === null ? [] : [by])];
  return { figures, by, per, members };
}

function readGroups(by: unknown, per: unknown, place: Place): Pick<Aggregate, 'by' | 'per'> {
  const [nested] = isObject(by) ? Object.entries(by) : [];
  const [period, name] = nested ?? [per, by];
  if (period !== null && !PERIODS.has(period)) {
    refuse(
      `"per" must be ${[...PERIODS.keys()].join(', ')} (got ${JSON.stringify(period)?.slice(0, MAX_KEY_LENGTH)}).`,
    );
  }
  if (name === null && period !== null) refuse('"per" needs "by", a member with dates.');
  return { by: name === null ? null : toOne(name, 'by', place), per: PERIODS.get(period) ?? null };
}

function toOne(name: unknown, kind: string, place: Place): Member {
  if (typeof name === 'string') return toMember(place, name);
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

  /** @param at the place of the item in the order, for `first` and `last`. */
  add(value: unknown, at: Ranks): void {
    if (this.#kind === 'sum' || this.#kind === 'average') this.#sum.add(numberOf(value));
    else this.#addRanked(value, at);
  }

  #addRanked(value: unknown, at: Ranks): void {
    const isPlaced = this.#kind === 'first' || this.#kind === 'last';
    const rank = rankOf(value);
    if (!isPlaced && rank === null) return;
    const ranks = isPlaced ? at : [rank];
    const order = this.#best === null ? 0 : this.#compare(ranks, this.#best.ranks);
    const isLower = this.#kind === 'min' || this.#kind === 'first';
    if (this.#best === null || (isLower ? order < 0 : this.#kind === 'last' ? order >= 0 : order > 0)) {
      this.#best = { ranks, value };
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
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
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
    const at = this.#order?.ranksOf(item) ?? [date === null ? ([0, group.count] as const) : rankOf(timeOf(date)?.from)];
    for (const [index, { member, kind }] of this.#aggregate.figures.entries()) {
      const values = valuesAt(item, member.path);
      const used = kind === 'first' || kind === 'last' ? values.slice(0, 1) : values;
      for (const value of used) group.figures[index]?.add(value, at);
    }
  }

  /** The result, as JSON. Groups of periods are in their order, others by their count. */
  get result(): Record<string, unknown> {
    const whole = this.#write(this.#all);
    if (this.#aggregate.by === null) return whole;
    const { per } = this.#aggregate;
    const groups = [...this.#groups].sort(
      ([a, { count }], [b, { count: other }]) => (per === null ? other - count : 0) || ((a ?? '') < (b ?? '') ? -1 : 1),
    );
    return {
      ...whole,
      groups: groups.map(([key, group]) => ({ by: key, ...this.#write(group) })),
      ...(this.#others === null ? {} : { others: this.#write(this.#others) }),
    };
  }

  #write({ count, figures }: Group): Record<string, unknown> {
    const written: Record<string, unknown> = { count };
    for (const [index, { kind, member, isNamed }] of this.#aggregate.figures.entries()) {
      const value = figures[index]?.value ?? null;
      written[kind] = isNamed ? { ...(written[kind] as object | undefined), [member.name]: value } : value;
    }
    return written;
  }
}

/** The group of a value. */
function keyOf(given: unknown, per: number | null): string | null {
  const value = plain(given);
  if (per !== null) {
    const time = timeOf(value);
    const date = time === null ? null : new Date(time.from);
    return date === null || Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, per);
  }
  if (value === null || value === undefined) return null;
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_KEY_LENGTH);
}
