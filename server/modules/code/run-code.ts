/** The tool `run_code`: waits until a thread is free, runs the program, and returns its outcome. */

import type { RateLimiter } from '../../base/limits/limiter.ts';
import type { LoopTurns } from '../../base/limits/loop-turns.ts';
import type { RunQueue } from '../../base/limits/run-queue.ts';
import type { WorkBudget } from '../../base/limits/work-budget.ts';
import { StoredValueBusyError } from '../../base/long-values.ts';
import type { Principal } from '../../base/principal/principal.ts';
import type { SealedCache } from '../../base/sealed-cache.ts';
import type { ServedTools } from '../../call/tools/call/dependencies.ts';
import { isObject, parseJson, toByteLimit } from '../../call/tools/json.ts';
import {
  type CompleteToolResult,
  InvalidCallError,
  type ToolCallContext,
  type ToolResult,
} from '../../call/tools/provider.ts';
import { escapeTags, structuredJsonOf } from '../../call/tools/results/errors.ts';
import { programTools } from './declarations.ts';
import {
  budgetUsed,
  busy,
  describeWrites,
  type Failure,
  failureResult,
  MAX_RESOURCE,
  RESULT_NOT_FOUND,
  RESULT_URI_PREFIX,
  reasonOf,
  resultBusyFailure,
  type Waiting,
  withNotes,
} from './messages.ts';
import { READ_RESULT_FUNCTION } from './program.ts';
import { AccessEndedError, MAX_RESULT, type Reply, type RunEnd, type RunLimits, runProgram } from './run.ts';
import type { ProgramThreads } from './threads.ts';

/** A stored result as its JSON, or stored calls that wait for approval. Each of these is checked again when it is made. */
export type StoredValue =
  | { readonly result: string }
  | { readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[] };

/** The dependencies that decide the size of a result. */
export interface ResultParts {
  readonly storedValues: SealedCache<StoredValue>;
  /** Maximum of tokens of a result, unless the grant has another limit. */
  readonly resultTokens: number;
}

/** Dependencies of runs. */
interface RunParts extends ResultParts {
  readonly queue: RunQueue;
  /** Limits the calls of programs and their reads of stored results, by user. */
  readonly calls: RateLimiter;
  /** Limits the time that the work of each user takes. */
  readonly budget: WorkBudget;
  /** Resolves when the event loop has time for the next call of a program. */
  readonly turns: LoopTurns;
  readonly limits: RunLimits;
  readonly programThreads: ProgramThreads;
  /** Aborts when the gateway stops. */
  readonly stopping: AbortSignal;
  /** Called after each run. */
  readonly onRun: (run: { readonly ms: number; readonly calls: number; readonly how: string }) => void;
}

type Arguments = Readonly<Record<string, unknown>>;

const MAX_WAIT_MS = 30_000;

/** Characters of stored results after which one program reads no more. */
const MAX_CHARACTERS_READ = 16 * 1024 * 1024;

/** Characters from the beginning of a result that is too large, as a sample. */
const MAX_BEGINNING = 1500;

/** The caller that runs a program, and its tools. Every call of them passes the same checks as a call from outside. */
interface Caller {
  readonly principal: Principal;
  readonly context: ToolCallContext;
  readonly served: ServedTools;
}

/** One run, with its caller and the calls that it has made. */
class Session {
  callCount = 0;
  writeCount = 0;
  readonly waiting: Waiting[] = [];
  #charactersRead = 0;
  readonly #parts: RunParts;
  readonly #context: ToolCallContext;
  principal: Principal;
  readonly served: ServedTools;

  constructor(parts: RunParts, { principal, context, served }: Caller) {
    this.#parts = parts;
    this.#context = context;
    this.principal = principal;
    this.served = served;
  }

  /** Makes a call as its user, with the rights that the user has at that time. @throws {AccessEndedError} */
  async answer(name: string, args: Arguments, stopped: AbortSignal): Promise<Reply> {
    const { calls, budget } = this.#parts;
    const { callerNow, progress } = this.#context;
    this.callCount += 1;
    if (progress) progress.message = `Running the program: ${this.callCount} calls.`;
    const caller = callerNow === undefined ? this.principal : await callerNow();
    if (caller === null) throw new AccessEndedError('the access of the client has ended');
    this.principal = caller;
    const budgetWait = budget.waitSeconds(caller.userId);
    if (budgetWait !== undefined) return { error: budgetUsed(budgetWait) };
    const waitSeconds = await calls.consume(caller.userId);
    if (name === READ_RESULT_FUNCTION) return this.#readStoredResult(args, waitSeconds);
    const isReading = this.served.catalogue.find(name)?.tool.annotations.readOnlyHint;
    if (isReading === undefined) return { error: { code: 'not_allowed', message: `There is no tool ${name}.` } };
    const result = await this.#callTool(name, args, { stopped, waitSeconds });
    if (result.resultType === 'input_required') return { error: { message: `${name} asks its user something.` } };
    if (result.isError === true) return this.#toFailedReply(name, args, result);
    if (!isReading) this.writeCount += 1;
    return { json: answerJsonOf(result) };
  }

