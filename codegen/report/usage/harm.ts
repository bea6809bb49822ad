/** Counts the calls of a usage file that each change would have refused or changed, and ranks changes by that. */

import type { ArgumentUsage, ToolUsage, UsageFile, ValueClass } from '../../../shared/usage-file.ts';
import type { RuleId } from '../rules.ts';
import { isGated, LEVELS } from '../rules.ts';
import { compareTypes } from '../schema/json-types.ts';
import type { Change, ChangeGroup, Harm } from '../types.ts';

/** Possible JSON types of the values of a class; `other` and `empty` say too little. */
const TYPES: Readonly<Partial<Record<ValueClass, string>>> = {
  null: 'null',
  text: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
};

const ALL_REFUSED: ReadonlySet<RuleId> = new Set(['tool-removed', 'tool-renamed', 'argument-added-required']);
const NO_HARM: ReadonlySet<RuleId> = new Set([
  'writing-tool-added',
  'effect-inferred',
  'new-texts',
  'replaced-text-changed',
  'scope-asked',
  'tool-needs-scope',
  'tool-needs-extra',
] as const);

/** Groups with their harm; within a level, those that affect the most calls first. */
export function rankByHarm(groups: readonly ChangeGroup[], usage: UsageFile): ChangeGroup[] {
  const oldNames = oldNamesOf(groups);
  return groups
    .map((group, index) => ({ group: withHarm(group, usage, oldNames), index }))
    .sort(
      (a, b) =>
        LEVELS.indexOf(a.group.level) - LEVELS.indexOf(b.group.level) ||
        (b.group.harm?.calls ?? -1) - (a.group.harm?.calls ?? -1) ||
        a.index - b.index,
    )
    .map(({ group }) => group);
}

/** New name -> old name: a usage file has the names that were called. */
function oldNamesOf(groups: readonly ChangeGroup[]): ReadonlyMap<string, string> {
  const renames = groups.filter(({ rule }) => rule.startsWith('tool-renamed')).flatMap(({ changes }) => changes);
  return new Map(renames.map(({ tool, before }) => [tool ?? '', String(before)]));
}

function withHarm(group: ChangeGroup, usage: UsageFile, oldNames: ReadonlyMap<string, string>): ChangeGroup {
  if (!isGated(group.level) && group.level !== 'behaviour') return group;
  if (NO_HARM.has(group.rule) || group.rule.startsWith('introduces-')) return group;
  const harmWith = (effect: Harm['effect']) =>
    harmOf(
      group.changes.filter((change) => effectOf(change) === effect),
      (change) => toolsOf(change, usage, oldNames),
      usage,
    );
  const [refused, changed] = [harmWith('refused'), harmWith('changed')];
  const effect = refused === null || (refused.calls === 0 && changed !== null) ? 'changed' : 'refused';
  const harm = effect === 'refused' ? refused : changed;
  return harm === null ? group : { ...group, harm: { effect, ...harm } };
}

/** Null if the changes are of no tool. */
function harmOf(
  changes: readonly Change[],
  namesOf: (change: Change) => string[],
  usage: UsageFile,
): AffectedCalls | null {
  const byTool = new Map<string, Change[]>();
  for (const change of changes) {
    for (const tool of namesOf(change)) byTool.set(tool, [...(byTool.get(tool) ?? []), change]);
  }
  const harms = [...byTool].map(([tool, list]) => harmOfTool(usage.tools[tool], list));
  if (harms.length === 0) return null;
  return {
    calls: harms.reduce((sum, { calls }) => sum + calls, 0),
    isExact: harms.every(({ isExact }) => isExact),
  };
}

/** A change of the whole service affects the calls of all its tools, whose names start with its name. */
function toolsOf(change: Change, { tools }: UsageFile, oldNames: ReadonlyMap<string, string>): string[] {
  const { rule, place, tool, service } = change;
  if (rule === 'alias-removed' || rule === 'alias-ended') return [place.slice('aliases.'.length)];
  if (tool !== null) return [oldNames.get(tool) ?? tool];
  return Object.keys(tools).filter((name) => name.startsWith(`${service}_`));
}

function effectOf({ level, rule }: Change): Harm['effect'] {
  return level === 'breaking' && !/^(output|answer)-/.test(rule) ? 'refused' : 'changed';
}

type AffectedCalls = Pick<Harm, 'calls' | 'isExact'>;

/** Several changes of one tool may affect the same calls: together they affect at most all of its calls. */
function harmOfTool(tool: ToolUsage | undefined, changes: readonly Change[]): AffectedCalls {
  if (tool === undefined) return { calls: 0, isExact: true };
  const changeHarms = changes.map((change) => harmOfChange(tool, change));
  return {
    calls: Math.min(
      tool.calls,
      changeHarms.reduce((sum, { calls }) => sum + calls, 0),
    ),
    isExact: changeHarms.length === 1 && (changeHarms[0]?.isExact ?? false),
  };
}

function harmOfChange(tool: ToolUsage, change: Change): AffectedCalls {
  const { rule, place } = change;
  const allCalls = { calls: tool.calls, isExact: true };
  if (place.startsWith('output') || rule.startsWith('answer-'))
    return { calls: tool.outcomes.ok ?? tool.calls, isExact: false };
  if (!place.startsWith('input.')) return allCalls;
  const { argument, isWhole } = findArgument(
    tool,
    rule === 'argument-renamed' ? `input.${String(change.before)}` : place,
  );
  const callsWithout = { calls: tool.calls - (argument?.calls ?? 0), isExact: isWhole };
  const isTop = !place.slice('input.'.length).split('#')[0]?.includes('.');
  if (ALL_REFUSED.has(rule) && isTop) return allCalls;
  if (rule === 'default-changed' || (rule === 'argument-made-required' && isTop)) return callsWithout;
  if (argument === undefined) return { calls: 0, isExact: true };
  const counts = isWhole ? countsOf(argument, change) : null;
  if (counts === null) {
    return { calls: argument.calls, isExact: isWhole && /^argument-(removed|renamed)$/.test(rule) };
  }
  const calls = counts.reduce((sum, count) => sum + count, 0);
  return { calls: Math.min(argument.calls, calls), isExact: counts.length < 2 };
}

/** The counted argument at this place, or at its nearest counted parent. */
function findArgument(tool: ToolUsage, place: string): { argument: ArgumentUsage | undefined; isWhole: boolean } {
  const [path = ''] = place.slice('input.'.length).split('#');
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const name = path.slice(0, end);
    const argument = tool.arguments[name] ?? tool.arguments[name.replace(/(\[\]|\{\})+$/, '')];
    if (argument !== undefined) return { argument, isWhole: end === path.length };
    if (!name.includes('.')) break;
  }
  return { argument: undefined, isWhole: !path.includes('.') };
}

/** Counts of the values that are refused now; null if their classes do not tell. */
function countsOf({ classes, members }: ArgumentUsage, { rule, before, after }: Change): number[] | null {
  if (rule === 'enum-narrowed' && members !== undefined && Array.isArray(before) && Array.isArray(after)) {
    const remainingNames = new Set(after.map(nameOf));
    return before.map(nameOf).flatMap((name) => (remainingNames.has(name) ? [] : (members[name] ?? [])));
  }
  if (rule !== 'argument-retyped') return null;
  return Object.entries(classes).flatMap(([name, count]) => {
    const type = TYPES[name as ValueClass];
    const isStillAccepted = type !== undefined && ['same', 'widened'].includes(compareTypes(type, after));
    return isStillAccepted || count === undefined ? [] : [count];
  });
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
