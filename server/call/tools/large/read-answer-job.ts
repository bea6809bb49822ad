/** A job of a thread: reads a large answer, follows the pages of its list, and shapes the result. */

import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import { parseRawNumbers } from '../../../../shared/exact-json.ts';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { Connector, Tool } from '../../../contract/index.ts';
import { createRedactor } from '../../upstream/redaction.ts';
import type { CallOutcome } from '../call/call-outcome.ts';
import type { CallFault, ThreadDependencies } from '../call/dependencies.ts';
import { selectByKey } from '../call/kinds/find.ts';
import { followPagesHere } from '../call/pages.ts';
import { readAnswer, shapeResult } from '../call/shape-result.ts';
import type { PreparedUse, SentUse } from '../call/state.ts';
import { toExactJson } from '../json.ts';
import { toJson } from '../results/errors.ts';
import { itemsOf } from '../selection/items.ts';
import { type FindKey, ItemTexts } from '../selection/read-lists.ts';
import { readSelection, type SelectionArguments } from '../selection/selection.ts';
import { createValidators, type ErrorObject } from '../validate.ts';
import { type CopiedAnswer, openAnswer } from './copied-answer.ts';

/** The input of the job: the parts of a call that can be cloned. */
export interface ReadAnswerInput {
  readonly tool: Tool;
  /** A number that is the same for the same tool, so that its schema is compiled once. */
  readonly toolId: number;
  /** The connector without its tools. */
  readonly connector: Connector;
  readonly answer: CopiedAnswer;
  /** Texts that the redactor finds. */
  readonly secrets: readonly string[];
  /** `CopiedCall` as JSON: raw numbers cannot be cloned. */
  readonly callJson: string;
  /** Finds items by a key. Undefined if the result is shaped. */
  readonly find: FindKey | undefined;
  readonly limits: {
    /** Bytes read from an answer at most. */
    readonly maxResultBytes: number;
    /** Timeout of a call, in milliseconds. */
    readonly timeoutMs: number;
    /** True if the rest of a result can be asked for. */
    readonly canResume: boolean;
  };
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The parts of a call that the job needs, all of them data. */
export interface CopiedCall
  extends Pick<
    PreparedUse,
    'pins' | 'arguments' | 'gatewayArguments' | 'filtered' | 'resumed' | 'reader' | 'connectionId' | 'deadline'
  > {
  /** Selection of items of a list. Undefined for all items. */
  readonly selectionArguments?: SelectionArguments;
}

/** Asks the main thread for a page. */
export interface PageQuestion {
  /** JSON of the arguments of the call for the page. */
  readonly argsJson: string;
  /** Progress for the client while it waits. Undefined if there is nothing new. */
  readonly progress: string | undefined;
}

/** A page, or why there is none. */
export type PageAnswer =
  | { readonly answer: CopiedAnswer; readonly secrets: readonly string[] }
  | { readonly outcome: CallOutcome };

/** A value to seal, whose place in the texts of a result is `mark`. */
export interface UnsealedValue {
  readonly mark: string;
  /** JSON of the value. */
  readonly json: string;
  readonly options: Parameters<ValueSealer['seal']>[1];
}

/** Faults that the job noticed. The main thread reports them. */
interface NoticedFaults {
  readonly faults: readonly CallFault[];
  /** Problems of the answer with the output schema. Empty if there are none. */
  readonly problems: readonly ErrorObject[];
}

/** A result without its structured content, which travels as text. */
interface ShapedOutput {
  readonly kind: 'shaped';
  readonly shaped: CallOutcome;
  /** JSON of the structured content, or `'first text'` if the first text is this JSON. Undefined if there is no structured content. */
  readonly structured: { readonly json: string } | 'first text' | undefined;
  /** JSON of the result. Undefined if the result is large. Then the JSON is written where it is needed. */
  readonly json: string | undefined;
  readonly unsealed: readonly UnsealedValue[];
}

/** Items with a key, and all that were read. */
interface FoundOutput {
  readonly kind: 'found';
  /** JSON of the answer with these items alone. */
  readonly body: string;
  /** JSON of the other members of `gathered`. */
  readonly collectedJson: string;
  readonly items: Readonly<ItemTexts>;
}

export type ReadAnswerOutput = (ShapedOutput | FoundOutput) & NoticedFaults;

/** Results up to this size travel whole, in bytes. */
const SMALL_RESULT_BYTES = 256 * 1024;

/** As long as a sealed value usually is, because it counts for the size of the result. */
const MARK_LENGTH = 220;
const MAX_TOOLS = 200;

const validators = createValidators();
const tools = new LRUCache<number, Tool>({ max: MAX_TOOLS });

/** The tool that an earlier job had, if it is the same. */
function recallTool({ tool, toolId }: ReadAnswerInput): Tool {
  const cachedTool = tools.get(toolId) ?? tool;
  tools.set(toolId, cachedTool);
  return cachedTool;
}

/** Runs the job; see `RunJob`. */
export async function run(
  input: ReadAnswerInput,
  ask: (question: PageQuestion) => Promise<PageAnswer>,
): Promise<ReadAnswerOutput> {
  const unsealed: UnsealedValue[] = [];
  const noticedFaults = { faults: [] as CallFault[], problems: [] as ErrorObject[] };
  const items = new ItemTexts();
  const call = toCall(input, items);
  const deps = toDependencies(input, { call, unsealed, noticedFaults, ask });

  const answeredCall = readAnswer(call, deps);
  if ('outcome' in answeredCall) return { ...toShaped(answeredCall, unsealed), ...noticedFaults };
  const pagesOutcome = await followPagesHere(answeredCall, deps);
  if (pagesOutcome !== null) return { ...toShaped(pagesOutcome, unsealed), ...noticedFaults };
  if (input.find !== undefined && answeredCall.collected !== undefined) {
    const { body, ...collected } = answeredCall.collected;
    const json = body.kind === 'json' ? toExactJson(body) : 'null';
    return { kind: 'found', body: json, collectedJson: JSON.stringify(collected), items, ...noticedFaults };
  }
  return { ...toShaped(shapeResult(answeredCall, deps), unsealed), ...noticedFaults };
}

function toCall(input: ReadAnswerInput, items: ItemTexts): SentUse {
  const tool = recallTool(input);
  const listedItems = itemsOf(tool);
  const { find } = input;
  const { selectionArguments, ...copiedCall } = parseRawNumbers(input.callJson) as CopiedCall;
  const selection = find !== undefined && listedItems !== null ? selectByKey(listedItems, find, items) : null;
  return {
    ...copiedCall,
    entry: { connector: input.connector, tool },
    signal: new AbortController().signal,
    progress: { message: null },
    selection: selection ?? (selectionArguments === undefined ? null : readSelection(tool, selectionArguments)),
    credential: {},
    credentialSince: 0,
    renew: null,
    answer: openAnswer(input.answer),
    seed: null,
    mayHaveActed: true,
    redactor: createRedactor(input.secrets),
  };
}

interface JobContext {
  readonly call: SentUse;
  readonly unsealed: UnsealedValue[];
  readonly noticedFaults: { readonly faults: CallFault[]; readonly problems: ErrorObject[] };
  readonly ask: (question: PageQuestion) => Promise<PageAnswer>;
}

function toDependencies(
  { limits, now }: ReadAnswerInput,
  { call, unsealed, noticedFaults, ask }: JobContext,
): ThreadDependencies {
  const { canResume, ...readingLimits } = limits;
  const startedAt = performance.now();
  const deps: ThreadDependencies = {
    ...readingLimits,
    validators,
    now: () => now + performance.now() - startedAt,
    onFault: (fault) => noticedFaults.faults.push(fault),
    onDrift: (_connector, _tool, problems) => noticedFaults.problems.push(...problems),
    async requestAnswer(page) {
      const progress = call.progress?.message ?? undefined;
      const reply = await ask({ argsJson: JSON.stringify(page.arguments), progress });
      if ('outcome' in reply) return reply.outcome;
      return Object.assign(page, { answer: openAnswer(reply.answer), redactor: createRedactor(reply.secrets) });
    },
  };
  return canResume ? { ...deps, resumes: createMarkingSealer(unsealed) } : deps;
}

/** Writes a mark in the place of each sealed value: the keys stay in the main thread. */
function createMarkingSealer(unsealed: UnsealedValue[]): ValueSealer {
  return {
    seal(value, options) {
      const mark = `unsealed-${crypto.randomUUID()}`.padEnd(MARK_LENGTH, '-');
      unsealed.push({ mark, json: JSON.stringify(value), options });
      return mark;
    },
    open: () => undefined,
  };
}

function toShaped(outcome: CallOutcome, unsealed: readonly UnsealedValue[]): ShapedOutput {
  const { structuredContent, ...result } = outcome.result;
  const textOutcome = { ...outcome, result } as CallOutcome;
  if (structuredContent === undefined) {
    return { kind: 'shaped', shaped: textOutcome, structured: undefined, json: undefined, unsealed };
  }
  const structured = JSON.stringify(structuredContent);
  const isFirstText = outcome.result.content[0]?.text === structured;
  const isSmall = structured.length <= SMALL_RESULT_BYTES && outcome.resultBytes <= SMALL_RESULT_BYTES;
  return {
    kind: 'shaped',
    shaped: textOutcome,
    structured: isFirstText ? 'first text' : { json: structured },
    json: isSmall ? toJson(outcome.result) : undefined,
    unsealed,
  };
}
