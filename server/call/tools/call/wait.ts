/** Stage `awaitEnd`: a call that only begins work waits for its end, by reading its state with another tool. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Tool, ToolWait } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import type { CatalogueEntry } from '../catalogue/catalogue.ts';
import { isHandWritten } from '../catalogue/permitted.ts';
import { readPointer } from '../json.ts';
import type { BegunWork } from '../provider.ts';
import { STATE_ADDRESSES } from '../results/empty-answer.ts';
import {
  type Call,
  type CallDependencies,
  createUseFor,
  keepCredential,
  type Stage,
  type UpstreamUse,
  type UseUpstream,
} from './call.ts';
import { type CallOutcome, noted, refuse } from './call-outcome.ts';
import { checkAccess, checkToolConsent } from './checks.ts';
import { shapeResult } from './shape-result.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5000;
const MAX_READS = 30;
const ACCEPTED = 202;

/** Work that was begun, and the call that reads its state. */
interface Begun {
  readonly call: Call<Tool>;
  readonly rule: ToolWait;
  readonly reading: CatalogueEntry & { readonly tool: Tool };
  readonly arguments: Arguments;
}

/**
 * Creates the last stage of a tool with `wait`: answers with the last state that was read, or with the first answer where the caller may not
 * call the reading tool. It ends before the call's time does, and then says how to go on. Once the work was begun, the call never fails: it
 * would be repeated.
 */
export function createAwaitEnd(useUpstream: UseUpstream): Stage<Call<Tool>, CallDependencies> {
  return async function awaitEnd(call, deps) {
    const { work } = call.context;
    const earlier = work?.begun ?? null;
    const first = earlier === null ? shapeResult(call, deps) : endedBefore(earlier);
    const begun = first.outcome === 'ok' && call.partOf === undefined ? findBegun(call, first, deps) : null;
    if (begun === null) return first;
    if (earlier === null) await work?.keep({ arguments: begun.arguments, result: first.result });
    const stop = checkAccess(asCall(begun), deps) ?? (await checkToolConsent(asCall(begun), deps));
    return stop === null ? readUntilEnd(begun, first, { deps, useUpstream }) : first;
  };
}

function asCall({ call, reading }: Begun): Call {
  return { ...call, entry: reading };
}

async function readUntilEnd(
  begun: Begun,
  first: CallOutcome,
  { deps, useUpstream }: { readonly deps: CallDependencies; readonly useUpstream: UseUpstream },
): Promise<CallOutcome> {
  const { call, rule, reading } = begun;
  const wait = deps.wait ?? ((ms, signal) => delay(ms, undefined, { signal }));
  const startedAt = deps.now();
  let [last, state, after] = [first, '', pauseOf(call)];
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const pause = Math.max(after, Math.min(FIRST_PAUSE_MS * 2 ** reads, LONGEST_PAUSE_MS));
    // As much time again is for reading.
    if (call.deadline - deps.now() < 2 * pause) break;
    try {
      await wait(pause, call.signal);
    } catch {
      return refuse('cancelled', { message: 'The call was cancelled. The work that it began goes on.' });
    }
    const { reader } = call;
    const use = { ...createUseFor(call, reading.tool, begun.arguments), ...(reader && { reader }) };
    const ending = await useUpstream(use, deps);
    keepCredential(call, use);
    if (ending.outcome !== 'ok') {
      return noted(last, `The work was begun. Reading its state failed: ${ending.error.message} ${goOn(begun)}`);
    }
    [last, after] = [ending, pauseOf(use)];
    const found = stateOf(rule, use, ending);
    state = found.text;
    const seconds = Math.round((deps.now() - startedAt) / 1000);
    if (found.isFailed) return noted(last, `The work failed after ${seconds} s: its state is ${state}.`);
    if (found.isEnd)
      return noted(last, `Waited ${seconds} s for the end of the work, as ${reading.tool.name} tells it.`);
    if (call.progress) call.progress.message = `Waiting for ${seconds} s${state === '' ? '' : `: ${state}`}.`;
  }
  if (call.context.work !== undefined) call.context.work.goesOn = true;
  return noted(last, `The work goes on${state === '' ? '' : `: its state is ${state}`}. ${goOn(begun)}`);
}

function goOn({ call, rule, reading, arguments: args }: Begun): string {
  const shown = Object.entries({
    ...args,
    ...(call.account && { [call.account.argument]: call.account.name }),
  }).filter(([name]) => !Object.hasOwn(call.pins, name));
  const ends = [...rule.until, ...rule.failed].join(' or ');
  const until = rule.state === undefined ? '' : ` until ${rule.state.slice(1)} is ${ends}`;
  return `Call ${reading.tool.name} with ${JSON.stringify(Object.fromEntries(shown))}${until}; do not begin it again.`;
}

/** Null: the answer does not say what to read, or the tool is not served. */
function findBegun(call: Call<Tool>, first: CallOutcome, { catalogue }: CallDependencies): Begun | null {
  const { wait: rule } = call.entry.tool;
  const reading = rule === undefined ? undefined : catalogue.find(rule.tool);
  if (rule === undefined || reading === undefined || isHandWritten(reading.tool)) return null;
  if (!reading.tool.annotations.readOnlyHint || reading.connector !== call.entry.connector) return null;
  const entry = { ...reading, tool: reading.tool };
  const earlier = call.context.work?.begun ?? null;
  if (earlier !== null) return { call, rule, reading: entry, arguments: earlier.arguments };
  const segments = (STATE_ADDRESSES.map((name) => call.answer?.header(name)).find((one) => one) ?? '')
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
  return { call, rule, reading: entry, arguments: Object.fromEntries(values) };
}

/** The first answer of an earlier call, which began the work. */
function endedBefore({ result }: BegunWork): CallOutcome {
  return { result, outcome: 'ok', error: null, upstreamStatus: null, resultBytes: 0 };
}

function decoded(segment = ''): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

function stateOf(rule: ToolWait, use: UpstreamUse, { result }: CallOutcome) {
  if (rule.state === undefined) return { text: '', isFailed: false, isEnd: use.answer?.status !== ACCEPTED };
  const value = readPointer(result.structuredContent, rule.state);
  const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value).slice(0, 80) : '';
  const isFailed = rule.failed.includes(text);
  return { text: JSON.stringify(text), isFailed, isEnd: isFailed || rule.until.includes(text) };
}

/** Milliseconds that an answer asks to wait (RFC 9110 §10.2.3); 0: none, or a date. */
function pauseOf({ answer }: UpstreamUse): number {
  const seconds = Number(answer?.header('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : 0;
}
