/** The state of one tool call: what every stage reads, and what it may pass to the next. */

import type { LostCredential } from '../../../base/credentials/lost-credential.ts';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { RateLimiter } from '../../../base/limits/limiter.ts';
import type { Turns } from '../../../base/limits/turns.ts';
import type { Pins } from '../../../base/principal/permission.ts';
import type { Principal } from '../../../base/principal/principal.ts';
import type { ApprovedBy, CallRecord } from '../../../base/store/repositories/call-records.ts';
import type { Connector, Tool } from '../../../contract/index.ts';
import {
  type Arguments,
  NOTHING_TO_REDACT,
  type RawRequest,
  type Redactor,
  type Upstream,
  type UpstreamAnswer,
} from '../../upstream/index.ts';
import type { Leases, Renewal } from '../../upstream/lease.ts';
import type { OpenedCredential } from '../../upstream/oauth/stored-token.ts';
import type { ApprovalPolicy } from '../approvals/policy.ts';
import type { LookUps } from '../approvals/shown.ts';
import type { Catalogue, CatalogueEntry } from '../catalogue/catalogue.ts';
import type { AnyTool } from '../catalogue/permitted.ts';
import type { FileHandles } from '../files/handles.ts';
import type { CallProgress, ToolCallContext, ToolResult } from '../provider.ts';
import type { ReadBody } from '../results/decode.ts';
import type { EmptyAnswer } from '../results/empty-answer.ts';
import type { ExplainedError } from '../results/errors.ts';
import type { GatewayArguments, ResumePoint } from '../results/fit.ts';
import type { Page } from '../results/page-size.ts';
import type { CalledTool } from '../results/upstream-errors.ts';
import type { Filtered } from '../selection/filters.ts';
import type { FindKey, ItemTexts, ReadLists } from '../selection/read-lists.ts';
import type { Selection } from '../selection/selection.ts';
import type { FindSeenFacts } from '../tool-consent.ts';
import type { ErrorObject, Validators } from '../validate.ts';
import type { CallOutcome } from './call-outcome.ts';

/** The reader of a result. */
export interface Reader {
  /** Row id of the grant, or of a token without a grant. */
  readonly id: string;
  /** Maximum of text bytes in a result. */
  readonly limit: number;
}

/** The upstream part of a call: a tool, its arguments, a credential. */
export interface UpstreamUse<Called extends AnyTool = Tool> {
  readonly entry: { readonly connector: Connector; readonly tool: Called };
  /** Aborts when the call must stop. */
  readonly signal: AbortSignal;
  /** Row id of the user whose work it is. Undefined: it is the gateway's own. */
  readonly userId?: string | undefined;
  /** Row id of the connection whose caps apply; absent: there is no connection yet. */
  connectionId?: string;
  /** The account that the caller named, and in which argument. Set by the stage `connection`; absent: the user has one. */
  account?: { readonly argument: string; readonly name: string };
  /** Deadline of the whole call, in milliseconds since 1970. */
  readonly deadline: number;
  /** Arguments that the gateway sets, overriding the caller. */
  readonly pins: Pins;
  /** Absent: the gateway itself reads the whole result. */
  readonly reader?: Reader;
  /** The arguments that are for the gateway. Set by the stage `arguments`. */
  gatewayArguments?: GatewayArguments;
  /** Which items of a list it wants. Set by the stage `arguments`; absent or null: all. */
  selection?: Selection | null;
  /** The filters of the service that the selection uses. Set by the stage `arguments`; absent or null: none. */
  filtered?: Filtered | null;
  /** What the client is told while it waits. Absent: nothing of the gateway's. */
  readonly progress?: CallProgress | null | undefined;
  /** Where the result continues. Set by the stage `arguments`; absent: at the beginning. */
  resumed?: ResumePoint;
  /** Sent instead of a request built from `arguments`. Absent: none. */
  readonly raw?: RawRequest;
  /** As given; after the stage `arguments`, as they are sent. */
  arguments: Arguments;
  /** One value per field. Set by the stage `connection`. */
  credential: OpenedCredential;
  /** `updatedAt` of the connection with that credential; a later value means another credential. */
  credentialSince: number;
  /** Gets another credential if the upstream refuses this one; null: not possible. Set by the stage `connection`. */
  renew: (() => Promise<Renewal>) | null;
  /** Set by the stage `send`. */
  answer: UpstreamAnswer | null;
  /** The answers of later pages, in their order. Undefined: only the first was requested. */
  laterAnswers?: UpstreamAnswer[];
  /** The decoded answer, an empty list for a list without content. Undefined after the stage `read`: it is large, and another thread read it. */
  body?: ReadBody;
  /** What the answer says without content. Set by the stage `read`; undefined: it has content. */
  emptyAnswer?: EmptyAnswer;
  /** What the pages of a list gave. Set by the stage `pages`; absent or null: `body` is all. */
  collected?: CollectedPages | null;
  /** See `UpstreamCall`. Set by the stage `once` for a call with an idempotency key, else by the stage `send`. */
  seed: string | null;
  /** Whether the upstream may have executed the call. Set by the stage `send`, once a byte was sent. */
  mayHaveActed: boolean;
  /** Redacts the credential in the answer. Set by the stage `send`. */
  redactor: Redactor;
}

