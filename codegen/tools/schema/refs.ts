/** Analyses the `$ref`s of a descriptor: which are circular, how large they are, and which become local `$defs`. */

import { byCodeUnit } from '../../json.ts';
import { pointerTokens } from '../../json-pointer.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { wordSet } from '../../word-set.ts';
import { toCapitalized, toWords } from '../words/words.ts';
import { type Resolve, refOf } from './readers.ts';
import { forEachChild } from './walk.ts';

/** A schema used more than once becomes a local definition when its inlined JSON is longer than this. */
export const LARGE_SCHEMA_CHARS = 400;
/** Sizes are not counted beyond this. */
const MAX_COUNTED_CHARS = 1_000_000;
const REF_CHARS = 40;

/** The references of one descriptor; every result is computed once. */
export interface RefGraph {
  readonly resolve: Resolve;
  /** True if following references from this one leads back to it. */
  isCircular(ref: string): boolean;
  /** Characters of JSON if every reference below is written out, with cycles counted once. */
  inlinedSize(ref: string): number;
  /** References inside the schema behind a reference, one entry for each place. */
  refsIn(ref: string): readonly string[];
}

export function createRefGraph(resolve: Resolve): RefGraph {
  const refsCache = new Map<string, readonly string[]>();
  const refsIn = (ref: string) => remember(refsCache, ref, () => collectRefs(resolve(ref)));
  const isCircular = createCircleFinder(refsIn);
  const sizes = new Map<string, number>();
  const inlinedSize = (ref: string): number =>
    remember(sizes, ref, () => {
      let size = JSON.stringify(resolve(ref)).length;
      for (const target of refsIn(ref)) size += isCircular(target) ? REF_CHARS : inlinedSize(target);
      return Math.min(size, MAX_COUNTED_CHARS);
    });
  return { resolve, isCircular, inlinedSize, refsIn };
}

/** References of a schema, one entry for each place, without following them. */
function collectRefs(schema: Schema): readonly string[] {
  const refs: string[] = [];
  const visit = (node: Schema) => {
    const ref = refOf(node);
    if (ref !== null) refs.push(ref);
    forEachChild(node, visit);
  };
  visit(schema);
  return refs;
}

/** True for references that lead back to themselves: Tarjan's strongly connected components, computed on demand. */
export function createCircleFinder(refsIn: (ref: string) => readonly string[]): (ref: string) => boolean {
  const indexes = new Map<string, number>();
  const lows = new Map<string, number>();
  const circular = new Map<string, boolean>();
  const stack: string[] = [];
  const visit = (ref: string): number => {
    const index = indexes.size;
    indexes.set(ref, index);
    let low = index;
    stack.push(ref);
    for (const next of refsIn(ref)) {
      if (!indexes.has(next)) low = Math.min(low, visit(next));
      else if (!circular.has(next)) low = Math.min(low, lows.get(next) ?? indexes.get(next) ?? low);
    }
    lows.set(ref, low);
    if (low === index) {
      const members = stack.splice(stack.indexOf(ref));
      const isCircle = members.length > 1 || refsIn(ref).includes(ref);
      for (const member of members) circular.set(member, isCircle);
    }
    return low;
  };
  return (ref) => {
    if (!indexes.has(ref)) visit(ref);
    return circular.get(ref) ?? false;
  };
}

/**
 * Names of the references that stay references in a schema made of `roots`: circular ones, and large ones that are
 * used more than once. Everything else is written out in place.
 */
export function nameDefinitions(roots: readonly Schema[], graph: RefGraph): ReadonlyMap<string, string> {
  const uses = new Map<string, number>();
  const pendingRefs = roots.flatMap(collectRefs);
  for (let ref = pendingRefs.pop(); ref !== undefined; ref = pendingRefs.pop()) {
    const previousCount = uses.get(ref) ?? 0;
    uses.set(ref, previousCount + 1);
    if (previousCount === 0) pendingRefs.push(...graph.refsIn(ref));
  }
  const definitionRefs = [...uses]
    .filter(([ref, count]) => graph.isCircular(ref) || (count > 1 && graph.inlinedSize(ref) > LARGE_SCHEMA_CHARS))
    .map(([ref]) => ref)
    .sort(byCodeUnit);
  const names = new Map<string, string>();
  const usedNames = new Set<string>();
  for (const ref of definitionRefs) {
    const base = definitionName(ref);
    let name = base;
    for (let number = 2; usedNames.has(name); number += 1) name = `${base}${number}`;
    usedNames.add(name);
    names.set(ref, name);
  }
  return names;
}

const GENERIC = wordSet('schema items properties content schemas components allOf anyOf oneOf');

function definitionName(ref: string): string {
  const segments = pointerTokens(ref.slice(1));
  const namingSegments = segments.filter(
    (segment) => !GENERIC.has(segment) && toWords(segment).some((word) => /[a-z]/.test(word)),
  );
  const name = toWords(namingSegments.at(-1) ?? '')
    .map(toCapitalized)
    .join('');
  return /^[A-Z]/.test(name) ? name.slice(0, 60) : `Schema${name.slice(0, 54)}`;
}
