/** Changes of arguments, judged by their effect on a caller. */

import { isSame, toRecord } from '../../json.ts';
import { wordSet } from '../../word-set.ts';
import type { RuleId } from '../rules.ts';
import { compareSchemas, type SchemaEvent, type SchemaEventKind } from '../schema/events.ts';
import type { Finding, SentValue, ToolSurface } from '../types.ts';

const RULE: Readonly<Record<SchemaEventKind, RuleId>> = {
  'member-added': 'argument-added',
  'member-removed': 'argument-removed',
  'made-required': 'argument-made-required',
  'made-optional': 'argument-made-optional',
  'type-changed': 'argument-retyped',
  'type-narrowed': 'argument-retyped',
  'type-widened': 'argument-type-widened',
  'enum-narrowed': 'enum-narrowed',
  'enum-widened': 'enum-widened',
  tightened: 'constraint-tightened',
  loosened: 'constraint-loosened',
  default: 'default-changed',
  text: 'argument-text-changed',
  order: 'order-changed',
  'alternative-added': 'alternative-added',
  'alternative-removed': 'alternative-removed',
  'described-less': 'argument-described-less',
  'described-more': 'argument-described-more',
  other: 'argument-schema-changed',
};

/**
 * Every difference of the input schemas. An argument that was renamed is compared with its successor.
 */
export function checkArguments(before: ToolSurface, after: ToolSurface): Finding[] {
  const renamed = renamedArguments(before, after);
  const findings: Finding[] = [...renamed].map(([old, now]) => ({
    rule: 'argument-renamed',
    place: `input.${now}`,
    before: old,
    after: now,
    pointer: ['inputSchema', 'properties', now],
    ...(addressesOf(after, now).every((address) => address.startsWith('path.')) ? { group: 'path parameters' } : {}),
  }));
  const events = withoutConsequences(compareSchemas(withNames(before.inputSchema, renamed), after.inputSchema));
  return [...findings, ...events.map((event) => toFinding(event, after))];
}

/** Keywords that apply to some types only, or choose between types. The members of an object are not among them. */
const OF_ONE_TYPE = wordSet(
  'items prefixItems minItems maxItems uniqueItems contains minLength maxLength pattern format minimum maximum multipleOf additionalProperties propertyNames anyOf oneOf',
);

/** Leaves out what only follows from another type of the same place, such as the items of what became a list: the type is one decision. */
function withoutConsequences(events: readonly SchemaEvent[]): SchemaEvent[] {
  const retyped = events.filter(({ kind }) => kind === 'type-changed').map(({ place }) => place.replace(/#type$/, ''));
  return events.filter(({ kind, place }) => {
    const [owner = '', keyword = ''] = place.split('#');
    const isRestriction = /^(?:tightened|loosened|alternative-\w+)$/.test(kind);
    return !isRestriction || !retyped.includes(owner) || !OF_ONE_TYPE.has(keyword);
  });
}

function toFinding(event: SchemaEvent, tool: ToolSurface): Finding {
  const { kind, place, pointer, required, ...rest } = event;
  const isRequired = kind === 'member-added' && required === true;
  const isOfVersion = kind === 'default' && addressesOf(tool, place.split('#')[0] ?? '').some(isVersion);
  const rule = isRequired ? 'argument-added-required' : isOfVersion ? 'version-changed' : RULE[kind];
  return { rule, place: toPlace('input', place), pointer: ['inputSchema', ...pointer], ...rest };
}

/** True for the address of the version of an API, such as `header.Notion-Version` or `query.api-version`. */
export function isVersion(address: string): boolean {
  return /^(header\..*(version|revision)|query\..*api[-_.]?version)/i.test(address);
}

/** `input`, `input.filter` or `input#required`. */
export function toPlace(root: 'input' | 'output', place: string): string {
  return place === '' || place.startsWith('#') || place.startsWith('[') ? `${root}${place}` : `${root}.${place}`;
}

/**
 * Old name -> new name of arguments that fill the same places of the call, and of a required one whose place has another
 * name too.
 */
export function renamedArguments(before: ToolSurface, after: ToolSurface): ReadonlyMap<string, string> {
  const [old, now] = [argumentNames(before), argumentNames(after)];
  const renamed = new Map<string, string>();
  for (const name of old.filter((oldName) => !now.includes(oldName))) {
    const addresses = addressesOf(before, name);
    if (addresses.length === 0) continue;
    const successor = now.find((newName) => !old.includes(newName) && isSame(addressesOf(after, newName), addresses));
    if (successor !== undefined) renamed.set(name, successor);
  }
  const [gone, otherGone] = requiredNames(before).filter((name) => !now.includes(name) && !renamed.has(name));
  const successors = new Set(renamed.values());
  const [added, otherAdded] = requiredNames(after).filter((name) => !old.includes(name) && !successors.has(name));
  const isOnlyOne = otherGone === undefined && otherAdded === undefined;
  if (gone !== undefined && added !== undefined && isOnlyOne) {
    if (isSame(kindOf(before, gone), kindOf(after, added))) renamed.set(gone, added);
  }
  return renamed;
}

function requiredNames({ inputSchema: { required } }: ToolSurface): string[] {
  return Array.isArray(required) ? required : [];
}

/** The schema of an argument without its text, and the objects of the request that it is in. Those of a path tell nothing. */
function kindOf(tool: ToolSurface, name: string): unknown {
  const { description: _, ...schema } = toRecord(toRecord(tool.inputSchema.properties)[name]);
  const parents = addressesOf(tool, name).map((address) =>
    address.startsWith('path.') ? address : address.replace(/[^.]*$/, ''),
  );
  return { schema, parents };
}

/** A schema of arguments with other names. */
export function withNames(
  schema: ToolSurface['inputSchema'],
  names: ReadonlyMap<string, string>,
): ToolSurface['inputSchema'] {
  if (names.size === 0) return schema;
  const rename = (name: string) => names.get(name) ?? name;
  const properties = Object.entries((schema.properties ?? {}) as Record<string, unknown>);
  return {
    ...schema,
    properties: Object.fromEntries(properties.map(([name, value]) => [rename(name), value])),
    ...(Array.isArray(schema.required) ? { required: schema.required.map((name) => rename(String(name))) } : {}),
  };
}

export function argumentNames({ inputSchema }: ToolSurface): string[] {
  return Object.keys((inputSchema.properties ?? {}) as Record<string, unknown>);
}

/** Addresses that an argument fills. */
export function addressesOf({ sends }: ToolSurface, name: string): string[] {
  return Object.entries(sends)
    .filter(([, sentValue]: [string, SentValue]) => sentValue.kind === 'argument' && sentValue.name === name)
    .map(([address]) => address)
    .sort();
}
