/** The tools that a permission includes, their form for the model, and the places where pinned arguments are sent. */

import { allowsAccount, allowsService, type NamedAccount } from '../../../base/principal/allowance.ts';
import {
  type Allow,
  everyToolOf,
  type Permission,
  type PinnedValue,
  type Pins,
} from '../../../base/principal/permission.ts';
import type {
  Binding,
  Connector,
  HandWrittenTool,
  ObjectSchema,
  Tool,
  ToolFace,
  ToolRequest,
} from '../../../contract/index.ts';
import { isObject } from '../json.ts';

/** A tool of either kind. */
export type AnyTool = Tool | HandWrittenTool;

export function isHandWritten(tool: AnyTool): tool is HandWrittenTool {
  return 'run' in tool;
}

/** All tools of a connector, sorted by name. */
export function allToolsOf({ tools, handWritten = [] }: Connector): readonly AnyTool[] {
  if (handWritten.length === 0) return tools;
  return [...tools, ...handWritten].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The generated tools that a call of the tool may use: itself, those that its code calls, or the list in which it finds items.
 *
 * @throws {Error} if the connector lacks one; codegen checks that it has them all.
 */
export function usedTools({ tools }: Connector, tool: AnyTool): readonly Tool[] {
  if (!isHandWritten(tool) && tool.find === undefined) return [tool];
  const names = isHandWritten(tool) ? tool.uses : [tool.find?.list];
  return names.map((name) => {
    const used = tools.find((candidate) => candidate.name === name);
    if (used === undefined) throw new Error(`${tool.name} uses ${name}, which is no generated tool`);
    return used;
  });
}

/** A tool, and the arguments to call it with. */
interface VerifyingTool {
  readonly tool: Tool;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The connector's verifying call, or that of an extra; null if it has none. */
export function findVerifyingTool(connector: Connector, verify = connector.verify): VerifyingTool | null {
  const tool = verify === null ? undefined : connector.tools.find(({ name }) => name === verify.tool);
  return verify === null || tool === undefined ? null : { tool, arguments: verify.arguments };
}

const NO_PINS: Pins = {};

/** The arguments of a service's tools that the gateway sets. */
export function pinsOf(permission: Permission, service: string): Pins {
  return Object.hasOwn(permission.pins, service) ? (permission.pins[service] ?? NO_PINS) : NO_PINS;
}

/** Why a grant does not include a tool. `allowance`: the partner does not allow it to the user. `unpinnable`: it cannot send an argument that is fixed in its place. */
type Exclusion = 'allowance' | 'frozen' | 'destructive' | 'left_out' | 'unpinnable';

/** True if the grant includes the tool, apart from scopes. */
export function isPermitted(entry: { connector: Connector; tool: AnyTool }, permission: Permission): boolean {
  return findExclusion(entry, permission) === null;
}

/**
 * Returns the reason why the grant does not include the tool, apart from scopes. Null if the grant includes it.
 *
 * A renamed tool is also matched by its old name. A tool that cannot honour a pin is not included. Neither is a hand-written tool that uses an
 * excluded tool or a tool that cannot honour a pin.
 */
export function findExclusion(
  { connector, tool }: { connector: Connector; tool: AnyTool },
  permission: Permission,
): Exclusion | null {
  const { only, without, allows } = permission;
  if (allows !== null && !allows.some((allow) => allowsTool(allow, { connector, tool }))) return 'allowance';
  if (only !== null && !namesOf(tool).some((name) => only.includes(name))) return 'frozen';
  if (!permission.destructive && tool.annotations.destructiveHint) return 'destructive';
  const pins = pinsOf(permission, connector.name);
  if (without.length === 0 && pins === NO_PINS) return null;
  const used = usedTools(connector, tool);
  if (without.length > 0) {
    const names = [everyToolOf(connector.name), ...[tool, ...used].flatMap(namesOf)];
    if (names.some((name) => without.includes(name))) return 'left_out';
  }
  return used.every((usedTool) => honoursPins(usedTool, pins)) ? null : 'unpinnable';
}

/** Returns true if an entry of a user's allowance includes a tool. The effects of the tools that a hand-written tool uses count, too. */
export function allowsTool(
  allow: Allow,
  { connector, tool }: { readonly connector: Connector; readonly tool: AnyTool },
): boolean {
  const { effects, tools } = allow;
  if (!allowsService([allow], connector.name)) return false;
  if (tools !== null && !namesOf(tool).some((name) => tools.includes(name))) return false;
  return [tool, ...usedTools(connector, tool)].every((each) => effects.includes(effectOf(each)));
}

/** Returns true if an allowance includes calls of a tool with an account of its service: one entry must include both. */
export function allowsCall(
  allows: readonly Allow[] | null,
  entry: { readonly connector: Connector; readonly tool: AnyTool },
  account: NamedAccount,
): boolean {
  const service = entry.connector.name;
  return allows === null || allows.some((allow) => allowsTool(allow, entry) && allowsAccount(allow, service, account));
}

/** The effect of a tool on data. */
export type Effect = 'reads' | 'writes' | 'destroys';

/** The effect that a tool's hints promise. */
export function effectOf({ annotations }: ToolFace): Effect {
  if (annotations.readOnlyHint) return 'reads';
  return annotations.destructiveHint ? 'destroys' : 'writes';
}

function namesOf({ name, aliases = [] }: ToolFace): readonly string[] {
  return [name, ...aliases.map((alias) => alias.name)];
}

/** The tool as a model with that grant sees it. */
export function asPermitted(tool: ToolFace, pins: Pins): ToolFace {
  return pins === NO_PINS ? tool : { ...tool, inputSchema: withoutPinned(tool.inputSchema, pins) };
}

/** Returns the argument by which a tool chooses one of several accounts: `account`, unless the tool has another argument of that name. */
export function accountArgumentOf({ inputSchema }: ToolFace): string {
  const properties = (inputSchema.properties ?? {}) as object;
  return ['account', 'connectedAccount'].find((name) => !Object.hasOwn(properties, name)) ?? 'connectedAccountName';
}

/** The tool as a user with several accounts of its service sees it. @param names the accounts' short names, in their order. */
export function withAccounts(tool: ToolFace, { title }: Connector, names: readonly string[]): ToolFace {
  const { properties = {}, required = [] } = tool.inputSchema as { properties?: object; required?: readonly string[] };
  const argument = accountArgumentOf(tool);
  const description = `Which connected account of ${title} to use.`;
  const inputSchema = {
    ...tool.inputSchema,
    properties: { ...properties, [argument]: { type: 'string', enum: names, description } },
    required: [...required, argument],
  };
  return { ...tool, inputSchema: inputSchema as ObjectSchema };
}

/** A place that holds one argument as a plain value. */
type ArgumentLocation =
  | { readonly in: 'path'; readonly fromEnd: number }
  | { readonly in: 'query' | 'header' | 'form'; readonly name: string }
  | { readonly in: 'json'; readonly path: readonly string[] };

/** A request before it is sent, without the credential. */
interface WireRequest {
  /** Path and query. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/**
 * True if a tool sends every pinned argument in a place where its value can be checked.
 *
 * That is a whole path segment, a plain query parameter or header, or a member of a JSON or urlencoded body. A tool without the argument cannot
 * honour the pin: it would reach data that the pin excludes.
 */
function honoursPins(tool: Tool, pins: Pins): boolean {
  return Object.keys(pins).every((argument) => findLocation(tool, argument) !== null);
}

/**
 * Checks the pinned arguments of a request.
 *
 * @returns the first pinned argument that is missing, different or repeated in the request, or null if all are in place.
 */
export function findBrokenPin(tool: Tool, pins: Pins, request: WireRequest): string | null {
  const broken = Object.entries(pins).find(([argument, value]) => {
    const argumentLocation = findLocation(tool, argument);
    return argumentLocation === null || !holdsValue(request, argumentLocation, value);
  });
  return broken?.[0] ?? null;
}

function findLocation(tool: Tool, argument: string): ArgumentLocation | null {
  const properties = tool.inputSchema.properties as Readonly<Record<string, unknown>> | undefined;
  if (properties === undefined || !Object.hasOwn(properties, argument)) return null;
  const locations = locationsInTool(tool).filter(([name]) => name === argument);
  return locations.length === 1 ? (locations[0]?.[1] ?? null) : null;
}

function locationsInTool({
  operation,
  request,
}: Tool): (readonly [argument: string, place: ArgumentLocation | null])[] {
  const segments = (operation.target?.path ?? operation.path).split('/');
  const body = request.body;
  const members = body !== undefined && 'members' in body ? body.members : {};
  const locations = [
    ...locationsInBindings(request.path, (name) => {
      const segment = segments.indexOf(`{${name}}`);
      return segment < 0 ? null : { in: 'path', fromEnd: segments.length - segment };
    }),
    ...locationsInBindings(request.query, (name) => ({ in: 'query', name })),
    ...locationsInBindings(request.header, (name) => ({ in: 'header', name: name.toLowerCase() })),
    ...locationsInBindings(request.cookie, () => null),
    ...locationsInBindings(members, (name) => locationInBody(body?.as, name)),
  ];
  if (body !== undefined && 'argument' in body) locations.push([body.argument, null]);
  return locations;
}

/** Returns the location of a member of a body, or null if requests are not checked there. */
function locationInBody(format: NonNullable<ToolRequest['body']>['as'], name: string): ArgumentLocation | null {
  switch (format) {
    case undefined:
      return { in: 'json', path: [name] };
    case 'form':
      return { in: 'form', name };
    default:
      return null;
  }
}

/** Returns the arguments that fill these bindings. */
export function argumentsIn(bindings: Readonly<Record<string, Binding<object>>>): string[] {
  return locationsInBindings(bindings, () => null).map(([argument]) => argument);
}

function locationsInBindings(
  bindings: Readonly<Record<string, Binding<object>>> | undefined,
  toLocation: (name: string) => ArgumentLocation | null,
): (readonly [string, ArgumentLocation | null])[] {
  return Object.entries(bindings ?? {}).flatMap(([name, binding]) => {
    if (typeof binding === 'string') return [[binding, toLocation(name)] as const];
    if ('argument' in binding) {
      const { argument, default: _, credentials: __, ...style } = binding;
      return [[argument, Object.keys(style).length === 0 ? toLocation(name) : null] as const];
    }
    if ('constant' in binding || 'credential' in binding) return [];
    if ('members' in binding) {
      const outerLocation = toLocation(name);
      return locationsInBindings(binding.members, (inner) =>
        outerLocation?.in === 'json' ? { in: 'json', path: [...outerLocation.path, inner] } : null,
      );
    }
    const entryNames = Object.entries(binding.entries).flatMap(([key, argument]) => [
      argument,
      ...(/^\{(.+)\}$/s.exec(key)?.slice(1) ?? []),
    ]);
    return entryNames.map((argument) => [argument, null] as const);
  });
}

function holdsValue(request: WireRequest, argumentLocation: ArgumentLocation, value: PinnedValue): boolean {
  const [path = '', query = ''] = request.target.split('?', 2);
  switch (argumentLocation.in) {
    case 'path':
      // The base URL may prepend segments, but never appends any.
      return decoded(path.split('/').at(-argumentLocation.fromEnd)) === String(value);
    case 'query':
      return isOnlyValue(new URLSearchParams(query).getAll(argumentLocation.name), value);
    case 'header':
      return request.headers[argumentLocation.name] === String(value);
    case 'form':
      return isOnlyValue(new URLSearchParams(textOf(request.body)).getAll(argumentLocation.name), value);
    case 'json':
      return memberAt(textOf(request.body), argumentLocation.path) === value;
  }
}

function isOnlyValue(values: readonly string[], value: PinnedValue): boolean {
  return values.length === 1 && values[0] === String(value);
}

function decoded(segment: string | undefined): string | null {
  try {
    return segment === undefined ? null : decodeURIComponent(segment);
  } catch {
    return null;
  }
}

function textOf(body: WireRequest['body']): string {
  return typeof body === 'string' ? body : Buffer.from(body ?? []).toString('utf8');
}

function memberAt(json: string, path: readonly string[]): unknown {
  try {
    return path.reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      JSON.parse(json),
    );
  } catch {
    return undefined;
  }
}

/** Removes the arguments from `properties` and from every `required`, including alternatives. */
function withoutPinned(schema: ObjectSchema, pins: Pins): ObjectSchema {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, unknown>> };
  const unpinnedProperties = Object.entries(properties).filter(([name]) => !Object.hasOwn(pins, name));
  return { ...(withoutRequired(schema, pins) as ObjectSchema), properties: Object.fromEntries(unpinnedProperties) };
}

const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'];

function withoutRequired(schema: unknown, pins: Pins): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'required' && Array.isArray(value)) {
        return [keyword, value.filter((name) => !Object.hasOwn(pins, String(name)))];
      }
      if (!ALTERNATIVES.includes(keyword) || !Array.isArray(value)) return [keyword, value];
      return [keyword, value.map((alternative) => withoutRequired(alternative, pins))];
    }),
  );
}