  async #callTool(
    name: string,
    args: Arguments,
    { stopped, waitSeconds }: { readonly stopped: AbortSignal; readonly waitSeconds: number | null },
  ): Promise<ToolResult> {
    const { callerNow, requestId } = this.#context;
    const callContext: ToolCallContext = {
      // In 2025, `signal` stops only tools that read. So the end of the run does not cut off a call that writes.
      era: '2025',
      signal: stopped,
      requestId,
      clientCapabilities: {},
      meta: {},
      inputResponses: {},
      requestState: null,
      waitSeconds,
      resultBytes: MAX_RESULT,
    };
    const currentContext = callerNow === undefined ? callContext : { ...callContext, callerNow };
    try {
      return await this.served.tools.call(this.principal, name, args, currentContext);
    } catch (error) {
      if (!(error instanceof InvalidCallError)) throw error;
      return failureResult({ code: 'invalid_arguments', message: error.message });
    }
  }

  /** Returns the error of a call, or the approval that it waits for. */
  #toFailedReply(name: string, args: Arguments, { content: [messageBlock, factsBlock] }: CompleteToolResult): Reply {
    const facts = parseJson(String(factsBlock?.text));
    const { details, ...error }: Record<string, unknown> = isObject(facts) ? facts : {};
    const approval = isObject(details) ? details.approval : null;
    const message = String(messageBlock?.text);
    if (error.code !== 'awaiting_approval' || typeof approval !== 'string') {
      if (details !== undefined) error.details = details;
      return { error: { ...error, message } };
    }
    this.waiting.push({ name, args, message });
    return { approval };
  }

  async #readStoredResult({ handle }: Arguments, waitSeconds: number | null): Promise<Reply> {
    if (waitSeconds !== null) {
      const message = `The programs of this user have made too many calls. Wait ${waitSeconds} seconds.`;
      return { error: { code: 'too_many_calls', message, retryAfterSeconds: waitSeconds } };
    }
    if (this.#charactersRead > MAX_CHARACTERS_READ) {
      const message = 'The program has read 16 MiB of kept results. Read each once, and keep it in a variable.';
      return { error: { code: 'program_limit', message } };
    }
    let value: StoredValue | undefined;
    try {
      value = await this.#parts.storedValues.read(this.principal, String(handle));
    } catch (error) {
      if (!(error instanceof StoredValueBusyError)) throw error;
      return { error: resultBusyFailure(error) };
    }
    if (value === undefined || !('result' in value)) return { error: { ...RESULT_NOT_FOUND } };
    this.#charactersRead += value.result.length;
    return { json: value.result };
  }
}

/**
 * Returns the JSON of an answer: its structured content, or else its first text.
 *
 * An answer that does not match its schema has no structured content. The notes of a list follow the first text.
 */
function answerJsonOf(result: CompleteToolResult): string {
  const structured = structuredJsonOf(result);
  if (structured !== undefined) return structured;
  const [first, ...notes] = result.content;
  const text = first?.type === 'text' ? String(first.text) : '';
  const value = parseJson(text);
  const isAnswer = notes.length === 0 ? value != null : typeof value === 'object' && value !== null;
  return isAnswer ? text : JSON.stringify({ content: result.content });
}

/** Creates the tool. */
export function createRunCode(parts: RunParts) {
  return async (
    principal: Principal,
    { code, resume }: Arguments,
    context: ToolCallContext,
    served: ServedTools,
  ): Promise<CompleteToolResult> => {
    if ((typeof code === 'string') === (typeof resume === 'string')) {
      return failureResult({ code: 'invalid_arguments', message: 'Give either "code" or "resume".' });
    }
    const budgetWait = parts.budget.waitSeconds(principal.userId);
    if (budgetWait !== undefined) return failureResult(budgetUsed(budgetWait));
    const signal = AbortSignal.any([context.signal, parts.stopping]);
    const { progress = null } = context;
    if (progress !== null) progress.message = 'The program waits for its turn.';
    const runSlot = await parts.queue.take(
      principal.userId,
      AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]),
    );
    if (runSlot === null) return signal.aborted ? failureResult(reasonOf('cancelled', parts.limits)) : busy();
    if (progress !== null) progress.message = 'Running the program.';
    const started = performance.now();
    const session = new Session(parts, { principal, context, served });
    let outcome = 'failed';
    try {
      const result =
        typeof code === 'string'
          ? await runOnce(parts, session, { code, signal })
          : await resumeCalls(parts, session, { handle: String(resume), signal });
      outcome = result.isError === true ? 'failed' : 'done';
      return result;
    } finally {
      runSlot.end();
      if (progress !== null) progress.message = null;
      parts.onRun({ ms: performance.now() - started, calls: session.callCount, how: outcome });
    }
  };
}

