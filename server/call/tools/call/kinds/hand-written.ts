/** Hand-written tools: their code calls generated tools, whose calls pass the usual stages. */

import { mayHoldInexactNumber, parseDigitsAsText } from '../../../../../shared/exact-json.ts';
import { waitFor, withTimeout } from '../../../../base/with-timeout.ts';
import type { Connector, HandWrittenTool, Tool, ToolCalls, ToolContext } from '../../../../contract/index.ts';
import type { Arguments, RawRequest, UpstreamAnswer } from '../../../upstream/index.ts';
import { findInfiniteNumber } from '../../argument-numbers.ts';
import { type AnyTool, usedTools } from '../../catalogue/permitted.ts';
import { publishedOutput } from '../../catalogue/published-output.ts';
import { redacted } from '../../results/errors.ts';
import { NO_FILE } from '../../results/file-facts.ts';
import type { FailedOutcome } from '../../results/outcomes.ts';
import { buildResult } from '../../results/result.ts';
import { checkArguments } from '../arguments.ts';
import { type CallOutcome, failed, refuse } from '../call-outcome.ts';
import type { CallDependencies } from '../dependencies.ts';
import { request } from '../sending.ts';
import { budgetOf, readAnswer } from '../shape-result.ts';
import {
  type AuthorizedUse,
  createUseFor,
  keepCredential,
  type MaybeSent,
  type PreparedCall,
  type SentUse,
  type ToolKind,
} from '../state.ts';
import { useUpstream } from './request.ts';

export const HAND_WRITTEN: ToolKind = { prepare: checkArguments, run: [runTool] };

/** Calls of generated tools per call of a hand-written tool. */
const MAX_INNER_CALLS = 50;

/** Outcomes that end the whole call, even if the tool's code catches the error. */
const FINAL: ReadonlySet<string> = new Set<FailedOutcome>([
  'credential_refused',
  'credential_unreadable',
  'connection_needs_attention',
  'not_connected',
  'cancelled',
]);

const TOOK_EFFECT =
  'What the call did before that took effect, so do not repeat it: read the current state first, then do what is missing.';

/** The error that a hand-written tool gets for a failed call of a generated tool. */
class FailedCallError extends Error {
  override readonly name = 'FailedCallError';
  readonly outcome: Failure;

  constructor(outcome: Failure) {
    super(outcome.error.message);
    this.outcome = outcome;
  }
}

type Failure = Extract<CallOutcome, { outcome: FailedOutcome }>;

/** The progress of one call. */
interface Progress {
  calls: number;
  /** True if a writing tool was called successfully. */
  wrote: boolean;
  /** Calls of writing tools that have not ended. */
  writing: number;
  upstreamStatus: number | null;
  final: Failure | null;
}

/** Ends every call: with a result, with the failure of an inner call, or with a timeout. */
async function runTool(call: HandWrittenCall, deps: CallDependencies): Promise<CallOutcome> {
  const { tool } = call.entry;
  const progress: Progress = { calls: 0, wrote: false, writing: 0, upstreamStatus: null, final: null };
  const callOver = new AbortController();
  const signal = AbortSignal.any([call.signal, callOver.signal]);
  const context = createToolContext({ call, deps, signal, progress });
  try {
    const done = tool.run(call.arguments, context).then((value) => ({ value }));
    const completion = await withTimeout(done, Math.max(0, call.deadline - deps.now()), () => null, call.signal);
    if (progress.final !== null) return toCallOutcome(progress.final, progress);
    if (completion === null) return outOfTime(call, deps, progress);
    return toResult(call, completion.value, progress, deps);
  } catch (error) {
    if (progress.final !== null) return toCallOutcome(progress.final, progress);
    if (!(error instanceof FailedCallError)) throw error;
    return toCallOutcome(progress.wrote ? failAfterWrite(error.outcome) : error.outcome, progress);
  } finally {
    // A request that is on its way may still act.
    if (progress.writing > 0) call.mayHaveActed = true;
    callOver.abort();
  }
}

type HandWrittenCall = PreparedCall<HandWrittenTool>;

interface ToolRun {
  readonly call: HandWrittenCall;
  readonly deps: CallDependencies;
  /** Aborts when the call is over. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

function createToolContext(toolRun: ToolRun): ToolContext<ToolCalls> {
  const { call, deps, signal, progress } = toolRun;
  const { wait = waitFor } = deps;
  const remainingMs = () => Math.max(0, call.deadline - deps.now());
  return {
    async call(name, args) {
      const outcome = await callUsedTool(toolRun, name, args);
      if (outcome.error !== null) throw new FailedCallError(outcome);
      return answerOf(outcome);
    },
    async tryCall(name, args) {
      const outcome = await callUsedTool(toolRun, name, args);
      if (outcome.error === null) return { ok: true, answer: answerOf(outcome) };
      const { code, status, message, retryAfterSeconds } = outcome.error;
      return { ok: false, error: { code, status, message, retryAfterSeconds } };
    },
    send: (request) => sendClientRequest(toolRun, request),
    wait: (ms) => wait(Math.min(ms, remainingMs()), signal),
    remainingMs,
    remainingCalls: () => MAX_INNER_CALLS - progress.calls,
    signal,
  };
}

/** Checks arguments, enforces pins and renews the credential as in any call; the user's rights were checked before. */
async function callUsedTool(toolRun: ToolRun, name: string, args: object): Promise<CallOutcome> {
  const { call, deps, progress } = toolRun;
  const tool = usedTools(call.entry.connector, call.entry.tool).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`${call.entry.tool.name} calls ${name}, which its "uses" does not name`);
  const use = beginUse(toolRun, tool, { ...args });
  const outcome = await useUpstream(use, deps);
  endUse(toolRun, use);
  progress.upstreamStatus = outcome.upstreamStatus ?? progress.upstreamStatus;
  if (outcome.error === null) progress.wrote ||= !tool.annotations.readOnlyHint;
  else if (FINAL.has(outcome.outcome)) progress.final ??= outcome;
  return outcome;
}

