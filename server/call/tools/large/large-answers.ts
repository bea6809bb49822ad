/** Reads large answers in threads, for the time that each user has for that in a minute. */

import { parseRawNumbers } from '../../../../shared/exact-json.ts';
import { LoopTurns } from '../../../base/limits/loop-turns.ts';
import type { WorkBudget } from '../../../base/limits/work-budget.ts';
import { type ThreadFailure, ThreadJobError, type ThreadPool } from '../../../base/threads/thread-pool.ts';
import type { Connector, Tool } from '../../../contract/index.ts';
import type { Arguments, UpstreamAnswer } from '../../upstream/index.ts';
import { type CallOutcome, failed } from '../call/call-outcome.ts';
import type { LargeAnswers, UpstreamDependencies } from '../call/dependencies.ts';
import { request } from '../call/sending.ts';
import { type CollectedPages, keepCredential, type PreparedUse, type SentUse } from '../call/state.ts';
import { parseExactJson } from '../json.ts';
import type { CompleteToolResult } from '../provider.ts';
import { adviseNarrowing } from '../results/error-causes.ts';
import { BUDGET_IS_USED, type ExplainedError, explain, keepJson, keepStructuredJson } from '../results/errors.ts';
import type { FindKey } from '../selection/read-lists.ts';
import { copyAnswer, openAnswer } from './copied-answer.ts';
import type {
  CopiedCall,
  PageAnswer,
  PageQuestion,
  ReadAnswerInput,
  ReadAnswerOutput,
  UnsealedValue,
} from './read-answer-job.ts';
import type { WithholdInput, WithholdOutput } from './withhold-job.ts';

const READ_ANSWER = new URL('./read-answer-job.ts', import.meta.url);
const WITHHOLD = new URL('./withhold-job.ts', import.meta.url);
/** The user in whose place the gateway's own work takes its turn. */
const NO_USER = '';
const BUSY_SECONDS = 5;

interface Parts {
  readonly threads: ThreadPool;
  readonly budget: WorkBudget;
}

/** Creates the reader of large answers. */
export function createLargeAnswers({ threads, budget }: Parts): LargeAnswers {
  const idOf = createToolIds();
  const loopTurns = new LoopTurns((userId, ms) => budget.charge(userId, ms));

  const runJob = async (
    call: SentUse,
    deps: UpstreamDependencies,
    find: FindKey | undefined,
  ): Promise<ReadAnswerOutput | CallOutcome> => {
    const budgetWait = findBudgetWait(call);
    if (budgetWait !== undefined) return failed(explainUnfinishedWork(call, budgetWait));
    // The job reads the list from its beginning, with the pages that were received.
    const receivedAnswers = [...(call.laterAnswers ?? [])];
    try {
      const output = await threads.run({
        file: READ_ANSWER,
        userId: call.userId ?? NO_USER,
        input: toInput(call, deps, { find, toolId: idOf(call.entry.tool) }),
        answer: async (question) => {
          const pageBudgetWait = findBudgetWait(call);
          if (pageBudgetWait !== undefined)
            return { outcome: failed(explainUnfinishedWork(call, pageBudgetWait)) } satisfies PageAnswer;
          return requestPage(question as PageQuestion, { call, deps, receivedAnswers });
        },
        signal: call.signal,
      });
      return output as ReadAnswerOutput;
    } catch (error) {
      if (!(error instanceof ThreadJobError)) throw error;
      const { reason, cause } = error;
      if (reason === 'failed') deps.onFault({ kind: 'unexpected', tool: call.entry.tool.name, error: cause ?? error });
      return failed(explainUnfinishedWork(call, { reason, seconds: BUSY_SECONDS }));
    }
  };
  const findBudgetWait = ({ userId }: PreparedUse): UnfinishedWork | undefined => {
    const seconds = userId === undefined ? undefined : budget.waitSeconds(userId);
    return seconds === undefined ? undefined : { reason: 'budget', seconds };
  };

  return {
    takeLoopTurn: ({ userId }) => loopTurns.take(userId ?? NO_USER),
    async read(call, deps) {
      const output = await runJob(call, deps, undefined);
      if ('outcome' in output) return output;
      if (output.kind === 'found') throw new Error('nothing was to be found by a key');
      return toOutcome(output, call, deps);
    },
    async find(call, key, deps) {
      const output = await runJob(call, deps, { by: key.by, key: key.key });
      if ('outcome' in output) return output;
      if (output.kind === 'shaped') return toOutcome(output, call, deps);
      const body = { kind: 'json' as const, ...parseExactJson(output.body) };
      const collected = parseRawNumbers(output.collectedJson) as Omit<CollectedPages, 'body'>;
      return { collected: { ...collected, body }, items: output.items };
    },
    async withhold(call, calledTool, answer) {
      const { connector, tool } = call.entry;
      const budgetWait = findBudgetWait(call);
      if (budgetWait !== undefined) return explainUnfinishedWork(call, budgetWait);
      const input: WithholdInput = {
        connector: withoutTools(connector),
        tool,
        argsJson: JSON.stringify(calledTool.args),
        answer: copyAnswer(answer, { connector, tool }),
      };
      try {
        const job = { file: WITHHOLD, userId: call.userId ?? NO_USER, input, signal: call.signal };
        const output = (await threads.run(job)) as WithholdOutput;
        return 'explained' in output ? output.explained : openAnswer(output.answer);
      } catch (error) {
        if (!(error instanceof ThreadJobError)) throw error;
        return explainUnfinishedWork(call, { reason: error.reason, seconds: BUSY_SECONDS });
      }
    },
  };
}

