/** The types of a tool file: where in `schema.d.ts` the type of each argument is found. */

import type { ParameterPlace } from '../model/types.ts';
import type { ArgumentModel, ToolModel } from '../tools/types.ts';
import { type BodyShape, memberNames } from './body-shape.ts';
import { toTypeScriptType } from './json-schema-type.ts';
import { memberName, stringLiteral } from './literal.ts';

const PLACES: readonly ParameterPlace[] = ['path', 'query', 'header', 'cookie'];

const ALIASES: Readonly<Record<ParameterPlace, string>> = {
  path: 'Path',
  query: 'Query',
  header: 'Header',
  cookie: 'Cookie',
};

export interface OperationTypes {
  /**
   * False: an object of the tool's members is not assignable to the type of the body. That is a union, or it demands
   * members that a tool may leave out, because the body as a whole may be left out.
   */
  readonly bodyIsAssignable: boolean;
  /** Type of one parameter, such as `Query['page_size']`. */
  parameter(place: ParameterPlace, wireName: string): string;
  /** Type of one member of the body. */
  bodyMember(wireName: string): string;
  /** `type` declarations that the arguments and the call refer to, in the order in which they depend on one another. */
  readonly aliases: readonly { readonly name: string; readonly type: string }[];
  /** Members of the `Arguments` interface, such as `pageSize?: Query['page_size']`. */
  readonly members: readonly { readonly name: string; readonly optional: boolean; readonly type: string }[];
  /** Names that the file imports from `schema.d.ts`. */
  readonly schemaImports: readonly string[];
  /** Names that the file imports from `contract.ts` besides `Tool`. */
  readonly contractImports: readonly string[];
}

/** @param shape Null for a tool without a body. */
export function toOperationTypes(tool: ToolModel, shape: BodyShape | null): OperationTypes {
  const { call, operation } = tool;
  const plain = shape?.plain ?? true;
  const parameter = (place: ParameterPlace, wireName: string) => `${ALIASES[place]}[${stringLiteral(wireName)}]`;
  const bodyMember = (wireName: string) =>
    plain ? `Body[${stringLiteral(wireName)}]` : `BodyMember<Body, ${stringLiteral(wireName)}>`;

  const members = tool.arguments.map((argument) => ({
    name: memberName(argument.name),
    optional: !argument.required,
    type: argumentType(argument, call.body, parameter, bodyMember, wholeBody(argument, tool, shape)),
  }));
  const operationType = `paths[${stringLiteral(operation.path)}][${stringLiteral(operation.method.toLowerCase())}]`;
  const places = [
    ...PLACES.filter((place) => isPlaceUsed(tool, place)).map((place) => ({
      name: ALIASES[place],
      type: placeType(place),
    })),
    ...(call.body.kind === 'none'
      ? []
      : [{ name: 'Body', type: bodyType(call.body.mediaType, shape?.marked === true) }]),
  ];
  return {
    bodyIsAssignable: plain && !(call.body.kind === 'members' && !call.body.required && shape?.demands === true),
    parameter,
    bodyMember,
    aliases: places.length > 0 ? [{ name: 'Operation', type: operationType }, ...places] : [],
    members,
    schemaImports: places.length === 0 ? [] : shape?.marked === true ? ['Writable', 'paths'] : ['paths'],
    contractImports: [
      ...(call.body.kind === 'members' && !plain ? ['BodyMember'] : []),
      ...(members.some(({ type }) => type.startsWith('FileArgument')) ? ['FileArgument'] : []),
      ...(members.some(({ type }) => type.startsWith('WholeBody<')) ? ['WholeBody'] : []),
    ],
  };
}

function isPlaceUsed({ arguments: args, call }: ToolModel, place: ParameterPlace): boolean {
  return (
    args.some(({ wire }) => wire?.in === place) ||
    call[place].some(({ value }) => value.kind === 'constant' || value.kind === 'entries')
  );
}

/** What arguments are that `schema.d.ts` has no type for: files, and texts that hold a whole body. */
function ownBodyType(wireName: string | null, body: ToolModel['call']['body']): string | null {
  const form = body.kind === 'none' ? undefined : body.form;
  if (form?.kind === 'text' || form?.kind === 'bytes') return 'string';
  if (form?.kind === 'file') return 'FileArgument';
  if (wireName === null || form?.kind !== 'multipart' || !Object.hasOwn(form.files, wireName)) return null;
  return form.files[wireName]?.many === true ? 'FileArgument[]' : 'FileArgument';
}

function argumentType(
  { wire, schema }: ArgumentModel,
  body: ToolModel['call']['body'],
  parameter: OperationTypes['parameter'],
  bodyMember: OperationTypes['bodyMember'],
  wholeBodyType: string,
): string {
  if (wire === null) return toTypeScriptType(schema);
  if (wire.in !== 'body') return parameter(wire.in, wire.name);
  const own = ownBodyType(wire.name, body);
  if (own !== null) return own;
  return wire.name === null ? wholeBodyType : bodyMember(wire.name);
}

/** The body as one argument, with the names of those members that the tool describes and the descriptor has. */
function wholeBody({ schema }: ArgumentModel, { inputSchema }: ToolModel, shape: BodyShape | null): string {
  const names = memberNames(inputSchema, schema).filter((name) => shape?.names.includes(name));
  if (names.length === 0) return 'Body';
  const line = names.map(stringLiteral).join(' | ');
  const union = line.length < 80 ? line : `\n${names.map((name) => `    | ${stringLiteral(name)}\n`).join('')}  `;
  return `WholeBody<Body, ${union}>`;
}

function placeType(place: ParameterPlace): string {
  const type = `Operation['parameters']['${place}']`;
  return place === 'path' ? type : `NonNullable<${type}>`;
}

function bodyType(mediaType: string, marked: boolean): string {
  const type = `NonNullable<Operation['requestBody']>['content'][${stringLiteral(mediaType)}]`;
  return marked ? `Writable<${type}>` : type;
}
