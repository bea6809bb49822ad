/** Groups changes into decisions: the same change in several tools is one, and so are equal changes of siblings. */

import { byCodeUnit, canonicalJson, isRecord } from '../json.ts';
import { groupFingerprint } from './acknowledge.ts';
import { LEVELS, RULES, type RuleId } from './rules.ts';
import { isConstraint } from './schema/constraints.ts';
import { typeOf, withoutNull } from './schema/json-types.ts';
import type { Change, ChangeGroup } from './types.ts';

const RULE_ORDER = Object.keys(RULES) as RuleId[];

/** Rules whose changes in siblings have one cause. */
const FOLDED: ReadonlySet<RuleId> = new Set([
  'argument-removed',
  'argument-renamed',
  'argument-added-required',
  'argument-made-required',
  'argument-retyped',
  'enum-narrowed',
  'constraint-tightened',
  'alternative-removed',
  'open-part-narrowed',
  'output-field-removed',
  'output-field-retyped',
  'argument-added',
  'argument-made-optional',
  'argument-type-widened',
  'enum-widened',
  'constraint-loosened',
  'alternative-added',
  'argument-described-less',
  'argument-described-more',
  'output-described-less',
  'output-described-more',
  'output-field-added',
  'output-type-narrowed',
  'output-schema-changed',
]);

/** All changes of one of these rules in a service are one decision: an upstream that renames one tool renames many. */
const FOLDED_WHOLE: ReadonlySet<RuleId> = new Set(['tool-renamed', 'tool-renamed-with-alias', 'check-dropped']);

/** A change in more tools than this is a separate decision, unless the same tools share other changes. */
const MAX_FAMILY_TOOLS = 12;

/** Number of tools from which an equal restriction has one cause, whatever the names of the members. */
const MANY_TOOLS = 4;

/** Rules where a restriction that many members get at once, such as a pattern of ids, has one cause. */
const FOLDED_BY_KEYWORD: ReadonlySet<RuleId> = new Set(['constraint-tightened', 'open-part-narrowed']);

/** The rules for changes of a shared schema, which break arguments, answers and open parts alike. */
const SHARED: Readonly<Partial<Record<RuleId, string>>> = {
  'argument-removed': 'removed',
  'output-field-removed': 'removed',
  'argument-retyped': 'type',
  'output-field-retyped': 'type',
  'enum-narrowed': 'enum',
};

/**
 * Groups the changes, sorted: worst level first, then in the order of the rules, then by service, tool and place. A group has the rule of its first
 * change.
 *
 * @param isCalled returns true if a usage file has calls of a tool, whose removal is a separate decision.
 */
