/** The dependencies of calls, and the additions of modules to them. */

import type { LostCredential } from '../../../base/credentials/lost-credential.ts';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { RateLimiter } from '../../../base/limits/limiter.ts';
import type { UpstreamSlots } from '../../../base/limits/upstream-slots.ts';
import type { Principal } from '../../../base/principal/principal.ts';
import type { CallRecord } from '../../../base/store/repositories/call-records.ts';
import type { Wait } from '../../../base/with-timeout.ts';
import type { Connector, Icon } from '../../../contract/index.ts';
import type { Arguments, Upstream, UpstreamAnswer } from '../../upstream/index.ts';
import type { Leases } from '../../upstream/lease.ts';
import type { LookUps } from '../approvals/call-description.ts';
import type { ApprovalRule } from '../approvals/policy.ts';
import type { CallRule, FindCallRules, LimitedEntry } from '../catalogue/call-rules.ts';
import type { Catalogue, ListedCodeTool } from '../catalogue/catalogue.ts';
import type { AnyTool } from '../catalogue/permitted.ts';
import type { FileHandles, UploadedFiles } from '../files/handles.ts';
import type { ToolCallContext, ToolProvider, ToolResult } from '../provider.ts';
import type { QuestionPages } from '../questions/store.ts';
import type { ExplainedError } from '../results/errors.ts';
import type { CalledTool } from '../results/upstream-errors.ts';
import type { FindKey, ItemTexts, ReadLists } from '../selection/read-lists.ts';
import type { FindSeenFacts } from '../tool-consent.ts';
import type { ErrorObject, Validators } from '../validate.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { AuthorizedCall, Call, CollectedPages, PreparedUse, SentUse, Stage } from './state.ts';

/** A fault for the operator, not for the model. Holds no arguments and no answers. */
export interface CallFault {
  /**
   * `output_drift`: answers no longer match the descriptor. `connector_outdated`: the upstream refuses what the
   * connector sends with every call. `definition_changed`: an MCP server has changed the tool since it was reviewed. `unexpected`: an
   * error of our own.
   */
  readonly kind:
    | 'output_drift'
    | 'connector_outdated'
    | 'definition_changed'
    | 'credential_unreadable'
    | 'upstream_failure'
    | 'unexpected';
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
  takeLoopTurn(call: SentUse): Promise<void>;
  /**
   * Makes the stages `readAnswer`, `followPages` and `shapeResult` of a call whose answer, or one of whose `laterAnswers`, is large.
   *
   * Ends with `too_many_calls` when the user's large answers have used up the time for a minute, and with `result_too_large` for an
   * answer that takes too long or too much memory.
   */
  read(call: SentUse, deps: UpstreamDependencies): Promise<CallOutcome>;
  /** Does the same as `read`, for the items with a key. */
  find(call: SentUse, key: FindKey, deps: UpstreamDependencies): Promise<FoundItems | CallOutcome>;
  /** Takes the members that never leave out of an answer; see `withhold`. */
  withhold(call: PreparedUse, called: CalledTool, answer: UpstreamAnswer): Promise<UpstreamAnswer | ExplainedError>;
}

/** Dependencies of reading an answer, and the pages that follow it. */
export interface ReadingDependencies {
  readonly validators: Validators;
  /** Bytes read from an answer at most. */
  readonly maxResultBytes: number;
  /** Seals the handles to continue a truncated answer. By default there are no handles. */
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
  /** Requests a page. @returns its answer, or why there is none. */
  readonly requestAnswer: (page: PreparedUse) => Promise<CallOutcome | SentUse>;
}

/** Dependencies of the upstream part of a call. */
export interface UpstreamDependencies extends ReadingDependencies {
  readonly upstream: Upstream;
  /** Enforces the caps of connectors. Default: no caps. */
  readonly upstreamSlots?: UpstreamSlots;
  /** Lists that tools with `find` have read. By default none are kept. */
  readonly readLists?: ReadLists;
  /** Default: answers of any size are read here. */
  readonly largeAnswers?: LargeAnswers;
  /** Asked once before the stages of a call for what runs around each of them. Null for nothing. Default: nothing. */
  readonly aroundStages?: (() => AroundStage | null) | undefined;
}

