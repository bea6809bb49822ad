/** Finds the value that a condition probably means, if no item has the value that it names. */

import type { JsonSchema, Tool } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { asSchemas, isSchema } from '../json.ts';
import { findNearest } from '../nearest.ts';
import { followPath } from '../results/fields.ts';
import type { Term } from './condition.ts';
import type { ListedItems } from './items.ts';

/** Values of one member that are named. */
const MAX_NAMED = 8;
const MAX_TEXT = 60;
/** Texts in a description that are written as values: `FINALIZED`, `in_review`, and what stands in quotes. */
const VALUE = /"([^"\s]{2,40})"|`([^`\s]{2,40})`|\b([A-Z][A-Z0-9_]{2,39}|[a-z]+(?:_[a-z0-9]+)+)\b/g;

/**
 * Describes, for each text of a condition that is no known value of its member, the nearest known value; if there is none, the documented
 * values. Known values are those that the tool documents, and those of the items that were read.
 *
 * @param seen returns the texts that items had in a member.
 */
export function describeKnownValues(
  terms: readonly Term[],
  {
    tool,
    items,
    seen,
  }: { readonly tool: Tool; readonly items: ListedItems; readonly seen: (member: string) => readonly string[] },
): string[] {
  return terms.flatMap(({ member, operator, operand }) => {
    if (operator !== 'equals' && operator !== 'in') return [];
    const documented = documentedValues(tool, items, member);
    const known = [...new Set([...documented, ...seen(member)])];
    const texts = [operand].flat().filter((value) => typeof value === 'string');
    return texts.flatMap((text) => describeUnknown(member, text, { documented, known }));
  });
}

/** Says the same of the arguments of a list that came back empty. They are wrong only if a documented value is near. */
export function describeKnownArguments({ inputSchema: { properties } }: Tool, args: Arguments): string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    const schema = isSchema(properties) ? properties[name] : undefined;
    if (typeof value !== 'string' || !isSchema(schema)) return [];
    return describeUnknown(name, value, { documented: [], known: valuesOf(schema) });
  });
}

function describeUnknown(
  name: string,
  text: string,
  { documented, known }: { readonly documented: readonly string[]; readonly known: readonly string[] },
): string[] {
  if (known.includes(text)) return [];
  const [nearest] = findNearest(text, known);
  const shortText = JSON.stringify(text.slice(0, MAX_TEXT));
  if (nearest !== undefined)
    return [`${shortText} is no known value of ${JSON.stringify(name)}. Did you mean ${JSON.stringify(nearest)}?`];
  if (documented.length === 0) return [];
  return [`Documented values of ${JSON.stringify(name)}: ${documented.slice(0, MAX_NAMED).join(', ')}.`];
}

/** The values of a member that its schema, or the argument by which the service filters it, lists or describes. */
function documentedValues({ filters = {}, inputSchema: { properties } }: Tool, items: ListedItems, member: string) {
  const names = Object.hasOwn(filters, member) ? Object.values(filters[member] ?? {}) : [];
  const filterSchemas = names.map((name) => (isSchema(properties) ? properties[name] : undefined)).filter(isSchema);
  const values = [...followPath(items.schema, member).schemas, ...filterSchemas].flatMap(valuesOf);
  return [...new Set(values)];
}

function valuesOf(schema: JsonSchema): string[] {
  const { enum: listed, description, anyOf, oneOf, items } = schema;
  const inner = [...asSchemas(anyOf), ...asSchemas(oneOf), ...(isSchema(items) ? [items] : [])];
  if (Array.isArray(listed)) return listed.filter((value) => typeof value === 'string');
  const described = typeof description === 'string' ? [...description.matchAll(VALUE)] : [];
  return [...described.map(([, quoted, code, plain]) => quoted ?? code ?? plain ?? ''), ...inner.flatMap(valuesOf)];
}
