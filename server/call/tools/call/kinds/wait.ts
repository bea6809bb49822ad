/** Tools that only begin work: a call waits for its end, by reading its state with another tool. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Tool, ToolWait } from '../../../../contract/index.ts';
import type { Arguments } from '../../../upstream/index.ts';
import type { CatalogueEntry } from '../../catalogue/catalogue.ts';
import { isHandWritten } from '../../catalogue/permitted.ts';
import { readPointer } from '../../json.ts';
import type { ToolCallContext } from '../../provider.ts';
import { STATE_ADDRESSES } from '../../results/empty-answer.ts';
import { checkArguments, checkSentArguments } from '../arguments.ts';
import { mayUse } from '../authorize.ts';
import { type CallOutcome, refuse, withNote } from '../call-outcome.ts';
import type { CallDependencies } from '../dependencies.ts';
import { repeatRefused, sendRequest } from '../sending.ts';
import { readAnswer, shapeResult } from '../shape-result.ts';
import {
  type AnsweredUse,
  type AuthorizedUse,
  createUseFor,
  keepCredential,
  type PreparedCall,
  type SentUse,
  type ToolKind,
} from '../state.ts';
import { useUpstream } from './request.ts';

export const WAIT: ToolKind = {
  prepare: checkArguments,
  run: [sendRequest, repeatRefused, readAnswer, awaitEnd],
};

/**
 * The kind of a call that continues to wait for work which an earlier call began. It only reads the state of the work, and is not recorded,
 * because the earlier call was.
 */
export const BEGUN_WORK: ToolKind = { prepare: checkSentArguments, run: [awaitBegunWork] };

/** True if a call only waits for work which an earlier call began. */
export function continuesBegunWork({ work }: ToolCallContext): boolean {
  return work !== undefined && work.earlierWork !== null;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5000;
const MAX_READS = 30;
const ACCEPTED = 202;

/** The tool that reads the state of begun work, and the rule for reading it. */
interface StateReading {
  readonly rule: ToolWait;
  readonly reading: CatalogueEntry & { readonly tool: Tool };
}

/** A call that has begun work, and how the state of that work is read. */
interface WaitingCall extends StateReading {
  readonly call: PreparedCall & Partial<SentUse>;
  readonly arguments: Arguments;
}

/**
 * Answers with the last state that was read, or with the first answer if the caller may not call the reading tool.
 *
 * It ends before the call's time does, and then tells how to continue. Once the work was begun, the call never fails, because a client would repeat
 * it.
 */
async function awaitEnd(call: PreparedCall & AnsweredUse, deps: CallDependencies): Promise<CallOutcome> {
  const first = shapeResult(call, deps);
  const reading = first.outcome === 'ok' ? findReading(call, deps) : null;
  const args = reading === null ? null : readingArgumentsOf(call, reading.rule, first);
  if (reading === null || args === null) return first;
  await call.context.work?.store({ arguments: args, result: first.result });
  return readUntilEnd({ call, ...reading, arguments: args }, first, deps);
}

async function awaitBegunWork(call: PreparedCall, deps: CallDependencies): Promise<CallOutcome> {
  const begunWork = call.context.work?.earlierWork ?? null;
  if (begunWork === null) throw new Error('only a call whose work was begun waits for it');
  const { result } = begunWork;
  const first: CallOutcome = { result, outcome: 'ok', error: null, upstreamStatus: null, resultBytes: 0 };
  const reading = findReading(call, deps);
  return reading === null ? first : readUntilEnd({ call, ...reading, arguments: begunWork.arguments }, first, deps);
}

async function readUntilEnd(
  waitingCall: WaitingCall,
  first: CallOutcome,
  deps: CallDependencies,
): Promise<CallOutcome> {
  const { call, rule, reading } = waitingCall;
  if (!(await mayUse({ principal: call.principal, entry: reading }, deps))) return first;
  const wait = deps.wait ?? ((ms, signal) => delay(ms, undefined, { signal }));
  const startedAt = deps.now();
  let last = first;
  let state = '';
  let minPauseMs = pauseOf(call.answer);
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const pause = Math.max(minPauseMs, Math.min(FIRST_PAUSE_MS * 2 ** reads, LONGEST_PAUSE_MS));
    // Reading the state may take as long as the pause before it.
    if (call.deadline - deps.now() < 2 * pause) break;
    try {
      await wait(pause, call.signal);
    } catch {
      return refuse('cancelled', { message: 'The call was cancelled. The work that it began goes on.' });
    }
    const { reader } = call;
    const use: AuthorizedUse<Tool> & Partial<SentUse> = {
      ...createUseFor(call, reading.tool, waitingCall.arguments),
      ...(reader && { reader }),
    };
    const outcome = await useUpstream(use, deps);
    keepCredential(call, use);
    if (outcome.outcome !== 'ok') {
      return withNote(
        last,
        `The work was begun. Reading its state failed: ${outcome.error.message} ${adviseContinuing(waitingCall)}`,
      );
    }
    last = outcome;
    minPauseMs = pauseOf(use.answer);
    const workState = readWorkState(rule, use.answer, outcome);
    state = workState.text;
    const seconds = Math.round((deps.now() - startedAt) / 1000);
    if (workState.isFailed) return withNote(last, `The work failed after ${seconds} s: its state is ${state}.`);
    if (workState.isEnd)
      return withNote(last, `Waited ${seconds} s for the end of the work, as ${reading.tool.name} tells it.`);
    if (call.progress) call.progress.message = `Waiting for ${seconds} s${state === '' ? '' : `: ${state}`}.`;
  }
  if (call.context.work !== undefined) call.context.work.isUnfinished = true;
  return withNote(
    last,
    `The work goes on${state === '' ? '' : `: its state is ${state}`}. ${adviseContinuing(waitingCall)}`,
  );
}

