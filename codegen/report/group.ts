import { byCodeUnit, canonicalJson } from '../json.ts';
import { groupFingerprint } from './fingerprint.ts';
import { LEVELS } from './levels.ts';
import { RULES, type RuleId } from './rules.ts';
import type { Change, ChangeGroup } from './types.ts';

const RULE_ORDER = Object.keys(RULES) as RuleId[];

/** Sorted: worst level first, then as the rules are listed, then service, tool and place. */
export function groupChanges(changes: readonly Change[]): ChangeGroup[] {
  const groups = new Map<string, Change[]>();
  for (const change of [...changes].sort(compareChanges)) {
    const key = groupKey(change);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { rule, level, service } = first;
    return [{ rule, level, service, fingerprint: groupFingerprint(group), changes: group, acknowledged: null }];
  });
}

function groupKey({ rule, service, group, place, before, after, note }: Change): string {
  const shared = group ?? [lastMember(place), before, after, note];
  return canonicalJson([rule, service, shared]);
}

/** `output.items[].owner` -> `owner`; `input.limit#maximum` -> `limit#maximum`. */
function lastMember(place: string): string {
  const [path = '', ...keyword] = place.split('#');
  return [path.slice(path.lastIndexOf('.') + 1), ...keyword].join('#');
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
