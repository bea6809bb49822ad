/** The request of a tool as plain data: maps places in the request to arguments. */

import { entryOf } from '../json-pointer.ts';
import { methodKey } from '../model/methods.ts';
import type { Binding, BodyForm, CallModel, ValueExpression } from '../tools/call-model.ts';
import type { ToolModel } from '../tools/types.ts';
import { block, jsonMember, jsonMembers, stringLiteral, unlessEmpty, WIDTH } from './literal.ts';

/** JSON in which a member that is undefined is not written. */
type Json = Readonly<Record<string, unknown>>;
type Body = Exclude<CallModel['body'], { readonly kind: 'none' }>;

const PARAMETER_LOCATIONS = ['path', 'query', 'header', 'cookie'] as const;

/**
 * `{ path: { note_id: 'noteId' } } satisfies RequestOf<paths['/notes/{note_id}']['get']>`, with each value of a query, a header, a cookie or
 * a body on lines of its own: branches that add different values merge.
 *
 * @param names that the tool describes of a body that is one argument
 */
export function toRequestLiteral({ call, operation, mcp }: ToolModel, names: readonly string[]): string {
  const places = PARAMETER_LOCATIONS.filter((location) => call[location].length > 0).map((location) => {
    const bindings = toBindings(call[location], (name) => entryOf(call.styles[location], name));
    // Every parameter of a path is required, so that none is added alone.
    if (location === 'path') return jsonMember(location, bindings, { depth: 2, breaksTexts: false });
    return `${location}: ${toLines(bindings, 3)}`;
  });
  const path = `paths[${stringLiteral(operation.path)}][${stringLiteral(methodKey(operation.method))}]`;
  const types = [path];
  if (call.body.kind !== 'none') {
    places.push(`body: ${toBodyLines(toBody(call.body))}`);
    types.push(stringLiteral(call.body.mediaType));
  }
  if (mcp !== undefined) return block('{', places, '}');
  if (names.length > 0) types.push(names.map((name) => `| ${stringLiteral(name)}`).join('\n  '));
  const type = `RequestOf<${types.join(', ')}>`;
  const isShort = names.length === 0 && `  } satisfies ${type},`.length <= WIDTH;
  return `${block('{', places, '}')} satisfies ${isShort ? type : `RequestOf<\n  ${types.join(',\n  ')}\n>`}`;
}

function toBodyLines({ members, ...body }: Json): string {
  const entries = jsonMembers(body, { depth: 3, breaksTexts: false });
  return block('{', members === undefined ? entries : [...entries, `members: ${toLines(members as Json, 4)}`], '}');
}

function toLines(values: Json, depth: number): string {
  return block('{', jsonMembers(values, { depth, breaksTexts: false }), '}');
}

function toBody(body: Body): Json {
  const { mediaType, required, form } = body;
  const head = { mediaType, as: form?.kind, optional: required ? undefined : true };
  if (body.kind === 'members') {
    return { ...head, clear: body.clear, members: toBindings(body.members, (name) => partOf(form, name)) };
  }
  const parts = form === undefined ? [] : partNames(form).map((name) => [name, withoutDefault(partOf(form, name))]);
  return { ...head, ...toSource(body.value), parts: unlessEmpty(Object.fromEntries(parts)) };
}

function toBindings(bindings: readonly Binding[], styleOf: (wireName: string) => object | undefined): Json {
  return Object.fromEntries(
    bindings.map(({ wireName, value }) => {
      const style = styleOf(wireName);
      const isPlainArgument =
        value.kind === 'argument' &&
        value.default === undefined &&
        value.credentials === undefined &&
        style === undefined;
      return [wireName, isPlainArgument ? value.name : { ...toSource(value), ...withoutDefault(style) }];
    }),
  );
}

function toSource(value: ValueExpression): Json {
  if (value.kind === 'argument') {
    return { argument: value.name, default: value.default, credentials: value.credentials };
  }
  if (value.kind === 'credential') return { credential: value.id };
  if (value.kind === 'constant') return { constant: value.value };
  if (value.kind === 'members') return { members: toBindings(value.members, () => undefined) };
  const entries = value.entries.map(({ key, argument }) => [
    'constant' in key ? key.constant : `{${key.argument}}`,
    argument,
  ]);
  return { entries: Object.fromEntries(entries) };
}

function partNames(form: BodyForm): string[] {
  if (form.kind === 'form') return Object.keys(form.styles);
  return form.kind === 'multipart' ? [...new Set([...Object.keys(form.encodings), ...Object.keys(form.files)])] : [];
}

function partOf(form: BodyForm | undefined, name: string): object | undefined {
  if (form?.kind === 'form') return entryOf(form.styles, name);
  if (form?.kind !== 'multipart') return undefined;
  const file = entryOf(form.files, name);
  return file === undefined ? entryOf(form.encodings, name) : { file: file.accepted };
}

/** A style without its default values. */
function withoutDefault(style: object | undefined): Json {
  const { allowReserved, ...otherKeys }: Json = { ...style };
  return allowReserved === true ? { ...otherKeys, allowReserved } : otherKeys;
}
