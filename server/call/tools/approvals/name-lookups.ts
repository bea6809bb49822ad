/** Finds the reading tools that say what the ids of a call belong to, and reads names out of their answers. */

import type { Connector, Tool } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { type AnyTool, isHandWritten } from '../catalogue/permitted.ts';
import { isObject, stableJson } from '../json.ts';
import { toIdText } from './shown-arguments.ts';
import { toVisibleJson } from './visible-text.ts';

/** Ids of one approval that get a line, with their name or why there is none. */
const MAX_NAMED_IDS = 100;

/** A call of a reading tool that says what an id belongs to. */
export interface NameLookup extends ReadingCall {
  readonly argument: string;
  readonly id: string;
}

/** A call of a tool that only reads. */
export interface ReadingCall {
  readonly tool: Tool;
  readonly args: Arguments;
}

/** Reading tools of a connector that answer with one thing. */
interface ReadingTools {
  /** By server and path, in which parameters have no names. */
  readonly byPath: ReadonlyMap<string, ReadingTool>;
  /** Reading tools by the argument of the last parameter of their path. Undefined if several tools have such an argument. */
  readonly byArgument: ReadonlyMap<string, ReadingTool | undefined>;
}

interface ReadingTool {
  readonly tool: Tool;
  /** Arguments of the parameters of its path, in their order. */
  readonly pathArguments: readonly string[];
}

const toolsByConnector = new WeakMap<Connector, ReadingTools>();

const PARAMETER = /^\{([^{}]+)\}$/;
/** An argument with such a name is an id of one kind of thing, wherever a tool takes it. */
const ID_ARGUMENT = /^(.+(?:Id|ID|_id))(s?)$/;

/**
 * Plans how to name the ids of a call, at most `MAX_NAMED_IDS`.
 *
 * `/v1/brands/{brandId}/lists/{listId}` is named by the tools that read `/v1/brands/{brandId}` and the path itself. An id elsewhere is named by the
 * only tool whose path ends with a parameter of that name.
 *
 * @param calls arguments of the call, or of each call of a batch.
 */
export function planNameLookups(
  { connector, tool }: { readonly connector: Connector; readonly tool: AnyTool },
  calls: readonly Arguments[],
  mayRead: (tool: Tool) => boolean,
): readonly NameLookup[] {
  const readingTools = readingToolsOf(connector);
  const lookups = new Map<string, NameLookup>();
  for (const args of calls) {
    if (lookups.size >= MAX_NAMED_IDS) break;
    const pathLookups = isHandWritten(tool) ? [] : planPathLookups(tool, args, readingTools);
    const pathArguments = new Set(pathLookups.map(({ argument }) => argument));
    const otherLookups = planArgumentLookups(args, readingTools).filter(({ argument }) => !pathArguments.has(argument));
    for (const lookup of [...pathLookups, ...otherLookups]) {
      if (!mayRead(lookup.tool) || !hasRequired(lookup)) continue;
      // One id may name another thing in each place, such as a list of each brand.
      lookups.set(stableJson([lookup.argument, lookup.id, lookup.args]), lookup);
    }
  }
  return [...lookups.values()].slice(0, MAX_NAMED_IDS);
}

function hasRequired({ tool, args }: NameLookup): boolean {
  const { required } = tool.inputSchema;
  return !Array.isArray(required) || required.every((name) => Object.hasOwn(args, String(name)));
}

function planPathLookups(tool: Tool, args: Arguments, { byPath }: ReadingTools): NameLookup[] {
  const { server, path } = tool.operation;
  const segments = path.split('/');
  const lookups: NameLookup[] = [];
  const values: unknown[] = [];
  for (const [index, segment] of segments.entries()) {
    const [, parameter] = PARAMETER.exec(segment) ?? [];
    if (parameter === undefined) continue;
    const argument = argumentOf(tool, parameter);
    const value = argument === undefined ? undefined : args[argument];
    const id = toIdText(value);
    if (argument === undefined || id === undefined) break;
    values.push(value);
    const readingTool = byPath.get(keyOf(server, segments.slice(0, index + 1)));
    if (readingTool === undefined || readingTool.pathArguments.length !== values.length) continue;
    const readingArgs = Object.fromEntries(readingTool.pathArguments.map((name, position) => [name, values[position]]));
    lookups.push({ argument, id, tool: readingTool.tool, args: readingArgs });
  }
  return lookups;
}