/** Dependencies of authorization. */
export interface AuthorizationDependencies {
  readonly catalogue: Catalogue;
  readonly seenFacts: FindSeenFacts;
  readonly leases: { readonly open: Leases['open'] };
  readonly onFault: (fault: CallFault) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Dependencies of a user's call. */
export interface CallDependencies extends UpstreamDependencies, AuthorizationDependencies {
  readonly once: CallsMadeOnce;
  /** Default: no call needs approval. */
  readonly approvals?: CallApprovals;
  readonly record: (record: CallRecord) => void;
  /** Tools of programs, which a module provides. Default: none. */
  readonly codeTools?: readonly CodeTool[];
  /** Stores the files of answers. Undefined without a module that does. */
  readonly files?: FileHandles | undefined;
  /** The files that were uploaded for arguments. Undefined without a module that takes them. */
  readonly uploads?: UploadedFiles | undefined;
  /** Waits on behalf of a hand-written tool. Default: by the system's clock. */
  readonly wait?: Wait;
  /** Counts the calls of batches, per user. Default: no limit. */
  readonly innerLimit?: RateLimiter;
  /** Counts calls by the rules that limit them. Default: there are none. */
  readonly callRules?: CallRules;
  /** Estimated tokens of a result at most, unless the grant has another limit. Default: 20,000. */
  readonly resultTokens?: number;
  /** Called when an upstream refused the credential of a connection. An error it throws is a fault. */
  readonly onCredentialRefused?: (refusal: LostCredential) => void | Promise<unknown>;
  /** Run around every call, the first outermost. Default: none. */
  readonly interceptors?: readonly Interceptor[];
}

/** A call and how it ended. */
export interface EndedCall {
  readonly call: Call;
  readonly ending: CallOutcome;
}

/** The tools that one caller has. */
export interface ServedTools {
  readonly catalogue: Catalogue;
  readonly tools: ToolProvider;
}

/** A tool of a module, next to those of services. */
export interface CodeTool extends ListedCodeTool {
  /**
   * Called with arguments that the input schema allows. By default the gateway's own tool of that name is called.
   *
   * @param served the tools as this caller has them, and the provider that calls them.
   */
  readonly run?: (
    principal: Principal,
    args: Arguments,
    context: ToolCallContext,
    served: ServedTools,
  ) => Promise<ToolResult>;
}

/** Additions of a module to the calls of all users. */
export interface CallAdditions {
  /** Tools of the module, sorted by name. `isListed` says which lists have them. */
  readonly codeTools?: readonly CodeTool[];
  /** Runs around every call. It may end a call itself, and must not change the outcome of a call that it lets through. */
  readonly interceptor?: Interceptor;
  /**
   * Called with the calls that have ended since the last batch, after their answers were sent. The next batch does not wait for this one;
   * closing the gateway does. An error is logged.
   */
  readonly onCallsEnded?: (calls: readonly EndedCall[]) => void | Promise<void>;
  /** Called when an answer differs from its output schema. Must not wait and must not throw. */
  readonly onDrift?: OnDrift;
  /** Stores the files of answers. Only one module may have it. */
  readonly files?: FileHandles;
  /** The files that were uploaded for arguments. Only one module may have them. */
  readonly uploads?: UploadedFiles | undefined;
  /** Paths of the pages where users decide. Only one module may have them. */
  readonly userPages?: {
    /** Path of the page of approvals, followed by `/` and the id of one. */
    readonly approvals: string;
    /** Path of the page that allows a tool, with the query of `ToolConsentLinks`. */
    readonly allow: string;
    /** Questions of services, and the addresses of their pages. */
    readonly questions: QuestionPages;
  };
  /** Icons of the server, and of the tools of a service. Only one module may have them. */
  readonly icons?: {
    readonly ofServer: readonly Icon[];
    readonly ofTools: (connector: Connector) => Icon | undefined;
  };
}

/** Receives an answer that differs from its output schema. */
type OnDrift = (connector: Connector, tool: AnyTool, problems: readonly ErrorObject[]) => void;

/** Enforces that a call with an idempotency key is made only once. */
export interface CallsMadeOnce {
  /**
   * Claims the key of a call, and waits while another call has it.
   *
   * @returns the outcome of a call that must not be made, or null if the caller must make it and then call `settle`.
   */
  claim(call: AuthorizedCall, key: string): Promise<CallOutcome | null>;
  /** Stores the outcome of a call that claimed its key. Never throws: the client gets its answer in any case. */
  settle(call: Call, outcome: CallOutcome): Promise<void>;
}

/** A rule and the calls that it counts for one principal. */
export interface CountedRule {
  readonly rule: CallRule;
  readonly calls: number;
  /** Time at which the window ends, in milliseconds since 1970. */
  readonly endsAt: number;
}

/** The rules about calls. */
export interface CallRules {
  readonly find: FindCallRules;
  /** The operator's rules. */
  readonly ofOperator: readonly CallRule[];
  /** Counts a call that is about to be sent. @returns null if it may be sent, otherwise the outcome of a call that exceeds a rule. */
  count(call: Call): null | Promise<CallOutcome | null>;
  /** Takes back what was counted, if nothing was sent. */
  giveBack(call: Call, outcome: CallOutcome): Promise<void>;
  /** Returns the rules that limit calls of a tool by a principal, with what they have counted. */
  list(principal: Principal, entry: LimitedEntry): Promise<CountedRule[]>;
}

/** Enforces that a call was approved where a rule says so. */
export interface CallApprovals extends ApprovalRule {
  /**
   * Uses up the approval of exactly this call, or asks for it.
   *
   * @param lookUp asks reading tools what the call is about.
   * @returns null if the call is approved, otherwise the outcome of a call that waits or was denied.
   */
  require(call: AuthorizedCall, lookUp: () => Promise<LookUps>): Promise<CallOutcome | null>;
  /** True if the user's own page is accepted as a place to decide. */
  readonly isOnPage: boolean;
  /**
   * Asks for the approval of exactly this call, whose tool the user has not allowed. Uses up no approval.
   *
   * @param consentRefusal the refusal without an approval.
   * @returns a refusal with the id of the approval, or why the call cannot wait for one.
   */
  requestWithConsent(
    call: AuthorizedCall,
    consentRefusal: CallOutcome,
    lookUp: () => Promise<LookUps>,
  ): Promise<CallOutcome>;
  /** Gives back the approval of a call that was never sent. Does nothing for other calls. */
  giveBack(call: AuthorizedCall): Promise<void>;
  /** Uses up the approval of a batch that is done. Until then it is for the same batch again. */
  finish(batch: Call): Promise<void>;
  /**
   * True if a call of this user still waits for a decision.
   *
   * @param id of the approval.
   */
  isWaiting(user: Principal, id: string): Promise<boolean>;
}

/** Runs around one stage, named after its function. It must not change how the stage ends. */
export type AroundStage = (name: string, run: () => ReturnType<Stage>) => ReturnType<Stage>;

/** Runs around a whole call, for example for a metric. It must not change how the call ends. */
export type Interceptor = (call: Call, next: () => Promise<CallOutcome>) => Promise<CallOutcome>;