interface Run {
  readonly code: string;
  readonly signal: AbortSignal;
}

async function runOnce(parts: RunParts, session: Session, { code, signal }: Run): Promise<CompleteToolResult> {
  const end = await runProgram({
    code,
    tools: programTools(session.served.catalogue, session.principal),
    limits: parts.limits,
    threads: parts.programThreads,
    signal,
    answer: (name, args, stopped) => session.answer(name, args, stopped),
    takeTurn: () => parts.turns.take(session.principal.userId),
  });
  const resumeHandle =
    session.waiting.length === 0
      ? null
      : await parts.storedValues.storeForOneUse(session.principal, { calls: session.waiting });
  const notes = { console: end.console, waiting: session.waiting, resume: resumeHandle };
  if (end.kind !== 'done') return withNotes(failureResult(toFailure(end, parts.limits, session)), notes);
  return withNotes(await toResult(parts, session.principal, end.json), notes);
}

function toFailure(end: Exclude<RunEnd, { kind: 'done' }>, limits: RunLimits, { writeCount }: Session): Failure {
  const { code, message } =
    end.kind === 'threw'
      ? { code: end.code ?? 'program_failed', message: end.message }
      : reasonOf(end.why, limits, end.message);
  const linePrefix = end.line === null ? '' : `Line ${end.line}: `;
  return { code, message: `${linePrefix}${message}${describeWrites(writeCount)}`, line: end.line };
}

/** Returns the result itself, or stores it and returns its handle if it is too large. */
export async function toResult(
  { storedValues, resultTokens }: ResultParts,
  principal: Principal,
  json: string,
): Promise<CompleteToolResult> {
  const bytes = Buffer.byteLength(json);
  const limit = toByteLimit(principal.permission.resultTokens ?? resultTokens);
  if (bytes <= limit) return { content: [{ type: 'text', text: escapeTags(json) }] };
  const handle = await storedValues.store(principal, { result: json });
  const text = `The result has ${bytes} bytes, and ${limit} fit. It is kept for ten minutes: read_kept selects from it, and a program reads it with await kept("${handle}"). It begins: ${json.slice(0, MAX_BEGINNING)}`;
  const explanation = { type: 'text', text: escapeTags(text) } as const;
  if (json.length > MAX_RESOURCE) return { content: [explanation] };
  const link = { type: 'resource_link', uri: `${RESULT_URI_PREFIX}${handle}`, name: handle };
  return { content: [explanation, { ...link, mimeType: 'application/json', size: bytes }] };
}

/** Makes the waiting calls in their order. Calls that still wait are stored again, under another handle. */
async function resumeCalls(
  parts: RunParts,
  session: Session,
  { handle, signal }: { readonly handle: string; readonly signal: AbortSignal },
): Promise<CompleteToolResult> {
  const { storedValues, limits, turns } = parts;
  const value: StoredValue | undefined = await storedValues.take(session.principal, handle);
  if (value === undefined || !('calls' in value)) {
    return failureResult({
      code: 'not_found',
      message: 'No calls wait under this handle: they were made, or it is older than ten minutes.',
    });
  }
  const results = new CallResults();
  for (const { name, args } of value.calls) {
    if (signal.aborted) {
      session.waiting.push({ name, args, message: reasonOf('cancelled', limits).message });
      continue;
    }
    await turns.take(session.principal.userId);
    const reply = await session.answer(name, args, signal).catch((error: unknown): Reply => {
      if (!(error instanceof AccessEndedError)) throw error;
      return { error: { ...reasonOf('access', limits) } };
    });
    results.add(name, reply);
  }
  const { waiting } = session;
  const resume = waiting.length === 0 ? null : await storedValues.storeForOneUse(session.principal, { calls: waiting });
  const result = await toResult(parts, session.principal, results.json);
  return withNotes(result, { console: '', waiting, resume });
}

/** Collects the results of calls as one JSON text of bounded length. */
class CallResults {
  readonly #texts: string[] = [];
  #length = 0;

  add(tool: string, reply: Reply): void {
    if ('approval' in reply) return;
    const isTooLong = 'json' in reply && this.#length + reply.json.length > MAX_RESULT;
    const outcome = 'json' in reply ? `"answer":${reply.json}` : `"error":${JSON.stringify(reply.error)}`;
    const reportedOutcome = isTooLong
      ? '"note":"It was made. Its answer is too long to be shown next to the others."'
      : outcome;
    const text = `{"tool":${JSON.stringify(tool)},${reportedOutcome}}`;
    this.#length += text.length;
    this.#texts.push(text);
  }

  get json(): string {
    return `[${this.#texts.join(',')}]`;
  }
}
