/** The typed call of a tool: one openapi-fetch call in which every parameter that is sent is named. */

import type { Binding, EntryExpression, ToolModel, ValueExpression } from '../tools/types.ts';
import { block, jsonLiteral, memberAccess, propertyKey, stringLiteral } from './literal.ts';
import type { OperationTypes } from './operation-types.ts';
import { parameterMembers } from './parameter-expressions.ts';

/** The arrow function of `call`, with lines after the first indented relative to the first. */
export function toCallFunction(tool: ToolModel, types: OperationTypes): string {
  const { call, operation } = tool;
  const usesArguments = tool.arguments.length > 0 && JSON.stringify(call).includes('"kind":"argument"');
  const init = block('{', initMembers(tool, types), '}');
  const lines = `client.${operation.method}(${stringLiteral(operation.path)}, ${init}),`.split('\n');
  const body = lines.map((line) => `  ${line}`).join('\n');
  return `(client, ${usesArguments ? 'args' : '_args'}, request) =>\n${body.replace(/,$/, '')}`;
}

function initMembers({ call, arguments: args }: ToolModel, types: OperationTypes): string[] {
  const optional = new Set(args.filter(({ required }) => !required).map(({ name }) => name));
  return [
    'baseUrl: request.baseUrl',
    'fetch: request.fetch',
    'signal: request.signal',
    "parseAs: 'stream'",
    ...parameterMembers(call, (place) => bindings(call[place], (name) => types.parameter(place, name), optional)),
    ...bodyMembers(call.body, types, optional),
  ];
}

function bodyMembers(body: ToolModel['call']['body'], types: OperationTypes, optional: ReadonlySet<string>): string[] {
  if (body.kind === 'none') return [];
  const content =
    body.mediaType === 'application/json' ? [] : [`headers: { 'Content-Type': ${stringLiteral(body.mediaType)} }`];
  if (body.kind === 'whole') return [...content, `body: ${valueExpression(body.value, () => 'Body', optional)}`];
  const object = bindings(body.members, (name) => types.bodyMember(name), optional);
  const value = body.required ? object : `request.optionalBody(${object})`;
  const cast = types.bodyIsAssignable ? '' : ` as Body${body.required ? '' : ' | undefined'}`;
  return [...content, `body: ${value}${cast}`];
}

function bindings(
  list: readonly Binding[],
  typeOf: (wireName: string) => string,
  optional: ReadonlySet<string>,
): string {
  const entries = list.map(
    ({ wireName, value }) => `${propertyKey(wireName)}: ${valueExpression(value, () => typeOf(wireName), optional)}`,
  );
  return block('{', entries, '}');
}

/** A value whose name is not an argument's is typed here, because no argument type would notice that it is gone. */
function valueExpression(value: ValueExpression, typeOf: () => string, optional: ReadonlySet<string>): string {
  if (value.kind === 'argument') return argumentAccess(value.name, optional);
  if (value.kind === 'constant') return `${jsonLiteral(value.value)} satisfies ${typeOf()}`;
  const entries = value.entries.map((one) => entry(one, optional));
  return `${block('{', entries, '}')} as ${typeOf()}`;
}

/** `constructor` and its like are members of every object, also where the argument was left out. */
function argumentAccess(name: string, optional: ReadonlySet<string>): string {
  const access = memberAccess('args', name);
  if (!optional.has(name) || !(name in Object.prototype)) return access;
  return `Object.hasOwn(args, ${stringLiteral(name)}) ? ${access} : undefined`;
}

/** An entry whose key is an argument that was left out has no value, and so is not sent. */
function entry({ key, value }: EntryExpression, optional: ReadonlySet<string>): string {
  const sent = value.kind === 'constant' ? jsonLiteral(value.value) : valueExpression(value, () => 'unknown', optional);
  if ('constant' in key) return `${propertyKey(key.constant)}: ${sent}`;
  const name = memberAccess('args', key.argument);
  return optional.has(key.argument)
    ? `[${name} ?? '']: ${name} === undefined ? undefined : ${sent}`
    : `[${name}]: ${sent}`;
}
