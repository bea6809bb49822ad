/** Cuts an answer to a size: whole parts from a position on, and the position where the rest begins. */

import { isContainer, pieceThatFits, type SizeOf } from './measure.ts';

/**
 * A place in an answer, from the root down: the index of an element, or of a member among the object's names; inside a
 * text, the offset in UTF-16 code units.
 */
export type AnswerPosition = readonly number[];

/** The shown range of an array, object or text that is not shown whole. */
export interface ShownRange {
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
export interface AnswerPart {
  readonly value: unknown;
  /** Position at which the rest begins. Null if there is no rest. */
  readonly next: AnswerPosition | null;
  /** Parts that were cut, outermost first. Empty if none was. */
  readonly shownRanges: readonly ShownRange[];
}

/** Members up to this size are repeated around a continued part, so that it can be recognised. */
const MAX_CONTEXT_BYTES = 200;
/** The share of the room for repeated members. */
const CONTEXT_SHARE = 1 / 8;

interface CutState {
  readonly sizeOf: SizeOf;
  /** Bytes of a part. Larger values must be divided. */
  readonly limit: number;
  readonly shownRanges: ShownRange[];
  /** True if the part contains anything new. */
  hasNewContent: boolean;
}

interface MeasuredPart {
  readonly value: unknown;
  readonly bytes: number;
  readonly next: AnswerPosition | null;
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
  from: AnswerPosition | null,
  { sizeOf, limit }: { readonly sizeOf: SizeOf; readonly limit: number },
): AnswerPart | null {
  const state: CutState = { sizeOf, limit, shownRanges: [], hasNewContent: false };
  const measuredPart = take(value, { from: from ?? [], maxBytes: limit, at: '' }, state);
  if (measuredPart === null || !state.hasNewContent) return null;
  return { value: measuredPart.value, next: measuredPart.next, shownRanges: state.shownRanges.toReversed() };
}

interface PartBounds {
  readonly from: AnswerPosition;
  readonly maxBytes: number;
  readonly at: string;
}

function take(value: unknown, bounds: PartBounds, state: CutState): MeasuredPart | null {
  const size = state.sizeOf(value);
  if (bounds.from.length === 0 && size <= bounds.maxBytes) {
    state.hasNewContent = true;
    return { value, bytes: size, next: null };
  }
  if (typeof value === 'string') return takeText(value, bounds, state);
  if (Array.isArray(value)) return takeElements(value, bounds, state);
  return isContainer(value) ? takeMembers(value as Record<string, unknown>, bounds, state) : null;
}

/** True if a part that does not fit is divided: it is too large for any part of the answer, or nothing else is shown yet. */
function mustDivide(value: unknown, state: CutState): boolean {
  return state.sizeOf(value) > state.limit * (1 - CONTEXT_SHARE) || !state.hasNewContent;
}

function takeText(
  text: string,
  { from: [offset = 0], maxBytes, at }: PartBounds,
  state: CutState,
): MeasuredPart | null {
  const { piece, to } = pieceThatFits(text, offset, maxBytes);
  if (to === offset) return null;
  state.hasNewContent = true;
  if (offset > 0 || to < text.length) {
    state.shownRanges.push({ at, of: 'characters', from: offset, to, total: text.length });
  }
  return { value: piece, bytes: state.sizeOf(piece), next: to < text.length ? [to] : null };
}

function takeElements(
  array: readonly unknown[],
  { from, maxBytes, at }: PartBounds,
  state: CutState,
): MeasuredPart | null {
  const [start = 0, ...innerPosition] = from;
  const elements: unknown[] = [];
  let bytes = 2;
  let next: AnswerPosition | null = null;
  let index = start;
  for (; index < array.length && next === null; index += 1) {
    const comma = elements.length === 0 ? 0 : 1;
    const elementPosition = index === start ? innerPosition : [];
    const fits = elementPosition.length === 0 && state.sizeOf(array[index]) <= maxBytes - bytes - comma;
    const canTake = elementPosition.length > 0 || fits || (elements.length === 0 && mustDivide(array[index], state));
    const elementBounds = { from: elementPosition, maxBytes: maxBytes - bytes - comma, at: `${at}[${index}]` };
    const element = canTake ? take(array[index], elementBounds, state) : null;
    if (element === null) {
      next = [index];
      break;
    }
    elements.push(element.value);
    bytes += element.bytes + comma;
    if (element.next !== null) next = [index, ...element.next];
  }
  if (elements.length === 0) return null;
  if (start > 0 || next !== null) {
    state.shownRanges.push({ at, of: 'elements', from: start, to: start + elements.length, total: array.length });
  }
  return { value: elements, bytes, next };
}

function takeMembers(
  object: Readonly<Record<string, unknown>>,
  { from, maxBytes, at }: PartBounds,
  state: CutState,
): MeasuredPart | null {
  const memberNames = Object.keys(object);
  const memberOrder = orderMembers(object, memberNames, state);
  const [member, ...innerPosition] = from;
  const start = member === undefined ? 0 : memberOrder.indexOf(member);
  if (start < 0) return null;
  const valueByIndex = new Map<number, unknown>();
  let bytes = 2;
  const addMember = (index: number, value: unknown, valueBytes: number) => {
    bytes += overheadOf(index) + valueBytes;
    valueByIndex.set(index, value);
  };
  const overheadOf = (index: number) => state.sizeOf(memberNames[index]) + 1 + (valueByIndex.size === 0 ? 0 : 1);

  const repeatsContext = innerPosition.length > 0 || isContainer(object[memberNames[memberOrder[start] ?? 0] ?? '']);
  for (const index of repeatsContext ? memberOrder.slice(0, start) : []) {
    const value = object[memberNames[index] ?? ''];
    const size = state.sizeOf(value);
    const isContext = !isContainer(value) && size <= MAX_CONTEXT_BYTES;
    if (isContext && bytes + overheadOf(index) + size <= maxBytes * CONTEXT_SHARE) addMember(index, value, size);
  }
  let next: AnswerPosition | null = null;
  let orderIndex = start;
  for (; orderIndex < memberOrder.length && next === null; orderIndex += 1) {
    const index = memberOrder[orderIndex] ?? 0;
    const value = object[memberNames[index] ?? ''];
    const remainingBytes = maxBytes - bytes - overheadOf(index);
    const memberPosition = orderIndex === start ? innerPosition : [];
    const canTake =
      memberPosition.length > 0 ||
      state.sizeOf(value) <= remainingBytes ||
      Array.isArray(value) ||
      mustDivide(value, state);
    const memberPart = canTake
      ? take(
          value,
          { from: memberPosition, maxBytes: remainingBytes, at: joinPath(at, memberNames[index] ?? '') },
          state,
        )
      : null;
    if (memberPart === null) {
      next = [index];
      break;
    }
    addMember(index, memberPart.value, memberPart.bytes);
    if (memberPart.next !== null) next = [index, ...memberPart.next];
  }
  if (valueByIndex.size === 0) return null;
  noteUnreached(
    object,
    memberOrder.slice(orderIndex).map((index) => memberNames[index] ?? ''),
    at,
    state,
  );
  const members = memberNames.flatMap((name, index) =>
    valueByIndex.has(index) ? [[name, valueByIndex.get(index)] as const] : [],
  );
  return { value: Object.fromEntries(members), bytes, next };
}

/** Indexes of members in the order in which they are taken: small leaves first, then by size. */
function orderMembers(object: Readonly<Record<string, unknown>>, names: readonly string[], state: CutState): number[] {
  const ranked = names.map((name, index) => {
    const value = object[name];
    const size = state.sizeOf(value);
    const count = isContainer(value) ? Object.keys(value).length : 0;
    return {
      index,
      // Members over the limit are compared by the number of their parts, because `sizeOf` is Infinity for all large arrays and objects.
      // A text has no parts, so it comes before those.
      size: size <= state.limit ? size : state.limit + 1 + count,
      isLater: isContainer(value) || size > state.limit / 2,
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
  state: CutState,
): void {
  if (unreached.length > MAX_NAMED_UNREACHED) {
    const total = Object.keys(object).length;
    state.shownRanges.push({ at, of: 'members', from: 0, to: total - unreached.length, total });
    return;
  }
  for (const name of unreached) {
    const value = object[name];
    const total = isContainer(value) ? Object.keys(value).length : String(value).length;
    const of = unitOf(value);
    state.shownRanges.push({ at: joinPath(at, name), of, from: 0, to: 0, total });
  }
}

function unitOf(value: unknown): ShownRange['of'] {
  if (Array.isArray(value)) return 'elements';
  return isContainer(value) ? 'members' : 'characters';
}

const MAX_NAME_LENGTH = 40;

function joinPath(at: string, name: string): string {
  const short = name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}…`;
  return at === '' ? short : `${at}.${short}`;
}