export function groupChanges(
  changes: readonly Change[],
  isCalled: (tool: string) => boolean = () => false,
): ChangeGroup[] {
  const groups = new Map<string, Change[]>();
  for (const change of [...changes].sort(compareChanges)) {
    const { rule, tool } = change;
    const isAlone = rule === 'tool-removed' && tool !== null && isCalled(tool);
    const key = `${isAlone ? tool : ''} ${groupKey(change)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return foldSiblings([...groups.values()]).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { rule, level, service } = first;
    return [{ rule, level, service, fingerprint: groupFingerprint(group), changes: group, acknowledged: null }];
  });
}

/**
 * Merges groups of a service that have one cause:
 *
 * - of one rule in `FOLDED_WHOLE`: all;
 * - of one rule in `FOLDED`: those that concern exactly the same tools, and those that change members of one object of one tool, if neither
 *   concerns more than `MAX_FAMILY_TOOLS`;
 * - of arguments that were renamed: those with the same old and new name;
 * - of the rules in `SHARED`: those in which members of one name changed in the same way;
 * - of one rule in `FOLDED_BY_KEYWORD`: those in which members gained the same keyword, if `MANY_TOOLS` tools or more gained it; likewise fields
 *   of outputs that got the same type instead of another. These merge with others of their rule only if they concern exactly the same tools.
 */
function foldSiblings(groups: readonly (readonly Change[])[]): Change[][] {
  const leaders = groups.map((_, index) => index);
  const leaderOf = (index: number): number => {
    const leader = leaders[index] ?? index;
    return leader === index ? index : leaderOf(leader);
  };
  const toolsByKeyword = new Map<string | null, Set<string | null>>();
  for (const change of groups.flat()) {
    const key = keywordKey(change);
    toolsByKeyword.set(key, (toolsByKeyword.get(key) ?? new Set()).add(change.tool));
  }
  const keysOf = (group: readonly Change[]) => {
    const key = group[0] === undefined ? null : keywordKey(group[0]);
    const isWidespread = key !== null && (toolsByKeyword.get(key)?.size ?? 0) >= MANY_TOOLS;
    return isWidespread
      ? [key, ...familyKeys(group, 0), ...sharedKeys(group)]
      : [...familyKeys(group, MAX_FAMILY_TOOLS), ...sharedKeys(group)];
  };
  const groupIndexByKey = new Map<string, number>();
  for (const [index, group] of groups.entries()) {
    for (const key of keysOf(group)) {
      const [firstLeader, secondLeader] = [leaderOf(groupIndexByKey.get(key) ?? index), leaderOf(index)];
      leaders[Math.max(firstLeader, secondLeader)] = Math.min(firstLeader, secondLeader);
      groupIndexByKey.set(key, index);
    }
  }
  const families = new Map<number, Change[]>();
  for (const [index, group] of groups.entries()) {
    const leader = leaderOf(index);
    families.set(leader, [...(families.get(leader) ?? []), ...group]);
  }
  return [...families.values()].map((family) => family.sort(compareChanges));
}

function familyKeys(group: readonly Change[], maxTools: number): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const { rule, service } = first;
  if (FOLDED_WHOLE.has(rule)) return [canonicalJson([rule, service])];
  if (!FOLDED.has(rule)) return [];
  const tools = [...new Set(group.map(({ tool }) => tool))];
  const keys = [canonicalJson([rule, service, tools]), ...(tools.length > maxTools ? [] : siblingKeys(group))];
  if (rule !== 'argument-renamed') return keys;
  return [...keys, ...group.map(({ before, after }) => canonicalJson([rule, service, before, after]))];
}

/** The keyword that a member has gained, or the type that it got, which many others may have for the same reason. */
function keywordKey({ rule, service, place, before, after }: Change): string | null {
  const [, keyword = ''] = place.split('#');
  if (rule === 'output-field-retyped' && keyword === 'type')
    return canonicalJson([rule, service, keyword, before, after]);
  const isGained = FOLDED_BY_KEYWORD.has(rule) && before === undefined && isConstraint(keyword);
  return isGained ? canonicalJson([rule, service, 'gained', keyword]) : null;
}

/** A member of one name and type that is gone, or has changed alike, in arguments, answers and open parts has one cause. */
function sharedKeys([first]: readonly Change[]): string[] {
  if (first === undefined) return [];
  const { rule, service, place, before, after } = first;
  const [path = '', keyword = ''] = place.split('#');
  const kind = rule === 'open-part-narrowed' ? keyword : SHARED[rule];
  if (kind === undefined || !Object.values(SHARED).includes(kind)) return [];
  const values = [before, after].map((value) => withoutNull(isRecord(value) ? typeOf(value) : value) ?? null);
  return [canonicalJson(['shared', service, kind, lastMember(path), ...values])];
}

function siblingKeys(group: readonly Change[]): string[] {
  return group.map(({ rule, service, tool, place }) => canonicalJson([rule, service, tool, parentOf(place)]));
}

function groupKey({ rule, service, group, place, before, after, note }: Change): string {
  const shared = group ?? [memberOf(place, rule), before, after, note];
  return canonicalJson([rule, service, shared]);
}

/** A removed alternative is the same wherever it was. */
function memberOf(place: string, rule: RuleId): string {
  return rule.startsWith('alternative-') ? '' : lastMember(place);
}

/** `output.items[].owner` -> `owner`; `input.limit#maximum` -> `limit#maximum`. */
export function lastMember(place: string): string {
  const [path = '', ...keyword] = place.split('#');
  return [path.slice(path.lastIndexOf('.') + 1), ...keyword].join('#');
}

/** `output.items[].owner` -> `output.items[]`; `input.limit#maximum` -> `input`. */
export function parentOf(place: string): string {
  const [path = ''] = place.split('#');
  const end = path.lastIndexOf('.');
  return end < 0 ? path : path.slice(0, end);
}

function compareChanges(a: Change, b: Change): number {
  return (
    LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
    RULE_ORDER.indexOf(a.rule) - RULE_ORDER.indexOf(b.rule) ||
    byCodeUnit(a.service, b.service) ||
    byCodeUnit(a.tool ?? '', b.tool ?? '') ||
    byCodeUnit(a.place, b.place) ||
    byCodeUnit(a.fingerprint, b.fingerprint)
  );
}