function adviseContinuing({ call, rule, reading, arguments: args }: WaitingCall): string {
  const callerArgs = Object.entries({
    ...args,
    ...(call.account && { [call.account.argument]: call.account.name }),
  }).filter(([name]) => !Object.hasOwn(call.pins, name));
  const endStates = [...rule.until, ...rule.failed].join(' or ');
  const until = rule.state === undefined ? '' : ` until ${rule.state.slice(1)} is ${endStates}`;
  return `Call ${reading.tool.name} with ${JSON.stringify(Object.fromEntries(callerArgs))}${until}; do not begin it again.`;
}

/** Returns the tool that reads the state of the work. Null if it is not served, and in a batch, which does not wait. */
function findReading({ entry, partOf }: PreparedCall, { catalogue }: CallDependencies): StateReading | null {
  const { wait: rule } = entry.tool;
  const reading = rule === undefined || partOf !== undefined ? undefined : catalogue.find(rule.tool);
  if (rule === undefined || reading === undefined || isHandWritten(reading.tool)) return null;
  if (!reading.tool.annotations.readOnlyHint || reading.connector !== entry.connector) return null;
  return { rule, reading: { ...reading, tool: reading.tool } };
}

/** Returns the arguments of the reading tool. Null if the first answer does not say them. */
function readingArgumentsOf(call: AnsweredUse, rule: ToolWait, first: CallOutcome): Arguments | null {
  const segments = (STATE_ADDRESSES.map((name) => call.answer.header(name)).find((address) => address) ?? '')
    .replace(/[?#].*$/s, '')
    .split('/');
  const values = [
    ...Object.entries(rule.arguments ?? {}).map(([name, from]) => {
      const value = from.startsWith('/') ? readPointer(first.result.structuredContent, from) : call.arguments[from];
      return [name, value] as const;
    }),
    ...Object.entries(rule.location ?? {}).map(([name, end]) => [name, decoded(segments.at(-1 - end))] as const),
  ];
  if (values.some(([, value]) => !['string', 'number', 'boolean'].includes(typeof value) || value === '')) return null;
  return Object.fromEntries(values);
}

function decoded(segment = ''): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

function readWorkState(rule: ToolWait, answer: SentUse['answer'] | undefined, { result }: CallOutcome) {
  if (rule.state === undefined) return { text: '', isFailed: false, isEnd: answer?.status !== ACCEPTED };
  const value = readPointer(result.structuredContent, rule.state);
  const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value).slice(0, 80) : '';
  const isFailed = rule.failed.includes(text);
  return { text: JSON.stringify(text), isFailed, isEnd: isFailed || rule.until.includes(text) };
}

/** Milliseconds that an answer asks to wait (RFC 9110 §10.2.3); 0: none, or a date. */
function pauseOf(answer: SentUse['answer'] | undefined): number {
  const seconds = Number(answer?.header('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : 0;
}