/** The answer that the pages of a list gave. */
export interface CollectedPages {
  readonly body: ReadBody;
  /** The arguments that would give this answer; `page.nextArguments` are built from them. */
  readonly args: Arguments;
  /** Sentences that tell the model what was done. */
  readonly notes: readonly string[];
  /** How the list continues, if `body` alone does not say it. */
  readonly page?: Page | null;
  /** Why the next page is missing; null: it was not asked for. */
  readonly failure: CallOutcome | null;
  /** The body is not an answer of the upstream, so members are not selected from it. */
  readonly isComputed?: boolean;
}

/** A use before its request is sent. */
export const UNSENT = { answer: null, seed: null, mayHaveActed: false, redactor: NOTHING_TO_REDACT } as const;

/** The use of a tool by the gateway itself: with nothing pinned, and without a renewal of the credential. */
export function createGatewayUse(
  use: Pick<UpstreamUse, 'entry' | 'arguments' | 'credential' | 'signal' | 'connectionId'>,
  { now, timeoutMs }: Pick<UpstreamDependencies, 'now' | 'timeoutMs'>,
): UpstreamUse {
  return { ...UNSENT, ...use, deadline: now() + timeoutMs, pins: {}, credentialSince: 0, renew: null };
}

/** The use of another tool of the same service for a call: with its connection, its pins, and the rest of its time. */
export function createUseFor(call: UpstreamUse<AnyTool>, tool: Tool, args: Arguments): UpstreamUse {
  const { entry, signal, deadline, pins, userId, connectionId, credential, credentialSince, renew } = call;
  return {
    ...UNSENT,
    userId,
    ...{ entry: { connector: entry.connector, tool }, arguments: args },
    ...{ signal, deadline, pins, credential, credentialSince, renew },
    ...(connectionId === undefined ? {} : { connectionId }),
  };
}

/** A call goes on with the credential that such a use got. */
export function keepCredential(call: UpstreamUse<AnyTool>, use: UpstreamUse): void {
  const { credential, credentialSince, renew, redactor } = use;
  Object.assign(call, { credential, credentialSince, renew, redactor });
}

/** A call of one user. */
export interface Call<Called extends AnyTool = AnyTool> extends UpstreamUse<Called> {
  readonly entry: CatalogueEntry & { readonly tool: Called };
  readonly principal: Principal;
  readonly context: ToolCallContext;
  /** The arguments as the client sent them. */
  readonly given: Arguments;
  /** The name that was called: the tool's, or an old one. */
  readonly calledAs: string;
  /** Identifies the call within its grant, so that it is made only once; null: it is made each time. */
  readonly idempotencyKey: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** What a batch makes. Set by the stage `readBatch`; absent: it is one call. */
  batch?: Batch;
  /** The batch that makes it. Absent: its client does. */
  readonly partOf?: Call;
  /** How its user approved it. Set by the stage `awaitApproval`; absent: no rule asked for that. */
  approvedBy?: ApprovedBy;
  /** Ties the call to its HTTP request, in logs and records. */
  readonly trace: { readonly requestId: string };
}

/** What a batch makes: one call of its tool for each item. */
export interface Batch {
  /** All arguments of each; no two are the same. */
  readonly items: readonly Arguments[];
  /** Items that were left out because they repeat others. */
  readonly repeated: number;
  /** What the caller says that it makes; null: nothing. */
  readonly count: number | null;
  /** Whether a call was made: those are recorded, and then the batch is not. */
  hasBegun: boolean;
}

