import { byCodeUnit } from '../../json.ts';
import { toCamelCase, toCapitalized, toDigest, toWords } from '../words/words.ts';
import { toWireText, type WireSlot, wireKey } from './wire.ts';

/** Longest property key that the common model APIs accept. */
const MAX_ARGUMENT_NAME_LENGTH = 64;

const DIGEST_LENGTH = 6;

/** The place that keeps the plain name if several places want it, in order. */
const PRECEDENCE = ['path', 'query', 'header', 'cookie', 'body'] as const;

/**
 * The default argument name of a wire name: camelCase, `^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`. A name without any usable
 * letter becomes `arg` and a digest of it.
 */
export function toArgumentName(wireName: string): string {
  const words = toWords(wireName);
  if (words.length === 0) return `arg_${toDigest(wireName, DIGEST_LENGTH)}`;
  const name = toCamelCase(words);
  return shorten(/^[0-9]/.test(name) ? `_${name}` : name, wireName);
}

interface NameCollision {
  readonly name: string;
  /** Wire names with their argument names, sorted. */
  readonly members: readonly { readonly wire: string; readonly name: string }[];
}

/**
 * Names every slot. The result depends only on the set of slots, not on their order.
 *
 * If slots in several places want the same name, the first of path, query, header, cookie, body keeps it, and the
 * others put their place before it (`bodyName`). Within one place, the slot that is spelled like the name keeps it, and
 * the others use their own spelling or a digest of it. `reserved` names are already taken.
 */
export function nameArguments(
  slots: readonly WireSlot[],
  reserved: ReadonlySet<string>,
): { readonly names: ReadonlyMap<string, string>; readonly collisions: readonly NameCollision[] } {
  const groups = Map.groupBy(
    slots.toSorted((a, b) => byCodeUnit(wireKey(a), wireKey(b))),
    baseName,
  );
  const names = new Map<string, string>();
  const unnamedSlots: WireSlot[] = [];
  for (const [name, group] of groups) {
    const keeper = reserved.has(name) ? null : keeperOf(name, group);
    for (const slot of group) {
      if (slot === keeper) names.set(wireKey(slot), name);
      else unnamedSlots.push(slot);
    }
  }
  nameUnnamedSlots(unnamedSlots, names, reserved);
  const collisions = [...groups]
    .filter(([name, group]) => group.length > 1 || reserved.has(name))
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, group]) => ({
      name,
      members: group.map((slot) => ({ wire: toWireText(slot), name: names.get(wireKey(slot)) ?? name })),
    }));
  return { names, collisions };
}

function baseName(slot: WireSlot): string {
  return slot.name === null ? 'body' : toArgumentName(slot.name);
}

function keeperOf(name: string, group: readonly WireSlot[]): WireSlot | null {
  for (const place of PRECEDENCE) {
    const slotsInPlace = group.filter((slot) => slot.in === place);
    if (slotsInPlace.length === 1) return slotsInPlace[0] ?? null;
    if (slotsInPlace.length > 1) return slotsInPlace.find((slot) => slot.name === name) ?? null;
  }
  return null;
}

function nameUnnamedSlots(
  unnamedSlots: readonly WireSlot[],
  names: Map<string, string>,
  reserved: ReadonlySet<string>,
): void {
  const usedNames = new Set([...reserved, ...names.values()]);
  let pending = unnamedSlots;
  for (const propose of PROPOSALS) {
    const slotsByName = Map.groupBy(pending, propose);
    pending = pending.filter((slot) => {
      const name = propose(slot);
      if (usedNames.has(name) || (slotsByName.get(name)?.length ?? 0) > 1) return true;
      names.set(wireKey(slot), name);
      usedNames.add(name);
      return false;
    });
  }
}

const PROPOSALS: readonly ((slot: WireSlot) => string)[] = [
  (slot) => shorten(slot.in + toCapitalized(baseName(slot).replace(/^_/, '')), toWireText(slot)),
  (slot) => shorten(toLegalKey(slot), toWireText(slot)),
  (slot) => `${baseName(slot).slice(0, 48)}_${toDigest(wireKey(slot), DIGEST_LENGTH)}`,
  (slot) => `${baseName(slot).slice(0, 31)}_${toDigest(wireKey(slot), 32)}`,
];

function toLegalKey(slot: WireSlot): string {
  const key = (slot.name ?? slot.in).replace(/[^a-zA-Z0-9_]+/g, '_').replace(/^_+|_+$/g, '');
  return /^[0-9]/.test(key) || key === '' ? `_${key}` : key;
}

function shorten(name: string, wireName: string): string {
  if (name.length <= MAX_ARGUMENT_NAME_LENGTH) return name;
  return `${name.slice(0, MAX_ARGUMENT_NAME_LENGTH - DIGEST_LENGTH - 1)}_${toDigest(wireName, DIGEST_LENGTH)}`;
}
