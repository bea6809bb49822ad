/** The tool `run_code`: waits for a turn, runs the program, and says what came of it. */

import type { KeptValues } from '../../base/kept-values.ts';
import type { RateLimiter } from '../../base/limits/limiter.ts';
import type { Principal } from '../../base/principal/principal.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import { isObject, parseJson, toByteLimit } from '../../call/tools/json.ts';
import {
  type CompleteToolResult,
  InvalidCallError,
  type ToolCallContext,
  type ToolProvider,
} from '../../call/tools/provider.ts';
import { escapeTags } from '../../call/tools/results/errors.ts';
import { programTools } from './declarations.ts';
import { KEPT } from './program.ts';
import type { RunQueue } from './queue.ts';
import { AccessEndedError, MAX_RESULT, type Reply, type RunEnd, type RunLimits, runProgram } from './run.ts';
import {
  afterRun,
  busy,
  type Failure,
  failed,
  KEPT_RESULTS,
  NOTHING_KEPT,
  reasonOf,
  type Waiting,
  withNotes,
} from './said.ts';

/** A result as its JSON, or calls that wait; each of these is checked again when it is made. */
export type Kept =
  | { readonly result: string }
  | { readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[] };

/** What runs need. */
export interface RunParts {
  /** The one way to call a tool: every call passes what a call from outside passes. */
  readonly tools: ToolProvider;
  readonly kept: KeptValues<Kept>;
  readonly queue: RunQueue;
  /** Calls of programs, by user. */
  readonly calls: RateLimiter;
  readonly limits: RunLimits;
  /** Tokens of a result, unless the grant has another limit. */
  readonly resultTokens: number;
  /** Aborts when the gateway stops. */
  readonly stopping: AbortSignal;
  /** Told of each run that began. */
  readonly onRun: (run: { readonly ms: number; readonly calls: number; readonly how: string }) => void;
}

type Arguments = Readonly<Record<string, unknown>>;

const MAX_WAIT_MS = 30_000;

/** Characters of a result that is too large, which show what it is like. */
const MAX_BEGINNING = 1500;

/** Who runs a program, and the tools as this caller has them. */
interface Caller {
  readonly principal: Principal;
  readonly context: ToolCallContext;
  readonly catalogue: Catalogue;
}

/** One run: who asked for it, and what it has done. */
class Session {
  made = 0;
  wrote = 0;
  readonly waiting: Waiting[] = [];
  readonly #parts: RunParts;
  readonly #context: ToolCallContext;
  principal: Principal;
  readonly catalogue: Catalogue;

  constructor(parts: RunParts, { principal, context, catalogue }: Caller) {
    this.#parts = parts;
    this.#context = context;
    this.principal = principal;
    this.catalogue = catalogue;
  }

  /** Makes a call as its user, with the rights that the user has given by now. @throws {AccessEndedError} */
  async answer(name: string, args: Arguments, stopped: AbortSignal): Promise<Reply> {
    const { tools, calls } = this.#parts;
    const { callerNow, progress, requestId } = this.#context;
    this.made += 1;
    if (progress) progress.message = `Running the program: ${this.made} calls.`;
    const caller = callerNow === undefined ? this.principal : await callerNow();
    if (caller === null) throw new AccessEndedError('the access of the client has ended');
    this.principal = caller;
    if (name === KEPT) return this.#readKept(args);
    const isReading = this.catalogue.find(name)?.tool.annotations.readOnlyHint;
    if (isReading === undefined) return { error: { code: 'not_allowed', message: `There is no tool ${name}.` } };
    const result = await tools
      .call(this.principal, name, args, {
        // A call that writes is not cut off in the middle.
        era: '2025',
        signal: stopped,
        requestId,
        ...{ clientCapabilities: {}, meta: {}, inputResponses: {}, requestState: null },
        ...(callerNow === undefined ? {} : { callerNow }),
        waitSeconds: await calls.consume(this.principal.userId),
        resultBytes: MAX_RESULT,
      })
      .catch((error: unknown) => {
        if (!(error instanceof InvalidCallError)) throw error;
        return failed({ code: 'invalid_arguments', message: error.message });
      });
    if (result.resultType === 'input_required') return { error: { message: `${name} asks its user something.` } };
    if (result.isError !== true) {
      if (!isReading) this.wrote += 1;
      return { answer: answerOf(result) };
    }
    return this.#fail(name, args, result);
  }

  #fail(name: string, args: Arguments, { content: [said, json] }: CompleteToolResult): Reply {
    const facts = parseJson(String(json?.text));
    const { details, ...error } = isObject(facts) ? facts : {};
    const approval = isObject(details) ? details.approval : null;
    const message = String(said?.text);
    if (error.code !== 'awaiting_approval' || typeof approval !== 'string') {
      return { error: { ...error, ...(details === undefined ? {} : { details }), message } };
    }
    this.waiting.push({ name, args, message });
    return { approval };
  }

  async #readKept({ handle }: Arguments): Promise<Reply> {
    const value = await this.#parts.kept.read(this.principal, String(handle));
    if (value !== undefined && 'result' in value) return { answer: JSON.parse(value.result) };
    return { error: { ...NOTHING_KEPT } };
  }
}

