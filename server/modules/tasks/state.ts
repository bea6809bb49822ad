/** The state that a task keeps of its call, and its form for the client (Tasks 2026-07-28, `DetailedTask`). */

import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { accessKeyOf, holderOf } from '../../base/sealed-cache.ts';
import type { CatalogueEntry } from '../../call/tools/catalogue/catalogue.ts';
import { isPermitted, pinsOf } from '../../call/tools/catalogue/permitted.ts';
import { isObject } from '../../call/tools/json.ts';
import type { CreatedTask, InputRequiredToolResult, StartedWork } from '../../call/tools/provider.ts';
import { hasKey } from '../../call/tools/user-tools.ts';
import type { Arguments } from '../../call/upstream/index.ts';
import type { TaskStatus } from './rows.ts';

/** An input request, under a key that the task uses once. */
export interface InputRequest {
  /** Key of the request in the call. */
  readonly key: string;
  readonly request: { readonly method: string; readonly params?: unknown };
}

/** A call and its progress, stored as JSON. */
export interface TaskState {
  readonly name: string;
  readonly args: Arguments;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** True if the call can be made again: it only reads, or a repetition with its idempotency key returns the outcome of the first call. */
  readonly mayRepeat: boolean;
  /** Continues the call; see `ToolCallContext`. */
  readonly requestState: string | null;
  readonly answered: Readonly<Record<string, unknown>>;
  /** Input requests that the client has not answered yet. */
  readonly asked: Readonly<Record<string, InputRequest>>;
  /** Number of input requests so far. */
  readonly asks: number;
  /** Work that the call began at the upstream and waits for. Null if it began none. */
  readonly begun: StartedWork | null;
  /** The approval that the call waits for, in words. Null if it waits for none. */
  readonly waitsFor: string | null;
}

/** Returns the status of a call that waits for its user: a client that cannot be asked has nothing to answer (Tasks, `input_required`). */
export function statusOf({ inputRequests }: InputRequiredToolResult): TaskStatus {
  return inputRequests === undefined ? 'working' : 'input_required';
}

/** Returns the state of a call that asks for input. */
export function withInputRequests(
  state: TaskState,
  { inputRequests = {}, requestState, approval }: InputRequiredToolResult,
): TaskState {
  const requestEntries = Object.entries(inputRequests).map(([key, request], index) => {
    return [`${key}-${state.asks + index + 1}`, { key, request }] as const;
  });
  return {
    ...state,
    requestState: requestState ?? null,
    answered: {},
    asked: Object.fromEntries(requestEntries),
    asks: state.asks + requestEntries.length,
    waitsFor: approval?.text ?? null,
  };
}

/**
 * Returns the state after some input. Answers to anything but the open requests are ignored.
 *
 * @returns null if no open request was answered.
 */
export function withInputResponses(state: TaskState, responses: Readonly<Record<string, unknown>>): TaskState | null {
  const entries = Object.entries(state.asked);
  const answeredEntries = entries.filter(
    ([wireKey]) => isObject(responses[wireKey]) && Object.hasOwn(responses, wireKey),
  );
  if (answeredEntries.length === 0) return null;
  return {
    ...state,
    asked: Object.fromEntries(entries.filter((entry) => !answeredEntries.includes(entry))),
    answered: {
      ...state.answered,
      ...Object.fromEntries(answeredEntries.map(([wireKey, { key }]) => [key, responses[wireKey]])),
    },
  };
}

interface SealBinding {
  readonly sealer: ValueSealer;
  readonly caller: Principal;
  readonly id: string;
}

/** @param expiresAt milliseconds since 1970. */
export function sealState({ sealer, caller, id }: SealBinding, state: TaskState, expiresAt: number): string {
  return sealer.seal(state, { holder: holderOf(caller, id), expiresAt });
}