function planArgumentLookups(args: Arguments, { byArgument }: ReadingTools): NameLookup[] {
  return Object.entries(args).flatMap(([argument, value]) => {
    const [, singular = '', plural = ''] = ID_ARGUMENT.exec(argument) ?? [];
    const readingTool = byArgument.get(singular);
    if (readingTool === undefined) return [];
    const values = plural === '' ? [value] : listOf(value).slice(0, MAX_NAMED_IDS);
    return values.flatMap((idValue): NameLookup[] => {
      const id = toIdText(idValue);
      const argsWithId = { ...args, [singular]: idValue };
      const entries = readingTool.pathArguments.flatMap((name) =>
        Object.hasOwn(argsWithId, name) ? [[name, argsWithId[name]] as const] : [],
      );
      return id === undefined ? [] : [{ argument, id, tool: readingTool.tool, args: Object.fromEntries(entries) }];
    });
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function readingToolsOf(connector: Connector): ReadingTools {
  const cachedTools = toolsByConnector.get(connector);
  if (cachedTools !== undefined) return cachedTools;
  const byPath = new Map<string, ReadingTool>();
  const byArgument = new Map<string, ReadingTool | undefined>();
  for (const tool of connector.tools) {
    const pathArguments = readsOneObject(tool) ? pathArgumentsOf(tool) : undefined;
    const last = pathArguments?.at(-1);
    if (pathArguments === undefined || last === undefined) continue;
    const readingTool = { tool, pathArguments };
    const key = keyOf(tool.operation.server, tool.operation.path.split('/'));
    if (!byPath.has(key)) byPath.set(key, readingTool);
    byArgument.set(last, byArgument.has(last) ? undefined : readingTool);
  }
  const tools = { byPath, byArgument };
  toolsByConnector.set(connector, tools);
  return tools;
}

function readsOneObject({ annotations, operation, find, wait, effect, approval }: Tool): boolean {
  if (!annotations.readOnlyHint || annotations.destructiveHint || operation.method !== 'GET') return false;
  if (find !== undefined || wait !== undefined || effect !== undefined || approval !== undefined) return false;
  return operation.target === undefined && PARAMETER.test(operation.path.split('/').at(-1) ?? '');
}

/** Returns undefined if something other than an argument fills the path. */
function pathArgumentsOf(tool: Tool): readonly string[] | undefined {
  const names: string[] = [];
  for (const segment of tool.operation.path.split('/')) {
    if (!segment.includes('{')) continue;
    const [, parameter = ''] = PARAMETER.exec(segment) ?? [];
    const argument = argumentOf(tool, parameter);
    if (argument === undefined) return undefined;
    names.push(argument);
  }
  return names;
}

function argumentOf({ request }: Tool, parameter: string): string | undefined {
  const binding = request.path?.[parameter];
  if (typeof binding === 'string') return binding;
  return binding !== undefined && 'argument' in binding ? binding.argument : undefined;
}

function keyOf(server: string, segments: readonly string[]): string {
  return `${server} ${segments.map((segment) => (PARAMETER.test(segment) ? '{}' : segment)).join('/')}`;
}

/** Members of answers that name a thing, the best first; spelt without `_` and in lower case. */
const NAME_MEMBERS = ['name', 'title', 'displayname', 'fullname', 'label', 'subject', 'email', 'emailaddress'];
const COUNT_MEMBER = /count|total|number|size|^num/;
const MAX_NAME_LENGTH = 120;
const MAX_COUNTS = 2;
/** Other names of members could be sentences. */
const PLAIN_MEMBER = /^\w{1,40}$/;

/**
 * Names the thing that an answer is about, such as `"Newsletter", num_contacts 8`.
 *
 * @returns undefined if the answer has no name.
 */
export function nameInAnswer(answer: unknown): string | undefined {
  const object = unwrap(answer);
  if (object === undefined) return undefined;
  const members = Object.entries(object).map(([name, value]) => ({
    name,
    plain: name.replaceAll('_', '').toLowerCase(),
    value,
  }));
  const textOf = (memberName: string) =>
    members.find(({ plain, value }) => plain === memberName && typeof value === 'string' && value !== '')?.value;
  const person = [textOf('firstname'), textOf('lastname')].filter((namePart) => namePart !== undefined).join(' ');
  const name = NAME_MEMBERS.map(textOf).find((text) => text !== undefined);
  const displayName = person === '' ? name : person;
  if (typeof displayName !== 'string') return undefined;
  const email = textOf('email') ?? textOf('emailaddress');
  const counts = members.filter(
    ({ name, plain, value }) => COUNT_MEMBER.test(plain) && typeof value === 'number' && PLAIN_MEMBER.test(name),
  );
  const texts = [quote(displayName)];
  if (typeof email === 'string' && email !== displayName) texts.push(quote(email));
  texts.push(...counts.slice(0, MAX_COUNTS).map((count) => `${count.name} ${count.value}`));
  return texts.join(', ');
}

/** Returns the one object in an answer, or the answer itself. */
function unwrap(answer: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(answer)) return undefined;
  const [onlyMember, ...otherMembers] = Object.values(answer);
  return otherMembers.length === 0 && isObject(onlyMember) ? unwrap(onlyMember) : answer;
}

function quote(text: string): string {
  const characters = [...text];
  return toVisibleJson(
    characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH).join('')}…` : text,
  );
}