/** The structured content; for a client that gets none, its text. */
function answerOf({ structuredContent, content }: CompleteToolResult): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const [only, ...others] = content;
  const parsed = others.length === 0 && only?.type === 'text' ? parseJson(String(only.text)) : undefined;
  return parsed ?? { content };
}

/** Creates the tool. */
export function createRunCode(parts: RunParts) {
  return async (
    principal: Principal,
    { code, resume }: Arguments,
    context: ToolCallContext,
    catalogue: Catalogue,
  ): Promise<CompleteToolResult> => {
    if ((typeof code === 'string') === (typeof resume === 'string')) {
      return failed({ code: 'invalid_arguments', message: 'Give either "code" or "resume".' });
    }
    const signal = AbortSignal.any([context.signal, parts.stopping]);
    const { progress = null } = context;
    if (progress !== null) progress.message = 'The program waits for its turn.';
    const turn = await parts.queue.take(principal.userId, AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]));
    if (turn === null) return signal.aborted ? failed(reasonOf('cancelled', parts.limits)) : busy();
    if (progress !== null) progress.message = 'Running the program.';
    const started = performance.now();
    const session = new Session(parts, { principal, context, catalogue });
    let how = 'failed';
    try {
      const result =
        typeof code === 'string'
          ? await runOnce(parts, session, { code, signal })
          : await resumeCalls(parts, session, { handle: String(resume), signal });
      how = result.isError === true ? 'failed' : 'done';
      return result;
    } finally {
      turn.end();
      if (progress !== null) progress.message = null;
      parts.onRun({ ms: performance.now() - started, calls: session.made, how });
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
    tools: programTools(session.catalogue, session.principal),
    limits: parts.limits,
    signal,
    answer: (name, args, stopped) => session.answer(name, args, stopped),
  });
  const kept =
    session.waiting.length === 0 ? null : await parts.kept.keepOnce(session.principal, { calls: session.waiting });
  const notes = { console: end.console, waiting: session.waiting, resume: kept };
  if (end.kind !== 'done') return withNotes(failed(toFailure(end, parts.limits, session)), notes);
  return withNotes(await toResult(parts, session.principal, end.json), notes);
}

function toFailure(end: Exclude<RunEnd, { kind: 'done' }>, limits: RunLimits, { wrote }: Session): Failure {
  const { code, message } =
    end.kind === 'threw'
      ? { code: end.code ?? 'program_failed', message: end.message }
      : reasonOf(end.why, limits, end.message);
  const place = end.line === null ? '' : `Line ${end.line}: `;
  return { code, message: `${place}${message}${afterRun(wrote)}`, line: end.line };
}

/** What gives a result its size. */
export type ResultParts = Pick<RunParts, 'kept' | 'resultTokens'>;

/** The result itself, or where it is kept. */
export async function toResult(
  { kept, resultTokens }: ResultParts,
  principal: Principal,
  json: string,
): Promise<CompleteToolResult> {
  const bytes = Buffer.byteLength(json);
  const limit = toByteLimit(principal.permission.resultTokens ?? resultTokens);
  if (bytes <= limit) return { content: [{ type: 'text', text: escapeTags(json) }] };
  const handle = await kept.keep(principal, { result: json });
  const text = `The result has ${bytes} bytes, and ${limit} fit. It is kept for ten minutes: read_kept selects from it, and a program reads it with await kept("${handle}"). It begins: ${json.slice(0, MAX_BEGINNING)}`;
  const link = { type: 'resource_link', uri: `${KEPT_RESULTS}${handle}`, name: handle };
  return {
    content: [
      { type: 'text', text: escapeTags(text) },
      { ...link, mimeType: 'application/json', size: bytes },
    ],
  };
}

/** Makes the calls that waited, in their order. What still waits is kept again, under another handle. */
async function resumeCalls(
  { kept, limits }: RunParts,
  session: Session,
  { handle, signal }: { readonly handle: string; readonly signal: AbortSignal },
): Promise<CompleteToolResult> {
  const value: Kept | undefined = await kept.take(session.principal, handle);
  if (value === undefined || !('calls' in value)) {
    return failed({
      code: 'not_found',
      message: 'No calls wait under this handle: they were made, or it is older than ten minutes.',
    });
  }
  const results: object[] = [];
  for (const { name, args } of value.calls) {
    if (signal.aborted) {
      session.waiting.push({ name, args, message: reasonOf('cancelled', limits).message });
      continue;
    }
    const reply = await session.answer(name, args, signal).catch((error: unknown) => {
      if (!(error instanceof AccessEndedError)) throw error;
      return { error: reasonOf('access', limits) };
    });
    if (!('approval' in reply)) results.push({ tool: name, ...reply });
  }
  const { waiting } = session;
  const resume = waiting.length === 0 ? null : await kept.keepOnce(session.principal, { calls: waiting });
  return withNotes(
    { content: [{ type: 'text', text: escapeTags(JSON.stringify(results)) }] },
    { console: '', waiting, resume },
  );
}