/** Sends a request of the typed client. Pins are checked on the request; the credential is renewed as in any call. */
async function sendClientRequest(toolRun: ToolRun, clientRequest: Request): Promise<Response> {
  const { call, deps, progress } = toolRun;
  const { connector, tool: caller } = call.entry;
  const { pathname } = new URL(clientRequest.url);
  const tool = findToolOfRequest(connector, clientRequest.method, pathname);
  if (tool === null || !caller.uses.includes(tool.name)) {
    throw new Error(
      `${caller.name} sends ${clientRequest.method} ${pathname}, which is no operation of a tool that its "uses" names`,
    );
  }
  const use = beginUse(toolRun, tool, {}, await toRawRequest(clientRequest));
  const sentUse = await request(use, deps);
  const checkedUse = 'outcome' in sentUse ? sentUse : checkCredentialRefusal(sentUse, deps);
  endUse(toolRun, use);
  progress.upstreamStatus = use.answer?.status ?? progress.upstreamStatus;
  if ('outcome' in checkedUse) {
    if (checkedUse.outcome === 'ok') throw new Error('only a failure ends a request');
    if (FINAL.has(checkedUse.outcome)) progress.final ??= checkedUse;
    throw new FailedCallError(checkedUse);
  }
  progress.wrote ||= checkedUse.answer.status < 400 && !tool.annotations.readOnlyHint;
  return toResponse(checkedUse.answer);
}

/** Returns the outcome of a call whose credential was refused, else its answer. */
function checkCredentialRefusal(use: SentUse, deps: CallDependencies): CallOutcome | SentUse {
  if (use.answer.status < 400) return use;
  const answeredUse = readAnswer(use, deps);
  return 'outcome' in answeredUse && answeredUse.outcome === 'credential_refused' ? answeredUse : use;
}

function beginUse({ call, signal, progress }: ToolRun, tool: Tool, args: Arguments, raw?: RawRequest): InnerUse {
  signal.throwIfAborted();
  if (progress.calls >= MAX_INNER_CALLS) {
    throw new Error(`${call.entry.tool.name} makes more than ${MAX_INNER_CALLS} calls: look at remainingCalls()`);
  }
  progress.calls += 1;
  if (!tool.annotations.readOnlyHint) progress.writing += 1;
  const use = { ...createUseFor(call, tool, args), signal };
  return raw === undefined ? use : { ...use, raw };
}

type InnerUse = AuthorizedUse<Tool> & MaybeSent;

/** Copies the state of an inner request to the whole call. */
function endUse({ call, progress }: ToolRun, use: InnerUse): void {
  keepCredential(call, use);
  if (use.entry.tool.annotations.readOnlyHint) return;
  progress.writing -= 1;
  if (use.mayHaveActed) call.mayHaveActed = true;
}

/** The upstream's JSON, including members that the output schema lacks; `{ text }` if it is not JSON. */
function answerOf({ result }: CallOutcome): unknown {
  const [block] = result.content;
  if (block?.type !== 'text' || typeof block.text !== 'string') return {};
  try {
    return JSON.parse(block.text);
  } catch {
    return { text: block.text };
  }
}

function outOfTime(
  { entry, signal }: HandWrittenCall,
  { timeoutMs }: CallDependencies,
  { wrote }: Progress,
): CallOutcome {
  if (signal.aborted) return refuse('cancelled', { message: 'The call was cancelled.' });
  const { name, annotations } = entry.tool;
  return refuse('upstream_timeout', {
    message: `${name} did not finish within ${Math.round(timeoutMs / 1000)} seconds.`,
    advice: wrote ? TOOK_EFFECT : undefined,
    repeatable: annotations.idempotentHint,
  });
}

/** After a write, the status of one failed request does not describe the whole call. */
function toCallOutcome(outcome: CallOutcome, { wrote }: Progress): CallOutcome {
  return wrote ? { ...outcome, upstreamStatus: null } : outcome;
}

/** A failure after a write is not retryable: the same call would write again. */
function failAfterWrite({ error }: Failure): CallOutcome {
  return failed({ error: { ...error, retryable: false }, advice: TOOK_EFFECT });
}

