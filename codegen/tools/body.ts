/** Decides how the request body of an operation becomes arguments: member by member, or whole. */

import type { MediaTypeModel, OperationModel, Schema } from '../model/types.ts';
import { essenceOf, isJsonMediaType } from './media-types.ts';
import { isReadOnly, mergeAllOf } from './merge.ts';
import type { Report } from './report.ts';
import {
  canonicalJson,
  isNever,
  propertyOf,
  type Resolve,
  refOf,
  requiredOf,
  schemaList,
  schemaMap,
  typesOf,
} from './schema.ts';
import { joinSentences, toCleanText } from './texts.ts';

/** A choice among members of a body: `all` of one group of wire names, or of at least one. */
export interface BodyChoice {
  readonly mode: 'exactly one' | 'at least one';
  readonly groups: readonly (readonly string[])[];
}

export type BodyPlan =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'members';
      readonly mediaType: string;
      readonly required: boolean;
      readonly members: readonly {
        readonly name: string;
        readonly schema: Schema;
        readonly required: boolean;
      }[];
      readonly choices: readonly BodyChoice[];
      /** Members that the body needs as soon as there is one, where the body itself is optional. */
      readonly neededTogether: readonly string[];
      readonly pointer: string;
    }
  | {
      readonly kind: 'whole';
      readonly mediaType: string;
      readonly required: boolean;
      readonly schema: Schema;
      /** The descriptor's words, and the forms that the body can have where there are several. */
      readonly description: string;
      readonly pointer: string;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Plans the body of an operation. An object is offered member by member where that loses nothing: no other members
 * than the named ones, and alternatives that only say which members are required. Anything else is one argument.
 */
export function planBody(operation: OperationModel, resolve: Resolve, report: Report): BodyPlan {
  const { body } = operation;
  if (body === null) return { kind: 'none' };
  if (operation.method === 'GET' || operation.method === 'HEAD') {
    if (body.required) return { kind: 'refused', reason: `needs a request body with ${operation.method}` };
    report.descriptor(
      'parameter-left-out',
      body.pointer,
      `The tool for ${operation.method} ${operation.path} sends no request body: ${operation.method} has none.`,
    );
    return { kind: 'none' };
  }
  const json = body.contents.filter(({ mediaType }) => isJsonMediaType(mediaType));
  const content = json.find(({ mediaType }) => essenceOf(mediaType) === 'application/json') ?? json[0];
  if (content === undefined) {
    const types = body.contents.map(({ mediaType }) => mediaType).join(', ') || 'an unnamed media type';
    return { kind: 'refused', reason: `needs a request body as ${types}` };
  }
  warnOfOtherForms(operation, content, json, report);
  const schema = content.schema ?? {};
  const common = { mediaType: content.mediaType, required: body.required, pointer: content.pointer };
  const members = toMembers(schema, resolve);
  if (members !== null) {
    const needed = members.members.filter(({ required }) => required).map(({ name }) => name);
    return {
      kind: 'members',
      ...common,
      choices: members.choices,
      members: body.required ? members.members : members.members.map((member) => ({ ...member, required: false })),
      neededTogether: body.required ? [] : needed,
    };
  }
  const forms = toForms(schema, resolve);
  if (forms !== '') {
    report.descriptor(
      'body-ambiguous',
      content.pointer,
      `The request body of ${operation.method} ${operation.path} has several forms, and became one argument.`,
    );
  }
  const own = toCleanText(body.description) || toCleanText(mergeAllOf(schema, resolve).schema.description);
  return { kind: 'whole', ...common, schema, description: forms === '' ? own : joinSentences(own, forms) };
}

function warnOfOtherForms(
  operation: OperationModel,
  chosen: MediaTypeModel,
  json: readonly MediaTypeModel[],
  report: Report,
): void {
  const others = json.filter(
    (content) => content !== chosen && canonicalJson(content.schema) !== canonicalJson(chosen.schema),
  );
  if (others.length === 0) return;
  const names = others.map(({ mediaType }) => mediaType).join(', ');
  report.descriptor(
    'body-ambiguous',
    chosen.pointer,
    `${operation.method} ${operation.path} takes its body as ${chosen.mediaType} or as ${names} with another schema; the tool sends ${chosen.mediaType}.`,
  );
}

const CLOSED_KEYWORDS = [
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedProperties',
  'not',
  'if',
  'minProperties',
  'maxProperties',
  'const',
  'enum',
] as const;

function toMembers(
  root: Schema,
  resolve: Resolve,
): {
  readonly members: readonly { readonly name: string; readonly schema: Schema; readonly required: boolean }[];
  readonly choices: readonly BodyChoice[];
} | null {
  const { schema, leftovers } = mergeAllOf(withoutFalseChoices(root, resolve), resolve);
  const types = typesOf(schema).filter((type) => type !== 'null');
  const additional = schema.additionalProperties;
  if (leftovers.length > 0 || types.length !== 1 || types[0] !== 'object') return null;
  if (additional !== undefined && !isNever(additional)) return null;
  const asksForSome = schema.minProperties === 1;
  if (
    CLOSED_KEYWORDS.some((keyword) => schema[keyword] !== undefined && !(keyword === 'minProperties' && asksForSome))
  ) {
    return null;
  }
  const properties = schemaMap(schema, 'properties');
  if (properties.length === 0 && additional === undefined) return null;
  const choices = toChoices(schema);
  if (choices === null) return null;
  const required = new Set(requiredOf(schema));
  const offered = properties.filter(([, member]) => !isReadOnly(member, resolve));
  const names = new Set(offered.map(([name]) => name));
  if ([...required].some((name) => !names.has(name) && propertyOf(schema, name) === null)) return null;
  const some: BodyChoice[] =
    asksForSome && required.size === 0 ? [{ mode: 'at least one', groups: [...names].map((name) => [name]) }] : [];
  return {
    members: offered.map(([name, member]) => ({ name, schema: member, required: required.has(name) })),
    choices: [...choices, ...some],
  };
}

const MAX_CHOICE_DEPTH = 8;

/** Merges alternatives of which there is only one. */
function withoutFalseChoices(schema: Schema, resolve: Resolve, depth = 0): Schema {
  const { schema: merged, leftovers } = mergeAllOf(schema, resolve);
  if (leftovers.length > 0 || depth > MAX_CHOICE_DEPTH) return schema;
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const real = schemaList(merged, keyword).filter((variant) => variant.type !== 'null');
    const only = real[0];
    if (real.length !== 1 || only === undefined) continue;
    const { [keyword]: _, ...rest } = merged;
    return withoutFalseChoices({ allOf: [only, rest] }, resolve, depth + 1);
  }
  return merged;
}