/** Creates a function that numbers tools, so that threads recognise a tool that they have seen. */
function createToolIds(): (tool: Tool) => number {
  const ids = new WeakMap<Tool, number>();
  let lastId = 0;
  return (tool) => {
    const existingId = ids.get(tool);
    if (existingId !== undefined) return existingId;
    lastId += 1;
    ids.set(tool, lastId);
    return lastId;
  };
}

/** The reason why an answer was not read, and the seconds after which trying again may help. */
interface UnfinishedWork {
  readonly reason: ThreadFailure | 'budget';
  readonly seconds: number;
}

const TOOK_EFFECT = 'The call itself took effect: do not repeat it to get its answer.';

function explainUnfinishedWork(
  { entry: { tool }, arguments: args }: PreparedUse,
  work: UnfinishedWork,
): ExplainedError {
  const isReading = tool.annotations.readOnlyHint;
  const narrowing = isReading ? adviseNarrowing(tool, args) : TOOK_EFFECT;
  const { reason, seconds } = work;
  if (reason === 'cancelled') return explain('cancelled', { message: 'The call was cancelled.' });
  if (reason === 'failed') {
    const message = `The gateway failed to read the answer of this call.${isReading ? '' : ` ${TOOK_EFFECT}`}`;
    return explain('internal_error', { message, repeatable: isReading });
  }
  if (reason === 'time' || reason === 'memory') {
    return explain('result_too_large', {
      message: 'The answer has more values than the gateway can read at once.',
      advice: narrowing,
    });
  }
  const message = reason === 'budget' ? BUDGET_IS_USED : 'Too many large answers wait at this gateway.';
  if (!isReading) return explain('result_too_large', { message, advice: narrowing });
  return explain('too_many_calls', {
    message,
    advice: `Wait ${seconds} seconds, or ask for a smaller answer. ${narrowing}`,
    retryAfterSeconds: seconds,
  });
}

function withoutTools(connector: Connector): Connector {
  const { skills: _, events: __, handWritten: ___, ...rest } = connector;
  return { ...rest, tools: [] };
}

