/** What takes a call back: planned from the call, its answer and the state before it, without any request. */

import { WithheldPaths } from '../../../shared/withheld.ts';
import { isObject, readPointer, stableJson, toPointer } from '../../call/tools/json.ts';
import type { ReadBody } from '../../call/tools/results/decode.ts';
import type { Tool, ToolUndo } from '../../contract/index.ts';

type Arguments = Readonly<Record<string, unknown>>;

interface PlannedCall {
  readonly tool: string;
  readonly args: Arguments;
}

/** A member that must still be as the call left it. */
interface Expected {
  readonly pointer: string;
  readonly value: unknown;
  /** Whether the order of its items says nothing. */
  readonly isSet: boolean;
}

/** What takes a call back. */
export interface Plan {
  readonly call: PlannedCall;
  /** Reads the thing again. */
  readonly read: PlannedCall;
  /** Null: it must be gone. */
  readonly expected: readonly Expected[] | null;
}

/** A plan as it is kept. */
export interface KeptUndo extends Plan {
  readonly handle: string;
  /** The tool that was called. */
  readonly tool: string;
  readonly service: string;
  readonly connectionId: string;
  readonly grantId: string | null;
  readonly tokenId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** A call that was made, and what its rule needs. */
export interface Made {
  readonly rule: ToolUndo;
  readonly tool: Tool;
  readonly undoing: Tool;
  readonly reading: Tool;
  /** As they were sent. */
  readonly args: Arguments;
  /** The answer, or the state before the call, as the rule says. */
  readonly state: unknown;
}

/** Bytes of JSON. */
const MAX_PLAN = 65_536;

/** Null: the call cannot be taken back. */
export function planUndo(made: Made): Plan | null {
  const { rule, tool, undoing, reading } = made;
  const source = rule.from === 'result' ? tool : reading;
  const again = { ...rule.read.arguments, ...pointersOf(rule.arguments, rule.read.arguments) };
  const pointers = [...Object.values({ ...rule.arguments, ...again })].filter(isPointer);
  if (pointers.some((pointer) => isWithheld(source, pointer, readPointer(made.state, pointer)))) return null;
  if (Object.keys(rule.unchanged ?? {}).some((pointer) => isWithheld(reading, pointer, null))) return null;
  const built = undoing.name === tool.name && rule.from === 'before' ? restore(made) : repeat(made);
  const read = { tool: reading.name, args: fill(again, made) };
  const plan = built && { call: { tool: undoing.name, args: built.args }, read, expected: built.expected };
  if (plan === null || !hasRequired(undoing, plan.call.args) || !hasRequired(reading, read.args)) return null;
  return Buffer.byteLength(JSON.stringify(plan)) > MAX_PLAN ? null : plan;
}

/** The arguments with which the thing is read before the call. */
export function readingArguments({ read }: ToolUndo, args: Arguments): Arguments {
  return fill(read.arguments, { args, state: null });
}

/** JSON of an answer; undefined: it has none, or numbers of more digits than JavaScript holds. */
export function stateOf(body: ReadBody | undefined): unknown {
  return body?.kind === 'json' && stableJson(body.value) === stableJson(body.rounded) ? body.value : undefined;
}

/** The places that are not as the call left them. */
export function changedPlaces(expected: readonly Expected[], state: unknown): string[] {
  const isChanged = ({ pointer, value, isSet }: Expected) => {
    const found = readPointer(state, pointer);
    const [is, was] = isSet ? [sorted(found), sorted(value)] : [found, value];
    return comparable(is) !== comparable(was);
  };
  return expected.filter(isChanged).map(({ pointer }) => pointer);
}

interface Built {
  readonly args: Arguments;
  readonly expected: readonly Expected[] | null;
}

/** Another tool does the opposite. */
function repeat(made: Made): Built {
  const { rule, args } = made;
  const expected = Object.entries(rule.unchanged ?? {}).map(([pointer, value]) => ({
    ...{ pointer, isSet: false },
    value: typeof value === 'string' ? args[value] : value,
  }));
  return { args: fill(rule.arguments, made), expected: rule.from === 'before' ? null : expected };
}

/** The same tool gives what the call has changed its values of before. Null: one of these cannot be given. */
function restore(made: Made): Built | null {
  const { rule, tool, args, state } = made;
  const clear = tool.request.body !== undefined && 'clear' in tool.request.body ? tool.request.body.clear : undefined;
  const cleared = clear === undefined ? [] : listOf(args[clear]);
  const inPath = Object.values(tool.request.path ?? {});
  const isRestored = ([name, from]: readonly [string, string]) => isPointer(from) && !inPath.includes(name);
  const entries = Object.entries(rule.arguments);
  const back: Record<string, unknown> = fill(Object.fromEntries(entries.filter((one) => !isRestored(one))), made);
  const expected: Expected[] = [];
  const toClear: string[] = [];
  for (const [name, pointer] of entries.filter(isRestored)) {
    if (!Object.hasOwn(args, name) && !cleared.includes(name)) continue;
    const [before, given, how = ''] = [clean(readPointer(state, pointer)), args[name], rule.applies?.[name]];
    if (how === 'merge') {
      const [old, patch] = [isObject(before) ? before : {}, isObject(given) ? given : {}];
      const keys = Object.keys(patch);
      back[name] = Object.fromEntries(keys.map((key) => [key, Object.hasOwn(old, key) ? old[key] : null]));
      expected.push(
        ...keys.map((key) => ({ pointer: `${pointer}${toPointer([key])}`, value: patch[key], isSet: false })),
      );
      continue;
    }
    expected.push({ pointer, value: applied(before, given, args[how]), isSet: how !== '' });
    if (before !== undefined) back[name] = before;
    else if (clear !== undefined && isClearable(tool, clear, name)) toClear.push(name);
    else return null;
  }
  if (clear !== undefined && toClear.length > 0) back[clear] = toClear;
  return expected.length === 0 ? null : { args: back, expected };
}

/** What an array is after `add` or `remove`, which tell items apart by their `name`, or else by their value. */
function applied(before: unknown, given: unknown, how: unknown): unknown {
  if (how !== 'add' && how !== 'remove') return given;
  const keyOf = (item: unknown) => comparable(isObject(item) && 'name' in item ? item.name : item);
  const named = new Set(listOf(given).map(keyOf));
  const others = listOf(before).filter((item) => !named.has(keyOf(item)));
  return how === 'add' ? [...others, ...listOf(given)] : others;
}

function fill(from: Readonly<Record<string, string>>, { args, state }: Pick<Made, 'args' | 'state'>): Arguments {
  const values = Object.entries(from).map(
    ([name, source]) => [name, isPointer(source) ? clean(readPointer(state, source)) : args[source]] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The pointers among `from`, by the names that `others` have too. */
function pointersOf(from: Readonly<Record<string, string>>, others: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(from).filter(([name, one]) => Object.hasOwn(others, name) && isPointer(one)),
  );
}

function isPointer(from: string): boolean {
  return from.startsWith('/');
}

/** Whether a value, or a part of it, never leaves: what was kept in its place must not be written back. */
function isWithheld({ result }: Tool, pointer: string, value: unknown): boolean {
  const withhold = result?.withhold ?? {};
  if (new WithheldPaths(withhold).holds(pointer)) return true;
  const path = `${pointer.slice(1).replaceAll('/', '.')}.`;
  const isInside = (one: string) => one.startsWith('**.') || one.startsWith(path);
  return typeof value === 'object' && value !== null && Object.keys(withhold).some(isInside);
}

function isClearable({ inputSchema }: Tool, clear: string, name: string): boolean {
  return listOf(readPointer(inputSchema, toPointer(['properties', clear, 'items', 'enum']))).includes(name);
}

function hasRequired({ inputSchema: { required } }: Tool, args: Arguments): boolean {
  return listOf(required).every((name) => Object.hasOwn(args, String(name)));
}

/** Without members that are null: few arguments take them. Undefined: there is nothing. */
function clean(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map((one) => clean(one) ?? null);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (one === null ? [] : [[name, clean(one)]])));
}

const EMPTY = new Set(['null', '""', '[]', '{}', 'false', '0']);

/** Equal for what upstreams write in several ways: something empty, or nothing. */
function comparable(value: unknown): string {
  const json = stableJson(clean(value) ?? null);
  return EMPTY.has(json) ? 'null' : json;
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.map(comparable).sort() : value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
