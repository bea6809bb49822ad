/** Finds the members of a multipart body that are files, and writes the schema of the argument that carries one. */

import { withoutUndefined } from '../../json.ts';
import { entryOf } from '../../json-pointer.ts';
import type { EncodingModel, MediaTypeModel, Schema } from '../../model/types.ts';
import type { FileRule } from '../call-model.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { isNull } from '../schema/nulls.ts';
import { alternativesOf, schemaList, schemaMap, toSchema, typesOf } from '../schema/readers.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences } from '../words/texts.ts';
import type { BodyContext } from './context.ts';
import { essenceOf, isJsonMediaType, isMediaRange, isTextMediaType } from './media-types.ts';

const MAX_DEPTH = 4;
const ANY_BYTES = 'application/octet-stream';

/** True if a multipart body has a member that is a file. */
export function holdsFile({ schema, encoding }: MediaTypeModel, context: BodyContext, depth = 0): boolean {
  const { schema: merged } = mergeAllOf(schema ?? {}, context.resolve);
  const variants = depth < MAX_DEPTH ? variantsOf(merged) : [];
  return (
    schemaMap(merged, 'properties').some(
      ([name, member]) => fileRuleOf(member, entryOf(encoding, name), context) !== null,
    ) || variants.some((variant) => holdsFile({ schema: variant, encoding } as MediaTypeModel, context, depth + 1))
  );
}

/**
 * The file rule of a member of a multipart body, or null if it is not a file.
 *
 * A file has `format: binary` (OpenAPI 3.0), a content type that is neither text nor JSON, or an empty schema (OpenAPI
 * 3.1). A value with a `contentEncoding` or `format: byte` is base64 text and stays that.
 */
export function fileRuleOf(
  schema: Schema,
  encoding: EncodingModel | undefined,
  context: BodyContext,
  depth = 0,
): FileRule | null {
  const { schema: merged } = mergeAllOf(schema, context.resolve);
  if (depth > MAX_DEPTH) return null;
  const rules = variantsOf(merged).map((variant) => fileRuleOf(variant, encoding, context, depth + 1));
  const fileRules = rules.filter((rule) => rule !== null);
  if (fileRules.length > 0) {
    return {
      accepted: [...new Set(fileRules.flatMap(({ accepted }) => accepted))],
      many: fileRules.some(({ many }) => many),
    };
  }
  const types = typesOf(merged).filter((type) => type !== 'null');
  if (types.length === 1 && types[0] === 'array') {
    const rule = fileRuleOf(toSchema(merged.items), encoding, context, depth + 1);
    return rule === null || rule.many ? null : { ...rule, many: true };
  }
  if (!isFile(merged, types, encoding?.contentTypes ?? [], context)) return null;
  const stated = encoding?.contentTypes ?? [];
  return { accepted: toAccepted(stated.length > 0 ? stated : [merged.contentMediaType]), many: false };
}

function isFile(
  schema: Schema,
  types: readonly string[],
  contentTypes: readonly string[],
  { openapi }: BodyContext,
): boolean {
  if (types.some((type) => type !== 'string') || schema.enum !== undefined || schema.const !== undefined) return false;
  if (schema.contentEncoding !== undefined || schema.format === 'byte') return false;
  if (schema.format === 'binary') return true;
  if (contentTypes.length > 0) return !contentTypes.some(isWords);
  if (typeof schema.contentMediaType === 'string') return !isWords(schema.contentMediaType);
  return openapi === '3.1' && types.length === 0 && variantsOf(schema).length === 0;
}

function isWords(mediaType: string): boolean {
  return isJsonMediaType(mediaType) || isTextMediaType(mediaType);
}

/** `application/octet-stream` means that any type is accepted. */
function toAccepted(types: readonly unknown[]): string[] {
  const mediaTypes = types.filter((type): type is string => typeof type === 'string' && type.includes('/'));
  return mediaTypes.some((type) => [ANY_BYTES, '*/*'].includes(essenceOf(type))) ? [] : mediaTypes;
}

function variantsOf(schema: Schema): readonly Schema[] {
  return alternativesOf(schema).filter((variant) => !isNull(variant));
}

