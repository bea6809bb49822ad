/** A schema of an MCP tool as it stands in the OpenAPI document: JSON Schema 2020-12, with references from its new place. */

import { quoteText } from '../../../shared/invisible.ts';
import { isRecord, setMember } from '../../json.ts';
import { wordSet } from '../../word-set.ts';
import { type Kind, kindOfMember } from '../keywords.ts';
import { UNFOLLOWED_REASON } from '../openapi/types.ts';

/** `$schema` of the dialects that can be read. Without one it is 2020-12 (MCP 2026-07-28, Tools). */
const DIALECT = /^https?:\/\/json-schema\.org\/(?:(draft-0[67])\/schema|draft\/(?:2019-09|2020-12)\/schema)#?$/;

type Converted = { readonly schema: Readonly<Record<string, unknown>> } | { readonly problem: string };

/** @param place pointer of the schema in the document: references into the schema itself lead there. */
export function convertSchema(schema: Readonly<Record<string, unknown>>, place: string): Converted {
  const { $schema: dialect, ...rest } = schema;
  const match = dialect === undefined ? [] : DIALECT.exec(String(dialect));
  if (match === null)
    return { problem: `is written in a dialect that is not supported: ${quoteText(String(dialect).slice(0, 100))}` };
  const isOld = match[1] !== undefined;
  return { schema: convert(rest, 'node', { place, isOld }) as Readonly<Record<string, unknown>> };
}

interface Target {
  readonly place: string;
  /** True for draft-06 and draft-07. */
  readonly isOld: boolean;
}

function convert(value: unknown, kind: Kind, target: Target): unknown {
  if (kind === 'opaque') return value;
  if (Array.isArray(value)) return value.map((item) => convert(item, kind, target));
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    setMember(copy, key, convert(member, kindOfMember(kind, key, member), target));
  }
  if (kind === 'map') return copy;
  if (typeof copy.$ref === 'string') return toReference(copy.$ref, copy, target);
  return target.isOld ? toNewKeywords(copy) : copy;
}

/** A reference that leads out of the schema is not followed: a server could name any file or address. */
function toReference(ref: string, schema: Record<string, unknown>, { place, isOld }: Target): object {
  const siblings = isOld ? {} : schema;
  if (ref.startsWith('#')) return { ...siblings, $ref: `#${place.replaceAll('%', '%25')}${ref.slice(1)}` };
  return { $ref: ref, [UNFOLLOWED_REASON]: 'a schema of an MCP server may refer to itself only' };
}

/** Keywords of draft-07 that have another name or form in 2020-12. */
function toNewKeywords(schema: Record<string, unknown>): object {
  const { items, additionalItems, dependencies, ...rest } = schema;
  if (Array.isArray(items)) {
    rest.prefixItems = items;
    if (additionalItems !== undefined) rest.items = additionalItems;
  } else if (items !== undefined) rest.items = items;
  if (isRecord(dependencies)) {
    const entries = Object.entries(dependencies);
    const isList = ([, value]: [string, unknown]) => Array.isArray(value);
    rest.dependentRequired = Object.fromEntries(entries.filter(isList));
    rest.dependentSchemas = Object.fromEntries(entries.filter((entry) => !isList(entry)));
  }
  return rest;
}

/** Texts that a person reads. They are cleaned before a model reads them. */
const TEXTS = wordSet('title description $comment');

/** Controls, bidirectional overrides, zero width spaces and tags: no name or value needs one. Joiners are not among them, which some languages need. */
const HIDDEN = /(?![\t\n\r])\p{Cc}|[\u180e\u200b\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e01ef}]/u;

/** Finds hidden characters in names and values of a schema. A call has to repeat those exactly, so they cannot be cleaned. */
export function hidesCharacters(value: unknown, kind: Kind = 'node'): boolean {
  if (typeof value === 'string') return HIDDEN.test(value);
  if (Array.isArray(value)) return value.some((item) => hidesCharacters(item, kind));
  if (!isRecord(value)) return false;
  return Object.entries(value).some(([key, member]) => {
    if (kind === 'node' && TEXTS.has(key)) return false;
    return HIDDEN.test(key) || hidesCharacters(member, kindOfMember(kind, key, member));
  });
}