/** The alternatives at the root as choices of members; null where a variant says more than `required`. */
function toChoices(schema: Schema): readonly BodyChoice[] | null {
  const choices: BodyChoice[] = [];
  const always = new Set(requiredOf(schema));
  for (const [keyword, mode] of [
    ['oneOf', 'exactly one'],
    ['anyOf', 'at least one'],
  ] as const) {
    const variants = schemaList(schema, keyword);
    if (variants.length === 0) continue;
    if (!variants.every((variant) => onlyRequires(variant, schema))) return null;
    const groups = variants.map((variant) => requiredOf(variant).filter((name) => !always.has(name)));
    if (groups.every((group) => group.length > 0)) choices.push({ mode, groups });
  }
  return choices;
}

const VARIANT_KEYWORDS = new Set(['required', 'title', 'description', 'type', 'properties']);

function onlyRequires(variant: Schema, root: Schema): boolean {
  if (!Object.keys(variant).every((keyword) => VARIANT_KEYWORDS.has(keyword))) return false;
  if (variant.type !== undefined && variant.type !== 'object') return false;
  if (!requiredOf(variant).every((name) => propertyOf(root, name) !== null)) return false;
  return schemaMap(variant, 'properties').every(([name, member]) => {
    const shared = propertyOf(root, name);
    return shared !== null && (Object.keys(member).length === 0 || canonicalJson(member) === canonicalJson(shared));
  });
}

/** `One of these forms: CreditCard (number, cvc); BankAccount (iban).`, or nothing where there is no choice. */
function toForms(schema: Schema, resolve: Resolve): string {
  const { schema: merged } = mergeAllOf(schema, resolve);
  for (const [keyword, lead] of [
    ['oneOf', 'Exactly one of these forms'],
    ['anyOf', 'One of these forms'],
  ] as const) {
    const variants = schemaList(merged, keyword).filter((variant) => variant.type !== 'null');
    if (variants.length > 1) {
      return `${lead}: ${variants.map((variant, index) => toForm(variant, index, resolve)).join('; ')}.`;
    }
  }
  return '';
}

function toForm(variant: Schema, index: number, resolve: Resolve): string {
  const { schema } = mergeAllOf(variant, resolve);
  const title = toCleanText(schema.title) || (refOf(variant)?.split('/').at(-1) ?? '');
  const types = typesOf(schema);
  const members =
    requiredOf(schema).length > 0 ? requiredOf(schema) : schemaMap(schema, 'properties').map(([name]) => name);
  const kind =
    types[0] === 'object' || types.length === 0 ? members.slice(0, 8).join(', ') : toKind(schema, types, resolve);
  const label = title === '' ? `(${index + 1})` : title;
  return kind === '' ? label : title === '' ? `${label} ${kind}` : `${label} (${kind})`;
}

function toKind(schema: Schema, types: readonly string[], resolve: Resolve): string {
  if (types[0] !== 'array') return types.join(' or ');
  const items = schema.items;
  const inner = typeof items === 'object' && items !== null ? typesOf(mergeAllOf(items as Schema, resolve).schema) : [];
  return inner.length === 0 ? 'array' : `array of ${inner.join(' or ')}`;
}