/** Makes the upstream part of a call; see `useUpstream`. */
export type UseUpstream = (use: UpstreamUse, deps: UpstreamDependencies) => Promise<CallOutcome>;

/** A fault for the operator, not for the model. Holds no arguments and no answers. */
export interface CallFault {
  /**
   * `output_drift`: answers no longer match the descriptor. `connector_outdated`: the upstream refuses what the
   * connector sends with every call. `unexpected`: an error of our own.
   */
  readonly kind: 'output_drift' | 'connector_outdated' | 'credential_unreadable' | 'upstream_failure' | 'unexpected';
  readonly tool: string;
  /** Places in the answer (JSON pointers), for `output_drift`. */
  readonly places?: readonly string[];
  readonly error?: unknown;
}

/** The items of a list with a key, and all that were read. */
export interface FoundItems {
  readonly collected: CollectedPages;
  readonly items: Readonly<ItemTexts>;
}

/** Reads large answers in other threads, so that they do not block calls of other users. */
export interface LargeAnswers {
  /** Resolves when the event loop has time for an answer that is read here and takes some milliseconds. */
  takeTurn(call: UpstreamUse): Promise<void>;
  /**
   * Makes the stages `read`, `pages` and `shape` of a call whose answer, or one of whose `laterAnswers`, is large.
   *
   * Ends with `too_many_calls` when the user's large answers have used up the time for a minute, and with `result_too_large` for an
   * answer that takes too long or too much memory.
   */
  read(call: UpstreamUse, deps: UpstreamDependencies): Promise<CallOutcome>;
  /** As `read`, for the items with a key. */
  find(call: UpstreamUse, key: FindKey, deps: UpstreamDependencies): Promise<FoundItems | CallOutcome>;
  /** Takes the members that never leave out of an answer; see `withhold`. */
  withhold(call: UpstreamUse, called: CalledTool, answer: UpstreamAnswer): Promise<UpstreamAnswer | ExplainedError>;
}

/** Dependencies of reading an answer, and the pages that follow it. */
export interface ReadingDependencies {
  readonly validators: Validators;
  /** Bytes read from an answer at most. */
  readonly maxResultBytes: number;
  /** Seals the handles to continue a truncated answer; absent: no handles. */
  readonly resumes?: ValueSealer;
  /** Timeout of a call, in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onFault: (fault: CallFault) => void;
  /** Counts answers that differ from their output schema. Default: not counted. */
  readonly onDrift?: OnDrift;
}

/** Dependencies of reading an answer in a thread that sends nothing itself. */
export interface ThreadDependencies extends ReadingDependencies {
  /** Requests a page, and sets its answer. @returns why there is none; or null. */
  readonly requestAnswer: (page: UpstreamUse) => Promise<CallOutcome | null>;
}

/** Dependencies of the upstream part of a call. */
export interface UpstreamDependencies extends ReadingDependencies {
  readonly upstream: Upstream;
  /** Enforces the caps of connectors. Default: no caps. */
  readonly turns?: Turns;
  /** What tools with `find` have read. Absent: nothing is kept. */
  readonly readLists?: ReadLists;
  /** Default: answers of any size are read here. */
  readonly largeAnswers?: LargeAnswers;
  /** GatewayArguments once before the stages of a call for what runs around each of them; null: nothing does. Default: nothing. */
  readonly aroundStages?: (() => AroundStage | null) | undefined;
}

