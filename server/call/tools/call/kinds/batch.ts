/** Batches: one call that makes many calls of its tool, one after the other, until one is refused. */

import { hash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Principal } from '../../../../base/principal/principal.ts';
import type { Tool } from '../../../../contract/index.ts';
import type { Arguments } from '../../../upstream/index.ts';
import { pinsOf } from '../../catalogue/permitted.ts';
import { stableJson } from '../../json.ts';
import { escapeTags } from '../../results/errors.ts';
import { addPins, checkUse, invalid, prepareArguments } from '../arguments.ts';
import { type CallOutcome, failed, refuse } from '../call-outcome.ts';
import type { CallDependencies } from '../dependencies.ts';
import type { AuthorizedCall, Batch, Call, PreparedCall, ToolKind } from '../state.ts';

/** Calls that one batch makes at most. */
const MAX_BATCH = 500;

/** Bytes of the items as JSON: what a person can be shown, and the gateway checks at once. */
const MAX_BATCH_BYTES = 64 * 1024;

/** Items between which other calls get their turn while a batch is checked. */
const CHECKED_AT_ONCE = 25;

/** Items that a sentence names at each end of the list, and that an answer names of a kind. */
const NAMED_AT_ENDS = 3;
const NAMED_OF_KIND = 50;
const MAX_NAME = 80;

/** If the service has none of so many first items, an argument that they share is probably wrong, and the batch stops. */
const MAX_MISSING_FIRST = 5;

/** The share of the time of the call in which no more calls begin, so that the last one has time to end. */
const LAST_SHARE = 0.25;

const SAME_AGAIN = 'Call again with the same arguments to go on: what is done is not sent again.';

/**
 * Creates the kind of a batch. Each of its calls passes all stages with the caller as it is then, has a record, and a key that it shares with
 * the same item of the same batch, so that it is made once, also if the batch is repeated at the same time or after a crash.
 *
 * @param makeCall makes a call as one of a client.
 */
export function createBatchKind(makeCall: (call: Call) => Promise<CallOutcome>): ToolKind {
  return {
    prepare: readBatch,
    run: [
      confirmCount,
      function runBatch(call: BatchCall, deps: CallDependencies) {
        return makeCalls(call, deps, makeCall);
      },
    ],
  };
}

/** A batch whose items were read. */
type BatchCall = AuthorizedCall<Tool> & { batch: Batch };

/** Names of the arguments that each item has itself. All others are the same for all items. */
function itemArgumentsOf({ entry }: Call): readonly string[] {
  if (entry.tool.batch === undefined) throw new Error('only a tool that takes batches gets one');
  return entry.tool.batch;
}

/**
 * Reads the items, and checks each as if it were called alone. If one item is not valid, nothing is sent at all. Items that repeat
 * another are left out. Afterwards `call.arguments` holds what is approved: the arguments that all items share, and each item.
 */
