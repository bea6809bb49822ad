/** Plans form and multipart bodies: which members can be written, and how (OpenAPI 3.1 §4.8.15, Encoding Object). */

import { entryOf } from '../../json-pointer.ts';
import type { EncodingModel, MediaTypeModel, Schema } from '../../model/types.ts';
import type { BodyForm, FileRule, FormStyle, PartEncoding } from '../call-model.ts';
import { kindsOf } from '../schema/kinds.ts';
import type { BodyContext } from './context.ts';
import { fileRuleOf, toFileSchema, withFileArguments } from './files.ts';
import { isJsonMediaType, isMediaRange, isTextMediaType } from './media-types.ts';
import type { BodyMember, BodyMembers } from './members.ts';

type FormKind = 'form' | 'multipart';

interface FormPlan {
  readonly members: readonly BodyMember[];
  readonly form: BodyForm;
  /** Optional members, and headers of parts, that cannot be sent: `the part logo as image/svg+xml`. */
  readonly leftOut: readonly string[];
  /** Required members and headers that cannot be sent: the operation cannot be called. */
  readonly refusals: readonly string[];
}

/** Plans a body whose members are separate arguments. */
export function planFormMembers(
  kind: FormKind,
  content: MediaTypeModel,
  { members }: BodyMembers,
  context: BodyContext,
): FormPlan {
  const planned = members.map((member) => planMember(kind, member, entryOf(content.encoding, member.name), context));
  return {
    members: planned.flatMap(({ member }) => member ?? []),
    form: toForm(kind, planned),
    leftOut: planned.flatMap(({ leftOut }) => leftOut),
    refusals: planned.flatMap(({ refusals }) => refusals),
  };
}

/** Plans a body that is one argument: an object whose files are file arguments. */
export function planWholeForm(
  kind: FormKind,
  content: MediaTypeModel,
  context: BodyContext,
): { readonly schema: Schema; readonly form: BodyForm; readonly refusal: string | null } {
  const contentSchema = content.schema ?? {};
  const kinds = kindsOf(contentSchema, context.resolve);
  const isObject = kinds.size === 0 || kinds.has('object');
  const refusal = isObject ? null : `needs ${content.mediaType} of what is no object`;
  const { schema, files } =
    kind === 'multipart' ? withFileArguments(content, context) : { schema: contentSchema, files: {} };
  const planned = Object.entries(content.encoding ?? {})
    .filter(([name]) => !Object.hasOwn(files, name))
    .map(([name, encoding]) =>
      planMember(kind, { name, schema: {}, required: false }, encoding, { ...context, isWhole: true }),
    );
  const form = toForm(kind, planned);
  const objectSchema = kinds.size === 0 ? { type: 'object', ...schema } : schema;
  return { schema: objectSchema, form: form.kind === 'multipart' ? { ...form, files } : form, refusal };
}

interface PlannedMember {
  readonly name: string;
  /** Null if it cannot be sent. */
  readonly member: BodyMember | null;
  readonly encoding: PartEncoding | null;
  readonly file: FileRule | null;
  readonly leftOut: readonly string[];
  readonly refusals: readonly string[];
}

function planMember(
  kind: FormKind,
  member: BodyMember,
  encoding: EncodingModel | undefined,
  context: BodyContext & { readonly isWhole?: boolean },
): PlannedMember {
  const { name, schema, required } = member;
  const headers = encoding?.headers ?? [];
  const file = kind === 'multipart' && context.isWhole !== true ? fileRuleOf(schema, encoding, context) : null;
  const problems = [
    ...(file === null ? unwritable(kind, member, encoding, context) : []),
    ...headers.filter((header) => header.required).map((header) => `the header ${header.name} of the part ${name}`),
  ];
  const unsent = headers
    .filter((header) => !header.required)
    .map((header) => `the header ${header.name} of the part ${name}`);
  if (problems.length > 0) {
    const lists = required ? { leftOut: [], refusals: problems } : { leftOut: problems, refusals: [] };
    return { name, member: null, encoding: null, file: null, ...lists };
  }
  return {
    name,
    member: file === null ? member : { ...member, schema: toFileSchema(schema, file, context) },
    encoding: file === null ? toEncoding(kind, schema, encoding, context) : null,
    file,
    leftOut: unsent,
    refusals: [],
  };
}

const STYLES = new Set(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']);

function unwritable(
  kind: FormKind,
  { name, schema }: BodyMember,
  encoding: EncodingModel | undefined,
  context: BodyContext,
): readonly string[] {
  const partLabel = `the ${kind === 'form' ? 'form field' : 'part'} ${name}`;
  if (encoding?.style !== undefined && encoding.style !== null) {
    return STYLES.has(encoding.style.style) ? [] : [`the style ${encoding.style.style} of ${partLabel}`];
  }
  const types = encoding?.contentTypes ?? [];
  if (types.length === 0 || types.some(isWritable)) return [];
  return isStructure(schema, context) ? [`${partLabel} as ${types.join(', ')}`] : [];
}

function isStructure(schema: Schema, { resolve }: BodyContext): boolean {
  const kinds = kindsOf(schema, resolve);
  return kinds.has('object') && !kinds.has('string');
}

/** Objects are written as JSON only. */
function isWritable(mediaType: string): boolean {
  return isJsonMediaType(mediaType) || mediaType === '*/*' || mediaType === 'application/*';
}

function toEncoding(
  kind: FormKind,
  schema: Schema,
  encoding: EncodingModel | undefined,
  context: BodyContext,
): PartEncoding | null {
  if (encoding?.style !== undefined && encoding.style !== null) return encoding.style as FormStyle;
  if (kind === 'form') return null;
  const concrete = (encoding?.contentTypes ?? []).filter((type) => !isMediaRange(type));
  const json = concrete.find(isJsonMediaType);
  if (isStructure(schema, context))
    return json === undefined || json === 'application/json' ? null : { contentType: json };
  const contentType = concrete.find((type) => isTextMediaType(type) || isJsonMediaType(type)) ?? concrete[0];
  return contentType === undefined ? null : { contentType };
}

function toForm(kind: FormKind, planned: readonly PlannedMember[]): BodyForm {
  const encodings = planned.flatMap(({ name, encoding }) => (encoding === null ? [] : [[name, encoding] as const]));
  if (kind === 'form') {
    const styles = encodings.filter((entry): entry is [string, FormStyle] => 'style' in entry[1]);
    return { kind, styles: Object.fromEntries(styles) };
  }
  const files = planned.flatMap(({ name, file }) => (file === null ? [] : [[name, file] as const]));
  return { kind, encodings: Object.fromEntries(encodings), files: Object.fromEntries(files) };
}