/** Dependencies of a user's call. */
export interface CallDependencies extends UpstreamDependencies {
  readonly catalogue: Catalogue;
  readonly seenFacts: FindSeenFacts;
  readonly leases: Pick<Leases, 'open'>;
  readonly once: CallsMadeOnce;
  /** Default: no call needs approval. */
  readonly approvals?: CallApprovals;
  readonly record: (record: CallRecord) => void;
  /** Tells modules of the calls that were made. Default: they hear of none. */
  readonly endedCalls?: { interceptors(): readonly Interceptor[] };
  /** What modules add to calls; the list may grow until the gateway serves. Default: nothing. */
  readonly modules?: readonly CallListener[];
  /** Waits on behalf of a hand-written tool. Default: by the system's clock. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Counts the calls of batches, per user. Default: no limit. */
  readonly innerLimit?: RateLimiter;
  /** Estimated tokens of a result at most, unless the grant has another limit. Default: 20,000. */
  readonly resultTokens?: number;
  /** Called when an upstream refused the credential of a connection. An error it throws is a fault. */
  readonly onCredentialRefused?: (refusal: LostCredential) => void | Promise<unknown>;
  /** Run around every call, the first outermost. Default: none. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** Undefined: no open module keeps files. */
export function filesOf({ modules = [] }: CallDependencies): FileHandles | undefined {
  return modules.find(({ files }) => files !== undefined)?.files;
}

/** What the stages before the arguments depend on. */
export type RightsDependencies = Pick<CallDependencies, 'catalogue' | 'seenFacts' | 'leases' | 'onFault' | 'now'>;

/** A call and how it ended. */
export interface EndedCall {
  readonly call: Call;
  readonly ending: CallOutcome;
}

/** A tool of a module, next to those of services. */
export interface CodeTool extends Pick<Tool, 'name' | 'title' | 'description' | 'annotations' | 'inputSchema'> {
  /**
   * Called with arguments that the input schema allows. Absent: the gateway's own tool of that name is called.
   *
   * @param catalogue the tools as this caller has them.
   */
  readonly call?: (
    principal: Principal,
    args: Arguments,
    context: ToolCallContext,
    catalogue: Catalogue,
  ) => Promise<ToolResult>;
}

/** What a module adds to calls. */
export interface CallListener {
  /** The tools that the list has in the mode `code`, sorted by name. */
  readonly codeTools?: readonly CodeTool[];
  /** Runs around every call. It may end a call itself, and must not change how another one ends. */
  readonly interceptor?: Interceptor;
  /**
   * Called with the calls that have ended since the last batch, after their answers were sent. The next batch does not wait for this one;
   * closing the gateway does. An error is logged.
   */
  readonly onCallsEnded?: (calls: readonly EndedCall[]) => void | Promise<void>;
  /** Called when an answer differs from its output schema. Must not wait and must not throw. */
  readonly onDrift?: OnDrift;
  /** Keeps the files of answers. */
  readonly files?: FileHandles;
}

/** Receives an answer that differs from its output schema. */
type OnDrift = (connector: Connector, tool: AnyTool, problems: readonly ErrorObject[]) => void;

/** Enforces that a call with an idempotency key is made only once. */
export interface CallsMadeOnce {
  /**
   * Takes the key of a call, and waits while another call has it.
   *
   * @returns the ending of a call that is not made; null: make the call, then call `settle`.
   */
  take(call: Call, key: string): Promise<CallOutcome | null>;
  /** Stores the outcome of a call that took its key. Never throws: the client gets its answer in any case. */
  settle(call: Call, ending: CallOutcome): Promise<void>;
}

/** Enforces that a call was approved where a rule says so. */
export interface CallApprovals extends Pick<ApprovalPolicy, 'traits' | 'rule'> {
  /**
   * Uses up the approval of exactly this call, or asks for it.
   *
   * @param lookUp asks reading tools what the call is about.
   * @returns null: it is approved. Else the ending of a call that waits, or was denied.
   */
  require(call: Call, lookUp: () => Promise<LookUps>): Promise<CallOutcome | null>;
  /** Gives the approval of a call back that was never sent. Does nothing for other calls. */
  giveBack(call: Call): Promise<void>;
  /** Uses up the approval of a batch that is done. Until then it is for the same batch again. */
  finish(batch: Call): Promise<void>;
  /** Whether a call of this user still waits for a decision. @param id of the approval. */
  isWaiting(user: Pick<Principal, 'partnerId' | 'userId'>, id: string): Promise<boolean>;
}

/** One step of a call. @returns the ending of the call, or null to continue. An error becomes `internal_error`. */
export type Stage<C, D> = (call: C, deps: D) => StageEnd;

type StageEnd = CallOutcome | null | Promise<CallOutcome | null>;

/** Runs around one stage, named after its function. It must not change how the stage ends. */
export type AroundStage = (name: string, run: () => StageEnd) => StageEnd;

/** Runs around a whole call, for example for a metric. It must not change how the call ends. */
export type Interceptor = (call: Call, next: () => Promise<CallOutcome>) => Promise<CallOutcome>;
