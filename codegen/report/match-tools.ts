/** Matches tools of the base with tools of the head: by name, or by behaviour if the name is gone. */

import { byCodeUnit, isSame } from '../json.ts';
import type { ToolSurface } from './types.ts';

export interface MatchedTools {
  /** Same name, or renamed. */
  readonly pairs: readonly { readonly before: ToolSurface; readonly after: ToolSurface }[];
  readonly removed: readonly ToolSurface[];
  readonly added: readonly ToolSurface[];
}

/** From 0 to 1: a pair below this counts as two different tools. */
const MIN_LIKENESS = 0.6;

/**
 * Tools without a match by name are paired by similarity, the most similar first.
 *
 * A tool that has an old name as its alias is that tool's successor, whatever else changed.
 */
export function matchTools(before: readonly ToolSurface[], after: readonly ToolSurface[]): MatchedTools {
  const newByName = new Map(after.map((tool) => [tool.name, tool]));
  const oldNames = new Set(before.map(({ name }) => name));
  const pairs = before.flatMap((tool) => {
    const successor = newByName.get(tool.name);
    return successor === undefined ? [] : [{ before: tool, after: successor }];
  });
  const unmatchedOld = before.filter(({ name }) => !newByName.has(name));
  const unmatchedNew = after.filter(({ name }) => !oldNames.has(name));
  const candidates = unmatchedOld
    .flatMap((oldTool) =>
      unmatchedNew.map((newTool) => ({ before: oldTool, after: newTool, likeness: likeness(oldTool, newTool) })),
    )
    .filter((candidate) => candidate.likeness >= MIN_LIKENESS)
    .sort(
      (a, b) =>
        b.likeness - a.likeness || byCodeUnit(a.before.name, b.before.name) || byCodeUnit(a.after.name, b.after.name),
    );
  const pairedTools = new Set<ToolSurface>();
  for (const { before: oldTool, after: newTool } of candidates) {
    if (pairedTools.has(oldTool) || pairedTools.has(newTool)) continue;
    pairedTools.add(oldTool).add(newTool);
    pairs.push({ before: oldTool, after: newTool });
  }
  return {
    pairs: pairs.sort((a, b) => byCodeUnit(a.after.name, b.after.name)),
    removed: unmatchedOld.filter((tool) => !pairedTools.has(tool)),
    added: unmatchedNew.filter((tool) => !pairedTools.has(tool)),
  };
}

/** Old names under which a tool can still be called. */
export function aliasesOf({ members }: ToolSurface): readonly { readonly name: string; readonly until: string }[] {
  return Array.isArray(members.aliases) ? members.aliases : [];
}

/** Half the weight is the operation, the other half what the tool sends and its texts. */
function likeness(before: ToolSurface, after: ToolSurface): number {
  if (aliasesOf(after).some(({ name }) => name === before.name)) return 1;
  const operationScore = operationLikeness(before, after);
  if (operationScore === 0) return 0;
  return (
    0.5 * operationScore +
    0.3 * jaccardIndex(sendsOf(before), sendsOf(after)) +
    0.2 * jaccardIndex(wordsOf(before), wordsOf(after))
  );
}

/** Returns 1 for the same operation or the same code, and a little less if it moved to another version or renamed its path parameters. */
function operationLikeness(before: ToolSurface, after: ToolSurface): number {
  const [old, now] = [before.operation, after.operation];
  if (old === null || now === null) return old === now && before.members.code === after.members.code ? 1 : 0;
  if (old.method === now.method && old.path === now.path) return 1;
  if (old.method !== now.method) return 0;
  if (old.id !== null && old.id === now.id) return 1;
  return pathShape(old.path) === pathShape(now.path) ? 0.9 : 0;
}

/**
 * `before` as if its path parameters had the names of `after`, if their paths are the same but for names and version:
 * a name in a path template is not sent.
 */
export function withPathNames(before: ToolSurface, after: ToolSurface): ToolSurface {
  const [old = '', now = ''] = [before.operation?.path, after.operation?.path];
  if (old === now || pathShape(old) !== pathShape(now)) return before;
  const namesOf = (path: string) => [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => `path.${name}`);
  const names = new Map(namesOf(old).map((name, index) => [name, namesOf(now)[index]]));
  const rename = <Value>(values: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(values).map(([address, value]) => [names.get(address) ?? address, value]));
  return { ...before, sends: rename(before.sends), styles: rename(before.styles) };
}

function pathShape(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}').replaceAll(/\/(?:api\/)?v\d+(?:\.\d+)*(?=\/)/g, '');
}

/** Constants count with their value, because it distinguishes several tools of one operation. */
function sendsOf({ sends }: ToolSurface): ReadonlySet<string> {
  return new Set(
    Object.entries(sends).map(([address, sentValue]) =>
      sentValue.kind === 'constant' ? `${address}=${JSON.stringify(sentValue.value)}` : address,
    ),
  );
}

function wordsOf({ title, description }: ToolSurface): ReadonlySet<string> {
  return new Set(`${title} ${description}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** Jaccard index; 1 for two empty sets. */
export function jaccardIndex(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (isSame([...a], [...b])) return 1;
  const commonCount = [...a].filter((item) => b.has(item)).length;
  return commonCount / (a.size + b.size - commonCount);
}
