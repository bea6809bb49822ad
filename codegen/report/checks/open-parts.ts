/** Parts that the budget left open: changes in them that the published schemas do not show. */

import { canonicalJson, isSame } from '../../json.ts';
import { lastMember } from '../group.ts';
import { compareSchemas, type SchemaEvent, type SchemaEventKind } from '../schema/events.ts';
import type { Finding, Schema, ToolSurface } from '../types.ts';
import { renamedArguments, toPlace, withNames } from './arguments.ts';

const ROOTS = { input: 'inputSchema', output: 'outputSchema' } as const;
type Root = keyof typeof ROOTS;

/** Changes without effect in a part that the published schema leaves open. */
const IGNORED_KINDS: ReadonlySet<SchemaEventKind> = new Set([
  'text',
  'order',
  'described-less',
  'described-more',
  'default',
]);

const NARROWING: ReadonlySet<SchemaEventKind> = new Set([
  'member-removed',
  'made-required',
  'type-changed',
  'type-narrowed',
  'enum-narrowed',
  'tightened',
  'alternative-removed',
]);

/**
 * Changes of the whole schemas beyond the published ones: each narrowed place of the input, and one finding for all
 * other changes of a schema. Empty if a side has no whole schemas.
 */
export function checkOpenParts(before: ToolSurface, after: ToolSurface): Finding[] {
  const [oldSchemas, newSchemas] = [before.wholeSchemas, after.wholeSchemas];
  if (oldSchemas === undefined || newSchemas === undefined) return [];
  return (Object.keys(ROOTS) as Root[]).flatMap((root) => {
    const member = ROOTS[root];
    if (isSame(oldSchemas[member], before[member]) && isSame(newSchemas[member], after[member])) return [];
    const publishedEvents = compareSchemas(before[member], after[member]);
    return toFindings(root, hiddenEvents(oldSchemas[member], newSchemas[member], publishedEvents));
  });
}

/**
 * Published changes are reported elsewhere. The walk may reach a shared definition at another place first, so comparing
 * places is not enough.
 */
function hiddenEvents(before: Schema, after: Schema, publishedEvents: readonly SchemaEvent[]): SchemaEvent[] {
  const publishedPlaces = new Set(publishedEvents.map(({ place }) => plainPlace(place)));
  const changes = new Set(publishedEvents.map(changeOf));
  return compareSchemas(before, after).filter(
    (event) =>
      !IGNORED_KINDS.has(event.kind) && !publishedPlaces.has(plainPlace(event.place)) && !changes.has(changeOf(event)),
  );
}

/** Codegen may write alternatives that it has no room for under the other keyword. */
function plainPlace(place: string): string {
  return place.replace(/#(anyOf|oneOf)$/, '#alternatives');
}

/** Rules about a restriction, which may only have become visible. */
const RESTRICTED: ReadonlySet<Finding['rule']> = new Set(['constraint-tightened', 'enum-narrowed', 'argument-retyped']);

/**
 * Leaves out restrictions that the tool had no room for before, if the whole schemas have had them all along: what was
 * refused by the upstream is now refused earlier.
 */
export function withoutNewlyVisible(findings: readonly Finding[], before: ToolSurface, after: ToolSurface): Finding[] {
  const oldInput = before.wholeSchemas?.inputSchema;
  const newInput = after.wholeSchemas?.inputSchema ?? after.inputSchema;
  const isGained = ({ rule, before: old }: Finding) => RESTRICTED.has(rule) && old === undefined;
  if (oldInput === undefined || !findings.some(isGained)) return [...findings];
  const events = compareSchemas(withNames(oldInput, renamedArguments(before, after)), newInput);
  const changed = events.filter(({ kind }) => kind !== 'other').map(({ place }) => toPlace('input', place));
  const members = new Set(changed.map(lastMember));
  return findings.filter((finding) => {
    const [path = '', keyword] = finding.place.split('#');
    const isWithin = keyword === 'required' && changed.some((place) => place.startsWith(`${path}.`));
    return !isGained(finding) || isWithin || members.has(lastMember(finding.place));
  });
}

/** A change without the place of its parent. */
function changeOf({ kind, place, before, after }: SchemaEvent): string {
  const member = place.slice(Math.max(place.lastIndexOf('.'), place.lastIndexOf('[')) + 1);
  return canonicalJson([kind, member, before ?? null, after ?? null]);
}

function toFindings(root: Root, events: readonly SchemaEvent[]): Finding[] {
  const pointer = [ROOTS[root]];
  const narrowed = root === 'input' ? events.filter(isNarrowing) : [];
  const otherEvents = events.filter((event) => !narrowed.includes(event));
  const findings = narrowed.map(
    ({ kind, place, before, after, note }): Finding => ({
      rule: 'open-part-narrowed',
      place: `${toPlace(root, place)}${ENDING[kind] ?? ''}`,
      pointer,
      before,
      after,
      note: note === undefined ? WORDS[kind] : `${WORDS[kind]}; ${note}`,
    }),
  );
  if (otherEvents.length === 0) return findings;
  const after = [...new Set(otherEvents.map(({ kind, place }) => `${toPlace(root, place)}: ${WORDS[kind]}`))].sort();
  return [...findings, { rule: 'open-part-changed', place: root, pointer, after }];
}

function isNarrowing({ kind, required }: SchemaEvent): boolean {
  return NARROWING.has(kind) || (kind === 'member-added' && required === true);
}

/** One rule covers many kinds of change, so the place names the kind, as a keyword does. */
const ENDING: Partial<Record<SchemaEventKind, string>> = {
  'member-added': '#required',
  'member-removed': '#removed',
  'made-required': '#required',
};

const WORDS: Readonly<Record<SchemaEventKind, string>> = {
  'member-added': 'member added',
  'member-removed': 'member removed',
  'made-required': 'made required',
  'made-optional': 'made optional',
  'type-changed': 'type changed',
  'type-widened': 'type widened',
  'type-narrowed': 'type narrowed',
  'enum-widened': 'values added',
  'enum-narrowed': 'values removed',
  tightened: 'constraint tightened',
  loosened: 'constraint loosened',
  default: 'default changed',
  text: 'text changed',
  order: 'order changed',
  'described-less': 'described less',
  'described-more': 'described more',
  'alternative-added': 'alternative added',
  'alternative-removed': 'alternative removed',
  other: 'changed',
};
