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
  const now = new Map(after.map((tool) => [tool.name, tool]));
  const was = new Set(before.map(({ name }) => name));
  const pairs = before.flatMap((tool) => {
    const same = now.get(tool.name);
    return same === undefined ? [] : [{ before: tool, after: same }];
  });
  const gone = before.filter(({ name }) => !now.has(name));
  const fresh = after.filter(({ name }) => !was.has(name));
  const candidates = gone
    .flatMap((one) => fresh.map((other) => ({ before: one, after: other, likeness: likeness(one, other) })))
    .filter((candidate) => candidate.likeness >= MIN_LIKENESS)
    .sort(
      (a, b) =>
        b.likeness - a.likeness || byCodeUnit(a.before.name, b.before.name) || byCodeUnit(a.after.name, b.after.name),
    );
  const taken = new Set<ToolSurface>();
  for (const { before: one, after: other } of candidates) {
    if (taken.has(one) || taken.has(other)) continue;
    taken.add(one).add(other);
    pairs.push({ before: one, after: other });
  }
  return {
    pairs: pairs.sort((a, b) => byCodeUnit(a.after.name, b.after.name)),
    removed: gone.filter((tool) => !taken.has(tool)),
    added: fresh.filter((tool) => !taken.has(tool)),
  };
}

/** Old names under which a tool can still be called. */
export function aliasesOf({ members }: ToolSurface): readonly { readonly name: string; readonly until: string }[] {
  return Array.isArray(members.aliases) ? members.aliases : [];
}

/** Half the weight is the operation, the other half what the tool sends and its texts. */
function likeness(before: ToolSurface, after: ToolSurface): number {
  if (aliasesOf(after).some(({ name }) => name === before.name)) return 1;
  const called = operationLikeness(before, after);
  if (called === 0) return 0;
  return 0.5 * called + 0.3 * shared(sendsOf(before), sendsOf(after)) + 0.2 * shared(wordsOf(before), wordsOf(after));
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
    Object.entries(sends).map(([place, sent]) =>
      sent.kind === 'constant' ? `${place}=${JSON.stringify(sent.value)}` : place,
    ),
  );
}

function wordsOf({ title, description }: ToolSurface): ReadonlySet<string> {
  return new Set(`${title} ${description}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** Jaccard index; 1 for two empty sets. */
export function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (isSame([...a], [...b])) return 1;
  const both = [...a].filter((one) => b.has(one)).length;
  return both / (a.size + b.size - both);
}
