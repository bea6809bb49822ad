/** Gives each operation a unique name that does not depend on their order. */

import { byCodeUnit } from '../../../json.ts';
import type { OperationModel } from '../../../model/types.ts';
import type { NamedOperation } from '../../words/operation-words.ts';
import { toDigest } from '../../words/words.ts';
import { operationKey } from './operation-key.ts';

/** Longest name that no known client refuses, whatever name a user gives this server: see `profiles/clients.ts`. */
export const MAX_TOOL_NAME_LENGTH = 58;
/** Lengths of digests, from the usual length to the length that leaves no room for anything else. */
export const DIGEST_LENGTHS = [6, 32, 48] as const;

export interface ToolNames {
  /** By operation key. */
  readonly names: ReadonlyMap<string, string>;
  /** By name: operations that wanted it and that no words made unique. Their names end in a digest. */
  readonly unresolved: ReadonlyMap<string, readonly OperationModel[]>;
}

/** Possible names of an operation. */
interface Candidates {
  /** In order of preference; the last one must be unique. */
  readonly names: Iterable<string>;
  /** The name with all words of the operation, which no other operation gets. Null if it is too long. */
  readonly fullName: string | null;
}

/**
 * Takes the first candidate of each operation that no other operation has or wants at the same time. If several operations want a name, no operation
 * gets it, unless it is the whole name of one of them.
 *
 * @throws {Error} if an operation runs out of candidates
 */
export function assignUniqueNames(
  operations: readonly OperationModel[],
  takenNames: ReadonlySet<string>,
  candidatesOf: (operation: OperationModel) => Candidates,
): ToolNames {
  const names = new Map<string, string>();
  const operationsByName = new Map<string, readonly OperationModel[]>();
  const unavailableNames = new Set(takenNames);
  let pending = operations.map((operation) => {
    const { names: candidates, fullName } = candidatesOf(operation);
    return { operation, whole: fullName, candidates: candidates[Symbol.iterator]() };
  });
  const entriesByFullName = Map.groupBy(pending, ({ whole: fullName }) => fullName);
  for (let isFirst = true; pending.length > 0; isFirst = false) {
    const groupsByName = Map.groupBy(pending, ({ operation, candidates }) => nextOf(candidates, operation));
    for (const [name, group] of groupsByName) {
      const owners = entriesByFullName.get(name) ?? [];
      const claimants = owners.length === 1 ? group.filter((entry) => owners.includes(entry)) : group;
      const winner = claimants.length === 1 && !unavailableNames.has(name) ? claimants[0]?.operation : undefined;
      if (winner !== undefined) names.set(operationKey(winner), name);
      if (isFirst) operationsByName.set(name, toSorted(group.map(({ operation }) => operation)));
      if (claimants.length > 0) unavailableNames.add(name);
    }
    pending = pending.filter(({ operation }) => !names.has(operationKey(operation)));
  }
  const unresolved = [...operationsByName].filter(([name, group]) =>
    group.some((operation) => names.get(operationKey(operation)) !== name && endsInDigest(names, operation)),
  );
  return { names, unresolved: new Map(unresolved.sort(([a], [b]) => byCodeUnit(a, b))) };
}

function endsInDigest(names: ReadonlyMap<string, string>, operation: OperationModel): boolean {
  const key = operationKey(operation);
  return DIGEST_LENGTHS.some((length) => names.get(key)?.endsWith(`_${toDigest(key, length)}`));
}

function nextOf(candidates: Iterator<string>, operation: OperationModel): string {
  const { value, done } = candidates.next();
  if (done === true) throw new Error(`${operationKey(operation)} has no name of its own.`);
  return value;
}

function toSorted(operations: readonly OperationModel[]): readonly OperationModel[] {
  return operations.toSorted((a, b) => byCodeUnit(operationKey(a), operationKey(b)));
}

/** A name that ends in a digest of its operation's method and path. */
export function withDigest(name: string, operation: NamedOperation, length: number): string {
  const maxHeadLength = MAX_TOOL_NAME_LENGTH - length - 1;
  const head = name.length <= maxHeadLength ? name : cutAtWord(name, maxHeadLength);
  return `${head.replace(/_+$/, '')}_${toDigest(operationKey(operation), length)}`;
}

/** The whole words of a name that fit, or as much of the first word as fits. */
export function cutAtWord(name: string, length: number): string {
  if (name.length <= length) return name;
  const head = name.slice(0, length + 1).replace(/_[^_]*$/, '');
  return head.slice(0, length);
}