/** The schema of an argument that is a file, or an array of files, with the descriptor's description. */
export function toFileSchema(schema: Schema, rule: FileRule, { resolve }: BodyContext): Schema {
  const { schema: merged } = mergeAllOf(schema, resolve);
  const description = toPlainText(merged.description);
  const deprecated = merged.deprecated === true || undefined;
  if (!rule.many) return withoutUndefined({ ...toOneFile(description, rule.accepted), deprecated });
  const array = typesOf(merged).includes('array') ? merged : {};
  const inner = toPlainText(mergeAllOf(toSchema(array.items), resolve).schema.description);
  return withoutUndefined({
    type: 'array',
    description: description || undefined,
    items: toOneFile(inner, rule.accepted),
    minItems: array.minItems,
    maxItems: array.maxItems,
    deprecated,
  });
}

/**
 * @param own the descriptor's description
 * @param accepted media types and ranges, or none for any. If there are only ranges, the argument must name a type.
 * @param isPart true for a part of a multipart body, whose file name is sent as well
 */
export function toOneFile(own: string, accepted: readonly string[], isPart = true): Schema {
  const fallback = accepted.length === 0 ? ANY_BYTES : accepted.find((type) => !isMediaRange(type));
  return {
    type: 'object',
    description: joinSentences(own, 'A file, its content in base64.'),
    properties: withoutUndefined({
      data: { type: 'string', description: 'Content of the file in base64.', contentEncoding: 'base64' },
      name: isPart ? { type: 'string', description: 'Name of the file.', examples: ['report.pdf'] } : undefined,
      mimeType: toMimeType(accepted, fallback),
    }),
    required: fallback === undefined ? ['data', 'mimeType'] : ['data'],
    additionalProperties: false,
  };
}

/** A media type of each range, for examples. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'image/*': 'image/png',
  'audio/*': 'audio/mpeg',
  'video/*': 'video/mp4',
  'text/*': 'text/plain',
  'font/*': 'font/woff2',
};

function toMimeType(accepted: readonly string[], fallback: string | undefined): Schema {
  const byDefault = fallback === undefined ? '' : ` Default: ${fallback}.`;
  const ranges = accepted.filter(isMediaRange);
  const isClosed = accepted.length > 0 && ranges.length === 0;
  const accepts = isClosed || accepted.length === 0 ? '' : `, of ${accepted.join(' or ')}`;
  const description = `Media type of the content${accepts}.${byDefault}`;
  if (isClosed) return { type: 'string', description, enum: accepted };
  const [first] = ranges.length === 0 ? ['image/*'] : ranges;
  return { type: 'string', description, examples: [EXAMPLES[essenceOf(first ?? '')] ?? ANY_BYTES] };
}

/** A whole multipart body whose files are file arguments; `files` by member. */
export function withFileArguments(
  content: MediaTypeModel,
  context: BodyContext,
): { readonly schema: Schema; readonly files: Readonly<Record<string, FileRule>> } {
  const files: Record<string, FileRule> = {};
  const rewrite = (schema: Schema, depth: number): Schema => {
    if (depth > MAX_DEPTH || !holdsFile({ ...content, schema }, context)) return schema;
    const { schema: merged, leftovers } = mergeAllOf(schema, context.resolve);
    const properties = schemaMap(merged, 'properties').map(([name, member]) => {
      const rule = fileRuleOf(member, entryOf(content.encoding, name), context);
      if (rule === null) return [name, member] as const;
      files[name] = rule;
      return [name, toFileSchema(member, rule, context)] as const;
    });
    const variants = (['anyOf', 'oneOf'] as const).flatMap((keyword) => {
      const list = schemaList(merged, keyword).map((variant) => rewrite(variant, depth + 1));
      return list.length === 0 ? [] : [[keyword, list] as const];
    });
    const result: Record<string, unknown> = { ...merged, ...Object.fromEntries(variants) };
    if (properties.length > 0) result.properties = Object.fromEntries(properties);
    if (leftovers.length > 0) result.allOf = leftovers;
    return result;
  };
  return { schema: rewrite(content.schema ?? {}, 0), files };
}
