/** Cuts an answer to a size: whole parts from a position on, and the position where the rest begins. */

import { isContainer, pieceThatFits, type SizeOf } from './measure.ts';

/**
 * A place in an answer, from the root down: the index of an element, or of a member among the object's names; inside a
 * text, the offset in UTF-16 code units.
 */
export type Position = readonly number[];

/** The shown range of an array, object or text that is not shown whole. */
export interface ShownPart {
  /** Path of the part, such as `data[0].lines`. Empty for the answer itself. */
  readonly at: string;
  readonly of: 'elements' | 'members' | 'characters';
  /** First index, from 0. */
  readonly from: number;
  /** Last index, exclusive. */
  readonly to: number;
  readonly total: number;
}

/** One part of an answer. */
export interface Cut {
  readonly value: unknown;
  /** Position at which the rest begins. Null if there is no rest. */
  readonly next: Position | null;
  /** Parts that were cut, outermost first. Empty if none was. */
  readonly shown: readonly ShownPart[];
}

/** Members up to this size are repeated around a continued part, so that it can be recognised. */
const MAX_CONTEXT_BYTES = 200;
/** The share of the room for repeated members. */
const CONTEXT_SHARE = 1 / 8;

interface Page {
  readonly sizeOf: SizeOf;
  /** Bytes of a part. Larger values must be divided. */
  readonly limit: number;
  readonly shown: ShownPart[];
  /** True if the part contains anything new. */
  hasNews: boolean;
}

interface Taken {
  readonly value: unknown;
  readonly bytes: number;
  readonly next: Position | null;
}

/**
 * Takes as much of an answer as fits.
 *
 * Members of an object are taken in order of size, texts and numbers first, so that the largest array is the member that is cut. Elements and objects
 * stay whole, unless one alone exceeds the limit; then its largest part is cut in the same way. A text is cut only if it alone exceeds the limit.
 * Continuing from each `next` shows everything exactly once, apart from the repeated small members of enclosing objects.
 *
 * @param options.sizeOf for this value.
 * @param options.limit bytes, the same for all parts of one answer.
 * @returns null if nothing new fits, or the position does not exist.
 */
export function cut(
  value: unknown,
  from: Position | null,
  { sizeOf, limit }: { readonly sizeOf: SizeOf; readonly limit: number },
): Cut | null {
  const page: Page = { sizeOf, limit, shown: [], hasNews: false };
  const taken = take(value, { from: from ?? [], room: limit, at: '' }, page);
  if (taken === null || !page.hasNews) return null;
  return { value: taken.value, next: taken.next, shown: page.shown.toReversed() };
}

interface Place {
  readonly from: Position;
  readonly room: number;
  readonly at: string;
}

function take(value: unknown, place: Place, page: Page): Taken | null {
  const size = page.sizeOf(value);
  if (place.from.length === 0 && size <= place.room) {
    page.hasNews = true;
    return { value, bytes: size, next: null };
  }
  if (typeof value === 'string') return takeText(value, place, page);
  if (Array.isArray(value)) return takeElements(value, place, page);
  return isContainer(value) ? takeMembers(value as Record<string, unknown>, place, page) : null;
}

/** True if a part that does not fit is divided: it is too large for any part of the answer, or nothing else is shown yet. */
function mustOpen(value: unknown, page: Page): boolean {
  return page.sizeOf(value) > page.limit * (1 - CONTEXT_SHARE) || !page.hasNews;
}

function takeText(text: string, { from: [offset = 0], room, at }: Place, page: Page): Taken | null {
  const { piece, to } = pieceThatFits(text, offset, room);
  if (to === offset) return null;
  page.hasNews = true;
  if (offset > 0 || to < text.length) {
    page.shown.push({ at, of: 'characters', from: offset, to, total: text.length });
  }
  return { value: piece, bytes: page.sizeOf(piece), next: to < text.length ? [to] : null };
}