async function readBatch(call: PreparedCall, deps: CallDependencies): Promise<CallOutcome | null> {
  const { tool } = call.entry;
  if (Buffer.byteLength(JSON.stringify(call.arguments.also)) > MAX_BATCH_BYTES) return tooMany('64 KiB');
  const prepared = addPins(call) ?? prepareArguments(tool, call.arguments, deps.validators(tool.inputSchema));
  if ('outcome' in prepared) return prepared;
  if (!prepared.ok) return invalid(prepared.invalid, { message: prepared.text });
  const { also, count, ...firstArgs } = prepared.args;
  const otherItems = also as readonly unknown[];
  if (otherItems.length >= MAX_BATCH) return tooMany(`${MAX_BATCH} items`);
  const itemArguments = itemArgumentsOf(call);
  const entries = Object.entries(firstArgs);
  const firstItem = Object.fromEntries(entries.filter(([name]) => itemArguments.includes(name)));
  const shared = Object.fromEntries(entries.filter(([name]) => !itemArguments.includes(name)));
  const items = new Map<string, { readonly args: Arguments; readonly sentArgs: Arguments }>();
  for (const [index, value] of [firstItem, ...otherItems].entries()) {
    const item = index > 0 && itemArguments.length === 1 ? { [itemArguments[0] ?? '']: value } : (value as Arguments);
    const args = { ...shared, ...item };
    const single = { ...call, arguments: args };
    const refusal = refuseUnknownArgument(item, itemArguments) ?? checkUse(single, deps);
    if (refusal !== null) return refuseItem(refusal, index);
    const key = stableJson(single.arguments);
    if (!items.has(key)) items.set(key, { args, sentArgs: single.arguments });
    if (index % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await yieldToEventLoop();
  }
  const distinctItems = [...items.values()].map(({ args }) => args);
  // The person who approves the call sees the items as they are sent.
  call.arguments = {
    ...firstArgs,
    also: [...items.values()].slice(1).map(({ sentArgs }) => toCallerForm(sentArgs, itemArguments)),
  };
  const confirmedCount = typeof count === 'number' ? count : null;
  const repeated = 1 + otherItems.length - distinctItems.length;
  const batch: Batch = { items: distinctItems, repeated, count: confirmedCount, hasBegun: false, isFinished: false };
  call.batch = batch;
  return confirmedCount === null || confirmedCount === distinctItems.length ? null : askCount(call, batch);
}

/** An item as its caller writes it. */
function toCallerForm(item: Arguments, itemArguments: readonly string[]): unknown {
  if (itemArguments.length === 1) return item[itemArguments[0] ?? ''];
  return Object.fromEntries(Object.entries(item).filter(([name]) => itemArguments.includes(name)));
}

function tooMany(most: string): CallOutcome {
  return refuse('request_too_large', {
    message: `The batch is too long: one call takes at most ${most}. Nothing was sent.`,
  });
}

function refuseUnknownArgument(item: Arguments, itemArguments: readonly string[]): CallOutcome | null {
  const unknownArgument = Object.keys(item).find((name) => !itemArguments.includes(name));
  if (unknownArgument === undefined) return null;
  const name = JSON.stringify(unknownArgument.slice(0, MAX_NAME));
  const message = `${name} is no argument of an item, which has ${itemArguments.join(', ')}. What is the same for all is next to "also".`;
  return invalid('also', { message });
}

function refuseItem({ outcome, error, invalid: names }: CallOutcome, index: number): CallOutcome {
  if (outcome === 'ok') throw new Error('a refused item has an error');
  const prefix = index === 0 ? '' : `also[${index - 1}]: `;
  const refusal = refuse(outcome, { message: `${prefix}${error.message} Nothing was sent.` });
  return names === undefined ? refusal : { ...refusal, invalid: names };
}

/** Ends a batch if neither its caller has said its size, nor its user has seen it. */
function confirmCount(call: BatchCall): CallOutcome | null {
  const isSeen = call.approvedBy !== undefined && call.approvedBy !== 'standing';
  return call.batch.count === null && !isSeen ? askCount(call, call.batch) : null;
}

function askCount(call: Call, { items, count, repeated }: Batch): CallOutcome {
  const names = items.map((item) => nameOf(call, item));
  const isLong = names.length > 2 * NAMED_AT_ENDS;
  const listedNames = isLong ? [...names.slice(0, NAMED_AT_ENDS), '…', ...names.slice(-NAMED_AT_ENDS)] : names;
  const repeatedText = repeated === 0 ? '' : ` (${repeated} repeated ones are left out)`;
  const countText = count === null ? '' : ` "count" says ${count}.`;
  return invalid('count', {
    message: `Nothing was sent yet. ${call.entry.tool.name} would be called ${items.length} times${repeatedText}: ${listedNames.join(', ')}.${countText}`,
    advice: `If that is what the user wants, call again with "count": ${items.length}.`,
    details: { count: items.length },
  });
}

function nameOf(call: Call, item: Arguments): string {
  const text = JSON.stringify(item[itemArgumentsOf(call)[0] ?? '']) ?? 'null';
  return escapeTags(text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text);
}

/** Progress of a batch. */
interface Progress {
  /** Items that this call has done. */
  done: number;
  /** Items that an earlier call of the same batch has done. */
  doneBefore: number;
  /** Items that the service does not have (any more), of a tool that deletes. */
  readonly missing: string[];
  /** Items that an earlier call sent without learning their outcome. */
  readonly unknown: string[];
  readonly answers: unknown[];
  answerBytes: number;
}

/** Makes the calls, until one stops the batch or its time is over. */
async function makeCalls(
  call: BatchCall,
  deps: CallDependencies,
  makeCall: (call: Call) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const { items } = call.batch;
  const progress: Progress = { done: 0, doneBefore: 0, missing: [], unknown: [], answers: [], answerBytes: 0 };
  const key = hash(
    'sha256',
    stableJson([call.idempotencyKey, call.entry.tool.name, items.map((item) => stableJson(item)).sort()]),
  );
  const endBy = call.deadline - deps.timeoutMs * LAST_SHARE;
  for (const [index, args] of items.entries()) {
    if (index > 0 && deps.now() >= endBy) return finishBatch(call, progress, index);
    const caller = await findCaller(call);
    if ('outcome' in caller) return stopBatch(call, caller, index, progress);
    const waitSeconds = (await deps.innerLimit?.consume(caller.userId)) ?? null;
    const itemCall = createItemCall(call, args, { caller, waitSeconds, key, now: deps.now() });
    call.batch.hasBegun = true;
    const outcome = await makeCall(itemCall);
    if (!countOutcome(itemCall, outcome, progress)) return stopBatch(call, outcome, index, progress);
    if (call.progress) call.progress.message = `${index + 1} of ${items.length} are done.`;
  }
  call.batch.isFinished = true;
  await deps.approvals?.finish(call);
  return finishBatch(call, progress, items.length);
}

/** Returns the caller of the next call. The user may have revoked the access, or the client may have left. */
async function findCaller({ context, principal }: Call): Promise<Principal | CallOutcome> {
  if (context.signal.aborted) return refuse('cancelled', { message: 'The call was cancelled.' });
  const caller = context.callerNow === undefined ? principal : await context.callerNow();
  return caller ?? refuse('not_allowed', { message: 'This client may not call tools of this user any more.' });
}

interface ItemOptions {
  readonly caller: Principal;
  readonly waitSeconds: number | null;
  readonly key: string;
  readonly now: number;
}

function createItemCall(batch: BatchCall, item: Arguments, { caller, waitSeconds, key, now }: ItemOptions): Call {
  const { entry, account, context } = batch;
  const args = account === undefined ? item : { ...item, [account.argument]: account.name };
  const itemCall: Call = {
    entry,
    trace: batch.trace,
    calledAs: batch.calledAs,
    deadline: batch.deadline,
    partOf: batch,
    principal: caller,
    userId: caller.userId,
    waitSeconds,
    // The client's answers to questions were about the batch, so an item gets none of them.
    context: { ...context, waitSeconds, inputResponses: {}, requestState: null },
    // Never aborts: an item that was begun is finished even if the client leaves. `findCaller` then stops the batch.
    signal: new AbortController().signal,
    // No client can send a key that begins like this.
    idempotencyKey: `\0${hash('sha256', stableJson([key, item]))}`,
    startedAt: now,
    clientArguments: args,
    arguments: args,
    pins: pinsOf(caller.permission, entry.connector.name),
    mayHaveActed: false,
  };
  return batch.reader === undefined ? itemCall : { ...itemCall, reader: batch.reader };
}

/**
 * Counts the outcome of an item.
 *
 * @returns false if that outcome stops the batch.
 */
function countOutcome(itemCall: Call, { outcome, result }: CallOutcome, progress: Progress): boolean {
  const isGone = outcome === 'not_found' || outcome === 'gone';
  if (outcome === 'ok' || outcome === 'result_too_large') {
    if (itemCall.mayHaveActed) progress.done += 1;
    else progress.doneBefore += 1;
    // The caller knows the things that it deleted or overwrote. But things that were added have ids, which only the answers tell.
    if (!itemCall.entry.tool.annotations.destructiveHint)
      collectAnswer(result.structuredContent ?? {}, itemCall, progress);
  } else if (outcome === 'outcome_unknown' && !itemCall.mayHaveActed)
    progress.unknown.push(nameOf(itemCall, itemCall.clientArguments));
  else if (isGone && 'operation' in itemCall.entry.tool && itemCall.entry.tool.operation.method === 'DELETE') {
    progress.missing.push(nameOf(itemCall, itemCall.clientArguments));
    return progress.done + progress.doneBefore > 0 || progress.missing.length < MAX_MISSING_FIRST;
  } else return false;
  return true;
}

/** Collects an answer, unless all answers together take more than half of the limit of their reader. */
function collectAnswer(answer: unknown, { reader }: Call, progress: Progress): void {
  progress.answerBytes += Buffer.byteLength(JSON.stringify(answer)) + 1;
  if (progress.answerBytes <= (reader?.limit ?? 0) / 2) progress.answers.push(answer);
}

function factsOf({ batch }: BatchCall, { done, doneBefore, missing, unknown, answers }: Progress, triedCount: number) {
  const lists = { missing: missing.slice(0, NAMED_OF_KIND), unknown: unknown.slice(0, NAMED_OF_KIND), answers };
  const counts = { doneBefore, notTried: batch.items.length - triedCount };
  return {
    count: batch.items.length,
    done,
    ...Object.fromEntries(Object.entries(counts).filter(([, value]) => value > 0)),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  };
}

function describe({ batch }: BatchCall, { done, doneBefore, missing, unknown }: Progress, triedCount: number): string {
  const untriedCount = batch.items.length - triedCount;
  const clauses = [`${done} of ${batch.items.length} are done`];
  if (doneBefore > 0) clauses.push(`${doneBefore} were done before by the same call and not sent again`);
  if (missing.length > 0) clauses.push(`${missing.length} were not there`);
  if (unknown.length > 0)
    clauses.push(`of ${unknown.length} it is not known whether they took effect: read their state`);
  if (untriedCount > 0) clauses.push(`${untriedCount} were not tried`);
  return `${clauses.join(', ')}.`;
}

/** Ends a batch without a refusal: it is done, or its time is over. @param triedCount items that were tried. */
function finishBatch(call: BatchCall, progress: Progress, triedCount: number): CallOutcome {
  const structuredContent = { batch: factsOf(call, progress, triedCount) };
  let text = describe(call, progress, triedCount);
  if (triedCount < call.batch.items.length) text += ` The time of the call is over. ${SAME_AGAIN}`;
  else if (progress.done === 0 && progress.doneBefore > 0)
    text += ' To do the same once more on purpose, divide the list.';
  const texts = [escapeTags(JSON.stringify(structuredContent)), text];
  const content = texts.map((block) => ({ type: 'text', text: block }));
  const resultBytes = Buffer.byteLength(texts.join(''));
  return { result: { content, structuredContent }, outcome: 'ok', error: null, upstreamStatus: null, resultBytes };
}

/** Ends a batch at an item that was refused. The batch has the outcome of that item. */
function stopBatch(call: BatchCall, { outcome, error }: CallOutcome, index: number, progress: Progress): CallOutcome {
  if (outcome === 'ok') throw new Error('only a failed call stops a batch');
  const { items } = call.batch;
  const name = nameOf(call, items[index] ?? {});
  const details: Record<string, unknown> = { ...factsOf(call, progress, index + 1), stoppedAt: name };
  if (error.details !== null) details.details = error.details;
  const message = `Stopped at ${index + 1} of ${items.length}, ${name}: ${error.message}`;
  const wait = error.retryAfterSeconds === null ? '' : ` Wait ${error.retryAfterSeconds} seconds first.`;
  const advice = `${describe(call, progress, index + 1)} When the cause is removed: ${SAME_AGAIN}${wait}`;
  return failed({ error: { ...error, message, details }, advice });
}