/** Opens a sealed state. @returns undefined if the task belongs to another grant. */
export function openState({ sealer, caller, id }: SealBinding, sealed: string, now: number): TaskState | undefined {
  return sealer.open(sealed, { holder: holderOf(caller, id), now }) as TaskState | undefined;
}

/**
 * Describes the access that a caller needs to read the result of a call: the tool with its fixed arguments, and the connections of its service. If
 * the tool is not in the catalogue, it is all access that the caller had.
 *
 * @param rules the operator's rules for withheld members.
 */
export function accessOf(caller: Principal, entry: CatalogueEntry | undefined, rules: readonly unknown[]): string {
  if (entry === undefined) return accessKeyOf(caller, rules);
  const { connector, tool } = entry;
  const { permission, scopes, connections } = caller;
  const first = connections.get(connector.name);
  const accounts = first === undefined ? [] : [first, ...(first.others ?? [])];
  const usable = accounts.filter(({ share }) => share?.isWithheld !== true);
  const ids = usable.map(({ id, share }) => share?.id ?? id);
  return JSON.stringify([
    tool.name,
    isPermitted(entry, permission),
    scopes,
    pinsOf(permission, connector.name),
    permission.accounts,
    ids,
    rules,
  ]);
}

/** Seals a result or a protocol error for `access`. */
export function sealResult(
  { sealer, caller, id }: SealBinding,
  json: string,
  { access, expiresAt }: { readonly access: string; readonly expiresAt: number },
): string {
  return sealer.seal(json, { holder: `${holderOf(caller, id)}${access}`, expiresAt });
}

/** Opens a sealed result. @returns undefined if the caller may no longer read it. */
export function openResult(
  { sealer, caller, id }: SealBinding,
  sealed: string,
  { access, now }: { readonly access: string; readonly now: number },
): string | undefined {
  return sealer.open(sealed, { holder: `${holderOf(caller, id)}${access}`, now }) as string | undefined;
}

const MESSAGES: Readonly<Record<TaskStatus, string>> = {
  working: 'The call goes on.',
  input_required: 'The call waits for its user.',
  completed: 'The call has ended.',
  failed: 'The call could not be made.',
  cancelled: 'The call was cancelled. What it had sent before may have taken effect.',
};

/** The progress of a task. Times are milliseconds since 1970. */
interface TaskProgress {
  readonly status: TaskStatus;
  readonly approvalId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
}

/**
 * Returns the members that a task has in every status.
 *
 * @param waitsFor see `TaskState`. @param now milliseconds since 1970.
 */
export function toTask(
  taskId: string,
  task: TaskProgress,
  waitsFor: string | null,
  now: number,
): Omit<CreatedTask, 'resultType'> {
  const { status, approvalId, createdAt, updatedAt, expiresAt } = task;
  const isWaiting = status === 'input_required' || (status === 'working' && approvalId !== null);
  const waitingMessage = (approvalId === null ? null : waitsFor) ?? MESSAGES.input_required;
  return {
    taskId,
    status,
    statusMessage: isWaiting ? waitingMessage : MESSAGES[status],
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: expiresAt - createdAt,
    pollIntervalMs: Math.round(Math.min(Math.max((now - createdAt) / 5, 1000), 10_000)),
  };
}

const KEY = 'idempotencyKey';

/** Gives a call the task's key, unless it has one. */
export function withKey(meta: TaskState['meta'], id: string): TaskState['meta'] {
  return hasKey(meta) ? meta : { ...meta, [KEY]: `task ${id}` };
}

/**
 * True for a call that reads, and for a call with an idempotency key. False for a batch that writes: its calls have their own keys, and a repeated
 * batch does not wait for them.
 */
export function mayRepeat(args: Arguments, meta: TaskState['meta'], entry: CatalogueEntry | undefined): boolean {
  if (entry === undefined) return false;
  const { annotations, batch } = entry.tool;
  const isBatch = batch !== undefined && [args, args.arguments].some((each) => isObject(each) && 'also' in each);
  return annotations.readOnlyHint || (hasKey(meta) && !isBatch);
}