function takeElements(array: readonly unknown[], { from, room, at }: Place, page: Page): Taken | null {
  const [start = 0, ...inside] = from;
  const elements: unknown[] = [];
  let bytes = 2;
  let next: Position | null = null;
  let index = start;
  for (; index < array.length && next === null; index += 1) {
    const comma = elements.length === 0 ? 0 : 1;
    const inner = index === start ? inside : [];
    const fits = inner.length === 0 && page.sizeOf(array[index]) <= room - bytes - comma;
    const opens = inner.length > 0 || fits || (elements.length === 0 && mustOpen(array[index], page));
    const place = { from: inner, room: room - bytes - comma, at: `${at}[${index}]` };
    const taken = opens ? take(array[index], place, page) : null;
    if (taken === null) {
      next = [index];
      break;
    }
    elements.push(taken.value);
    bytes += taken.bytes + comma;
    if (taken.next !== null) next = [index, ...taken.next];
  }
  if (elements.length === 0) return null;
  if (start > 0 || next !== null) {
    page.shown.push({ at, of: 'elements', from: start, to: start + elements.length, total: array.length });
  }
  return { value: elements, bytes, next };
}

function takeMembers(object: Readonly<Record<string, unknown>>, { from, room, at }: Place, page: Page): Taken | null {
  const names = Object.keys(object);
  const order = inOrder(object, names, page);
  const [member, ...inside] = from;
  const start = member === undefined ? 0 : order.indexOf(member);
  if (start < 0) return null;
  const kept = new Map<number, unknown>();
  let bytes = 2;
  const keep = (index: number, taken: Pick<Taken, 'value' | 'bytes'>) => {
    bytes += overheadOf(index) + taken.bytes;
    kept.set(index, taken.value);
  };
  const overheadOf = (index: number) => page.sizeOf(names[index]) + 1 + (kept.size === 0 ? 0 : 1);

  const goesOn = inside.length > 0 || isContainer(object[names[order[start] ?? 0] ?? '']);
  for (const index of goesOn ? order.slice(0, start) : []) {
    const value = object[names[index] ?? ''];
    const size = page.sizeOf(value);
    const isContext = !isContainer(value) && size <= MAX_CONTEXT_BYTES;
    if (isContext && bytes + overheadOf(index) + size <= room * CONTEXT_SHARE) keep(index, { value, bytes: size });
  }
  let next: Position | null = null;
  let reached = start;
  for (; reached < order.length && next === null; reached += 1) {
    const index = order[reached] ?? 0;
    const value = object[names[index] ?? ''];
    const left = room - bytes - overheadOf(index);
    const inner = reached === start ? inside : [];
    const opens = inner.length > 0 || page.sizeOf(value) <= left || Array.isArray(value) || mustOpen(value, page);
    const taken = opens ? take(value, { from: inner, room: left, at: join(at, names[index] ?? '') }, page) : null;
    if (taken === null) {
      next = [index];
      break;
    }
    keep(index, taken);
    if (taken.next !== null) next = [index, ...taken.next];
  }
  if (kept.size === 0) return null;
  noteUnreached(
    object,
    order.slice(reached).map((index) => names[index] ?? ''),
    at,
    page,
  );
  const members = names.flatMap((name, index) => (kept.has(index) ? [[name, kept.get(index)] as const] : []));
  return { value: Object.fromEntries(members), bytes, next };
}

/** Indexes of members in the order in which they are taken: small leaves first, then by size. */
function inOrder(object: Readonly<Record<string, unknown>>, names: readonly string[], page: Page): number[] {
  const ranked = names.map((name, index) => {
    const value = object[name];
    const size = page.sizeOf(value);
    const count = isContainer(value) ? Object.keys(value).length : 0;
    return {
      index,
      size: Math.min(size, page.limit + 1 + count),
      isLater: isContainer(value) || size > page.limit / 2,
    };
  });
  return ranked.sort((a, b) => Number(a.isLater) - Number(b.isLater) || a.size - b.size).map(({ index }) => index);
}

const MAX_NAMED_UNREACHED = 3;

/** Notes the members of an object that were not shown at all: a few by name, or else their number. */
function noteUnreached(
  object: Readonly<Record<string, unknown>>,
  unreached: readonly string[],
  at: string,
  page: Page,
): void {
  if (unreached.length > MAX_NAMED_UNREACHED) {
    const total = Object.keys(object).length;
    page.shown.push({ at, of: 'members', from: 0, to: total - unreached.length, total });
    return;
  }
  for (const name of unreached) {
    const value = object[name];
    const total = isContainer(value) ? Object.keys(value).length : String(value).length;
    const of = Array.isArray(value) ? 'elements' : isContainer(value) ? 'members' : 'characters';
    page.shown.push({ at: join(at, name), of, from: 0, to: 0, total });
  }
}

const MAX_NAME_LENGTH = 40;

function join(at: string, name: string): string {
  const short = name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}…`;
  return at === '' ? short : `${at}.${short}`;
}