function toInput(
  call: SentUse,
  { maxResultBytes, timeoutMs, resumes, now }: UpstreamDependencies,
  { find, toolId }: { readonly find: FindKey | undefined; readonly toolId: number },
): ReadAnswerInput {
  const { entry, answer, redactor, selection } = call;
  const { pins, arguments: args, gatewayArguments, filtered, resumed, reader, connectionId, deadline } = call;
  // JSON leaves undefined members out, and keeps raw numbers, which a clone would lose.
  const copiedCall = {
    pins,
    arguments: args,
    deadline,
    gatewayArguments,
    filtered,
    resumed,
    reader,
    connectionId,
    selectionArguments: find === undefined ? selection?.selectionArguments : undefined,
  } satisfies Record<keyof CopiedCall, unknown>;
  return {
    tool: entry.tool,
    toolId,
    connector: withoutTools(entry.connector),
    answer: copyAnswer(answer, entry),
    secrets: redactor.secrets,
    callJson: JSON.stringify(copiedCall),
    find,
    limits: { maxResultBytes, timeoutMs, canResume: resumes !== undefined },
    now: now(),
  };
}

interface PageRequestContext {
  readonly call: SentUse;
  readonly deps: UpstreamDependencies;
  /** Answers that are already there. */
  readonly receivedAnswers: UpstreamAnswer[];
}

/** Requests a page that the job asks for. */
async function requestPage(
  { argsJson, progress }: PageQuestion,
  { call, deps, receivedAnswers }: PageRequestContext,
): Promise<PageAnswer> {
  if (progress !== undefined && call.progress != null) call.progress.message = progress;
  const receivedAnswer = receivedAnswers.shift();
  if (receivedAnswer !== undefined)
    return { answer: copyAnswer(receivedAnswer, call.entry), secrets: call.redactor.secrets };
  const page: PreparedUse = { ...call, arguments: parseRawNumbers(argsJson) as Arguments, filtered: null };
  const sentPage = await request(page, deps);
  keepCredential(call, page);
  if ('outcome' in sentPage) return { outcome: sentPage };
  return { answer: copyAnswer(sentPage.answer, call.entry), secrets: sentPage.redactor.secrets };
}

/** Returns the outcome of the call, with what only this thread can add. */
function toOutcome(
  output: ReadAnswerOutput & { readonly kind: 'shaped' },
  call: SentUse,
  deps: UpstreamDependencies,
): CallOutcome {
  const { connector, tool } = call.entry;
  if (output.problems.length > 0) deps.onDrift?.(connector, tool, output.problems);
  for (const fault of output.faults) deps.onFault(fault);
  const { shaped, structured } = output;
  if (structured === undefined) return shaped;

  const seal = createSealing(output.unsealed, deps);
  const content = shaped.result.content.map((block) =>
    typeof block.text === 'string' ? { ...block, text: seal(block.text) } : block,
  );
  const json = structured === 'first text' ? String(content[0]?.text) : seal(structured.json);
  const result = withStructured({ ...shaped.result, content }, json);
  if (output.json !== undefined) keepJson(result, seal(output.json));
  return { ...shaped, result } as CallOutcome;
}

/** Replaces the marks of values in a text by the sealed values. */
function createSealing(
  unsealed: readonly UnsealedValue[],
  { resumes }: UpstreamDependencies,
): (text: string) => string {
  const sealedValues = unsealed.map(
    ({ mark, json, options }) => [mark, resumes?.seal(parseRawNumbers(json), options) ?? ''] as const,
  );
  return (text) => sealedValues.reduce((replaced, [mark, value]) => replaced.replaceAll(mark, value), text);
}

/** Adds structured content that is only parsed when it is read: programs get large ones as their JSON. */
function withStructured(result: CompleteToolResult, json: string): CompleteToolResult {
  let parsed: unknown;
  const complete = Object.defineProperty(result, 'structuredContent', {
    enumerable: true,
    configurable: true,
    get: () => {
      parsed ??= parseExactJson(json).value;
      return parsed;
    },
  });
  return keepStructuredJson(complete, json);
}
