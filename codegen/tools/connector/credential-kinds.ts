/** Finds the security schemes that the operations of a service need together, and the alternatives to them. */

import type { OperationModel, SecurityAlternative, ServiceModel } from '../../model/types.ts';
import type { CredentialPart } from '../types.ts';
import { partOf, placeOf, type SchemeParts } from './credential-parts.ts';

type Requirement = readonly SecurityAlternative[];

/** Ids of the schemes of each kind. */
interface Kinds {
  /** In order of preference. */
  readonly kinds: readonly (readonly string[])[];
  /** A kind with OAuth 2.0 that does not cover every operation; null if there is none, or if one covers all. */
  readonly partial: readonly string[] | null;
}

/** A scheme is asked of every user if it opens at least this share of the operations that others do not open. */
const COMMON_SHARE = 0.5;

/**
 * The kinds of credential that the descriptor requires.
 *
 * The first kind is the one that covers most operations; of equal ones, the one whose schemes the descriptor names first. It has what can be
 * sent together, except for schemes that open few operations. If the descriptor offers both OAuth 2.0 and a credential that a user types, a
 * second kind follows; it covers every operation that the first covers.
 */
export function chooseKinds(model: ServiceModel, operations: readonly OperationModel[], schemes: SchemeParts): Kinds {
  const requirements = toRequirements(model, operations);
  const seeds = [[], ...requirements.flatMap(({ needs }) => needs.map((all) => all.map(({ id }) => id)))];
  const distinct = new Map(seeds.map((seed) => [[...seed].sort().join(' '), seed]));
  const candidates = [...distinct.values()]
    .map((seed) => complete(seed, requirements, schemes))
    .filter((ids) => ids !== null);
  const covered = (ids: readonly string[]) =>
    requirements.reduce((sum, { needs, count }) => sum + (isEnough(ids, needs) ? count : 0), 0);
  const isUsed = (ids: readonly string[]) =>
    ids.every((id) => covered(ids) - covered(ids.filter((one) => one !== id)) >= operations.length * COMMON_SHARE);
  const common = candidates.filter((ids) => ids.length < 2 || isUsed(ids));
  const [preferred = candidates[0] ?? [], ...later] = common;
  const first = later.reduce((best, ids) => (covered(ids) > covered(best) ? ids : best), preferred);
  const covers = (ids: readonly string[], all: readonly string[]) =>
    requirements.every(({ needs }) => !isEnough(all, needs) || isEnough(ids, needs));
  const hasOAuth = (ids: readonly string[]) => ids.some((id) => partOf(schemes, id)?.type === 'oauth2');
  const rivals = candidates.filter((ids) => ids.length > 0 && hasOAuth(ids) !== hasOAuth(first));
  const second = rivals.find((ids) => covers(ids, first) && !sharesAll(first, ids));
  if (second !== undefined && first.length > 0) return { kinds: [first, second], partial: null };
  return { kinds: [first], partial: first.length === 0 ? null : (rivals.find(hasOAuth) ?? null) };
}

/**
 * What operations need that a kind does not open: ids of schemes in addition to its own, those for most operations first. Operations whose
 * schemes cannot be sent have none.
 */
export function chooseExtras(
  model: ServiceModel,
  operations: readonly OperationModel[],
  kind: readonly string[],
  schemes: SchemeParts,
): readonly (readonly string[])[] {
  const extras = toRequirements(model, operations)
    .filter(({ needs, count }) => count > 0 && !isEnough(kind, needs))
    .sort((a, b) => b.count - a.count)
    .flatMap(({ needs }) => {
      const ids = needs.map((all) => all.map(({ id }) => id).filter((id) => !kind.includes(id)));
      return ids.filter((all) => complete(all, [], schemes) !== null).slice(0, 1);
    });
  return [...new Map(extras.map((ids) => [[...ids].sort().join(' '), ids])).values()];
}

/** True if schemes satisfy a requirement. An empty requirement or an empty alternative needs none. */
export function isEnough(ids: readonly string[], alternatives: Requirement): boolean {
  return alternatives.length === 0 || alternatives.some((needs) => needs.every(({ id }) => ids.includes(id)));
}

/** A requirement, and how many operations have it. */
interface Counted {
  readonly needs: Requirement;
  readonly count: number;
}

/** The descriptor's own first; each once, because a descriptor may have a thousand operations. */
function toRequirements(model: ServiceModel, operations: readonly OperationModel[]): Counted[] {
  const all = [{ needs: model.security, count: 0 }, ...operations.map(({ security: needs }) => ({ needs, count: 1 }))];
  const keyOf = ({ needs }: Counted) => JSON.stringify(needs.map((each) => each.map(({ id }) => id)));
  return [...Map.groupBy(all, keyOf).values()].flatMap((same) => {
    const [first] = same;
    return first === undefined ? [] : [{ ...first, count: same.reduce((sum, { count }) => sum + count, 0) }];
  });
}

/** The seed plus what the requirements need in addition; null if the seed cannot be sent. */
function complete(
  seed: readonly string[],
  requirements: readonly Counted[],
  schemes: SchemeParts,
): readonly string[] | null {
  const chosen = new Map<string, CredentialPart>();
  const add = (ids: readonly string[]): boolean => {
    const parts = ids.flatMap((id) => partOf(schemes, id) ?? []);
    const places = [...chosen.values(), ...parts.filter(({ id }) => !chosen.has(id))].map(placeOf);
    if (parts.length < ids.length || new Set(places).size < places.length) return false;
    for (const part of parts) chosen.set(part.id, part);
    return true;
  };
  if (!add(seed)) return null;
  const total = requirements.reduce((sum, { count }) => sum + count, 0);
  const opened = (ids: readonly string[]) => {
    const together = [...chosen.keys(), ...ids];
    return requirements.reduce(
      (sum, { needs, count }) => sum + (isEnough(together, needs) && !isEnough([...chosen.keys()], needs) ? count : 0),
      0,
    );
  };
  for (const { needs: requirement } of requirements) {
    const wanted = requirement.map((needs) => needs.map(({ id }) => id)).filter((ids) => ids.length > 0);
    if (wanted.some((ids) => ids.every((id) => chosen.has(id)))) continue;
    wanted.some((ids) => (chosen.size === 0 || opened(ids) >= total * COMMON_SHARE) && add(ids));
  }
  return [...chosen.keys()];
}

function sharesAll(ids: readonly string[], others: readonly string[]): boolean {
  return ids.every((id) => others.includes(id));
}
