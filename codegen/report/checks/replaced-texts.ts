/** Texts of the upstream that ours replace: their changes show in no committed file. */

import { isSame } from '../../json.ts';
import type { Finding, ReplacedTexts, ServiceSurface, ToolSurface } from '../types.ts';

/** What the upstream changed while our text in its place stayed the same. */
export function checkReplacedTexts(before: ToolSurface, after: ToolSurface): Finding[] {
  return changesOf(before.replacedTexts, after.replacedTexts).map(({ place, ...change }) => ({
    ...change,
    rule: 'replaced-text-changed',
    place,
    group: `${after.name} ${place}`,
  }));
}

/** The same for the service: its name and its words are read by people alone. */
export function checkServiceTexts(before: ServiceSurface, after: ServiceSurface): Finding[] {
  return changesOf(before.replacedTexts, after.replacedTexts).map((change) => ({
    ...change,
    rule: /^(title|description)$/.test(change.place) ? 'service-words-changed' : 'replaced-text-changed',
  }));
}

function changesOf(before: ReplacedTexts = {}, after: ReplacedTexts = {}) {
  return Object.entries(after).flatMap(([place, now]) => {
    const old = before[place];
    const isDecided = !isSame(old?.ours, now.ours) || isSame(now.ours, now.upstream);
    if (old === undefined || isDecided || isSame(toTidy(old.upstream), toTidy(now.upstream))) return [];
    return [{ place, before: old.upstream, after: now.upstream, note: `ours: ${textOf(toTidy(now.ours))}` }];
  });
}

/** Line breaks and spaces do not count. */
function toTidy(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() : value;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
}
