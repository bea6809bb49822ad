/** The values that a call sends, in the order of its tool's schema, for the person who decides about the call. */

import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Binding, JsonSchema, ToolRequest } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { type AnyTool, isHandWritten } from '../catalogue/permitted.ts';
import { isDeeperThan, isObject, isSchema, mapBySchema, rawNumber } from '../json.ts';
import { remarkOnLookAlikes, toVisibleJson } from './visible-text.ts';

/** Who sets a value: the client, the account that it chose, a limit of its grant, or the tool itself. */
export const ORIGINS = ['client', 'account', 'fixed', 'default', 'constant'] as const;

export const SHOWN_ARGUMENT = z.object({
  /** With the escapes of JSON, without its quotes. */
  name: z.string(),
  /** JSON of the whole value. Invisible characters are escapes, so that it parses to exactly what is sent. */
  value: z.string(),
  origin: z.enum(ORIGINS),
  /** A sentence about look-alike letters in it. */
  warning: z.string().optional(),
});

export type ShownArgument = Readonly<z.output<typeof SHOWN_ARGUMENT>>;

/** Characters of all names and values together that a person can be shown. A call with more is refused. */
export const MAX_SHOWN_LENGTH = 262_144;

const MAX_DEPTH = 100;
/** Shorter base64 is shown as it is. */
const MIN_FILE_LENGTH = 256;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** A file that is a text of at most so many bytes is shown as text. */
const MAX_FILE_TEXT_BYTES = 65_536;

/** A call whose arguments are as they are sent. */
interface CallToShow {
  readonly entry: { readonly tool: AnyTool };
  /** The account that the call uses. Undefined if the user has one account. */
  readonly account?: { readonly argument: string; readonly name: string } | undefined;
  /** Values that are fixed for the client, by argument. */
  readonly pins: Readonly<Record<string, unknown>>;
  readonly arguments: Arguments;
}

/**
 * Returns everything that the call sends apart from its credential. Constant headers and cookies are left out: they tell which version of the
 * service's interface is called.
 *
 * Required arguments come first, then the others, each in the order of the schema; then those that the schema does not name, sorted. The members of
 * objects have the same order. A long file in base64 is shown by its size and digest, and by its text if it is one.
 *
 * @returns undefined if the list is longer than `MAX_SHOWN_LENGTH`, or an argument is nested too deeply.
 */
export function listShownArguments({
  entry: { tool },
  account,
  pins,
  arguments: args,
}: CallToShow): readonly ShownArgument[] | undefined {
  if (isDeeperThan(args, MAX_DEPTH)) return undefined;
  const list: ShownArgument[] = [];
  if (account !== undefined) list.push(toShownArgument(account.argument, account.name, 'account'));
  const added = listAddedValues(tool, args);
  for (const [name, value] of Object.entries(toReadable(tool.inputSchema, args))) {
    const shown = toShownArgument(name, value, Object.hasOwn(pins, name) ? 'fixed' : 'client');
    // A tool sends its default in place of null.
    const isReplaced = value === null && added.some((other) => other.origin === 'default' && other.name === shown.name);
    if (!isReplaced) list.push(shown);
  }
  list.push(...added);
  const length = list.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  return length > MAX_SHOWN_LENGTH ? undefined : list;
}

function toShownArgument(name: string, value: unknown, origin: ShownArgument['origin']): ShownArgument {
  // As in JSON, so that no two names look the same.
  const shownName = toVisibleJson(name).slice(1, -1);
  const json = toVisibleJson(value);
  const warning = remarkOnLookAlikes(`${shownName} ${json}`);
  return warning === undefined
    ? { name: shownName, value: json, origin }
    : { name: shownName, value: json, origin, warning };
}

/** Orders members by the schema, and replaces files by what is known of them. */
function toReadable(root: JsonSchema, args: Arguments): Arguments {
  return mapBySchema(root, args, (value, schemas) => {
    if (isFile(schemas, value)) return describeFile(value);
    if (!isObject(value) || rawNumber(value) !== undefined) return value;
    return Object.fromEntries(orderNames(schemas, value).map((name) => [name, value[name]]));
  }) as Arguments;
}

function orderNames(schemas: readonly JsonSchema[], members: Arguments): string[] {
  const required = new Set(schemas.flatMap((schema) => (Array.isArray(schema.required) ? schema.required : [])));
  const declaredNames = new Set(
    schemas.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : [])),
  );
  const isPresent = (name: string) => Object.hasOwn(members, name);
  const requiredNames = [...declaredNames].filter((name) => isPresent(name) && required.has(name));
  const optionalNames = [...declaredNames].filter((name) => isPresent(name) && !required.has(name));
  const undeclaredNames = Object.keys(members).filter((name) => !declaredNames.has(name));
  return [...requiredNames, ...optionalNames, ...undeclaredNames.sort()];
}

function isFile(schemas: readonly JsonSchema[], value: unknown): value is string {
  if (typeof value !== 'string' || value.length < MIN_FILE_LENGTH) return false;
  return isWholeBase64(value) && schemas.some(({ contentEncoding }) => contentEncoding === 'base64');
}

/** True if a text is base64 and nothing else. Characters that Node skips when it decodes would be sent without being shown. */
function isWholeBase64(text: string): boolean {
  return BASE64.test(text) && text.replace(/=+$/, '').length % 4 !== 1;
}

function describeFile(base64: string): Record<string, unknown> {
  const bytes = Buffer.from(base64, 'base64');
  const file = { bytes: bytes.byteLength, sha256: hash('sha256', bytes, 'hex') };
  const isText = bytes.byteLength <= MAX_FILE_TEXT_BYTES && isUtf8(bytes) && !bytes.includes(0);
  return isText ? { ...file, text: bytes.toString() } : file;
}

/** Lists what a tool adds to the arguments of a call: defaults of arguments that are missing or null, and constants. */
function listAddedValues(tool: AnyTool, args: Arguments): readonly ShownArgument[] {
  if (isHandWritten(tool)) return [];
  const { path, query, header, cookie, body }: ToolRequest = tool.request;
  const added: ShownArgument[] = [];
  const isGiven = (name: string) => Object.hasOwn(args, name) && args[name] != null;
  const addAll = (bindings: Readonly<Record<string, Binding<unknown>>>, prefix: string) => {
    for (const [name, binding] of Object.entries(bindings)) {
      if (typeof binding !== 'object') continue;
      if ('argument' in binding && binding.default !== undefined && !isGiven(binding.argument)) {
        added.push(toShownArgument(binding.argument, binding.default, 'default'));
      }
      if ('constant' in binding) added.push(toShownArgument(prefix + name, binding.constant, 'constant'));
      if ('members' in binding) addAll(binding.members, `${prefix}${name}.`);
    }
  };
  // Parameters of two places may have one name.
  for (const bindings of [path, query, header, cookie]) addAll(bindings ?? {}, '');
  if (body === undefined) return added;
  if ('members' in body) addAll(body.members, '');
  else if ('constant' in body) added.push(toShownArgument('body', body.constant, 'constant'));
  return added;
}

/** Returns the plain value of a text or number that identifies something. */
export function toIdText(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' ? String(value) : rawNumber(value);
}