/** In JSON, a text that may be the digits of a number that JavaScript would round. */
const DIGITS_AS_TEXT = /"-?\d[\d.eE+-]{4,}"/;

function toResult(call: HandWrittenCall, value: unknown, { upstreamStatus }: Progress, deps: CallDependencies) {
  const { tool } = call.entry;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${tool.name} returned no object`);
  }
  const json = JSON.stringify(value);
  const infinite = findInfiniteNumber(value);
  if (infinite !== null) throw new Error(`${tool.name} returned a number at ${infinite} that is not finite`);
  const clean: unknown = redacted(JSON.parse(json), call.redactor);
  const built = buildResult({
    tool,
    args: call.arguments,
    body: { kind: 'json', value: clean, rounded: clean },
    file: NO_FILE,
    validator: deps.validators(DIGITS_AS_TEXT.test(json) ? publishedOutput(tool.outputSchema) : tool.outputSchema),
    clock: deps.now,
    budget: budgetOf(call, deps),
    project: null,
    notes: [],
  });
  if (built.result === null) return tooLarge(tool, built.bytes, call.reader?.limit ?? deps.maxResultBytes);
  const { result, bytes, drift } = built;
  if (drift.length > 0) deps.onFault({ kind: 'output_drift', tool: tool.name, places: drift });
  return { result, outcome: 'ok', error: null, upstreamStatus, resultBytes: bytes } as const;
}

function tooLarge({ annotations }: AnyTool, bytes: number, limit: number): CallOutcome {
  const effectText = annotations.readOnlyHint ? '' : ' The call itself took effect.';
  return refuse('result_too_large', {
    message: `The result is too large: ${bytes} bytes (the limit is ${limit}).${effectText}`,
    advice: 'Ask for less.',
  });
}

/** Headers that the gateway sets; values from the tool's code are not sent. */
const GATEWAY_HEADERS = new Set([
  ...['authorization', 'cookie', 'host', 'user-agent', 'accept-encoding', 'content-length'],
  ...['connection', 'transfer-encoding', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect', 'proxy-authorization'],
]);

/** Statuses whose responses have no body (Fetch, "null body status"). */
const BODILESS = new Set([204, 205, 304]);

/**
 * Finds the generated tool whose operation a request calls; of several, the one with the most literal segments.
 *
 * Null if there is none, if query or headers select another operation of the same path, or if a segment is a literal of
 * an operation without a tool.
 */
function findToolOfRequest({ tools }: Connector, method: string, pathname: string): Tool | null {
  const segments = pathname.split('/');
  const matchingTools = tools.filter(
    ({ operation }) => operation.method === method && matchesTemplate(pathOf(operation).split('/'), segments),
  );
  const [tool] = matchingTools.sort((a, b) => countLiterals(b) - countLiterals(a));
  if (tool === undefined) return null;
  const isTargetOfPath = ({ operation }: Tool) =>
    operation.target !== undefined && pathOf(operation) === pathOf(tool.operation);
  if (matchingTools.some(isTargetOfPath)) return null;
  const reserved = new Set(Object.values(tool.reservedSegments ?? {}).flatMap((words) => words.map(lowerCase)));
  const template = pathOf(tool.operation).split('/');
  const isReserved = segments.some(
    (segment, index) => isVariable(template[index]) && reserved.has(lowerCase(decoded(segment))),
  );
  return isReserved ? null : tool;
}

/** The parts of a request that are sent: path, query, body, and headers that the gateway does not set. */
async function toRawRequest(request: Request): Promise<RawRequest> {
  const { pathname, search } = new URL(request.url);
  const headers = [...request.headers].filter(([name]) => !GATEWAY_HEADERS.has(name));
  const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
  return { target: pathname + search, headers: Object.fromEntries(headers), body };
}

/** The answer with only its content type: other upstream headers may hold data that the tool's code must not see. */
function toResponse({ status, body, header }: UpstreamAnswer): Response {
  const contentType = header('content-type');
  const headers = contentType === null ? {} : { 'content-type': contentType };
  if (BODILESS.has(status)) return new Response(null, { status, headers });
  const text = contentType !== null && /json/i.test(contentType) ? Buffer.from(body).toString('utf8') : '';
  return new Response(mayHoldInexactNumber(text) ? withDigitsAsText(text) : new Uint8Array(body), { status, headers });
}

/** Returns JSON with texts in place of numbers that `Response.json` would round. Returns a text that is not JSON as it is. */
function withDigitsAsText(text: string): string {
  try {
    return JSON.stringify(parseDigitsAsText(text));
  } catch {
    return text;
  }
}

function matchesTemplate(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((segment, index) => (isVariable(segment) ? segments[index] !== '' : segment === segments[index]))
  );
}

function pathOf({ path, target }: Tool['operation']): string {
  return target?.path ?? path;
}

function countLiterals({ operation }: Tool): number {
  return pathOf(operation)
    .split('/')
    .filter((segment) => !isVariable(segment)).length;
}

function isVariable(segment: string | undefined): boolean {
  return segment?.includes('{') === true;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}
