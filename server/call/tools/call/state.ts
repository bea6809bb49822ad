/** The state of one tool call, by phase: begun, authorized, prepared, sent, answered. Each phase adds members to the same object. */

import type { Pins } from '../../../base/principal/permission.ts';
import type { Principal } from '../../../base/principal/principal.ts';
import type { ApprovedBy } from '../../../base/store/repositories/call-records.ts';
import type { ConnectionShare } from '../../../base/store/token-lookup.ts';
import type { Connector, Tool } from '../../../contract/index.ts';
import {
  type Arguments,
  type McpAnswers,
  NOTHING_TO_REDACT,
  type RawRequest,
  type Redactor,
  type UpstreamAnswer,
} from '../../upstream/index.ts';
import type { Renewal } from '../../upstream/oauth/renewal.ts';
import type { OpenedCredential } from '../../upstream/oauth/stored-token.ts';
import type { CatalogueEntry } from '../catalogue/catalogue.ts';
import type { AnyTool } from '../catalogue/permitted.ts';
import type { CallProgress, ToolCallContext } from '../provider.ts';
import type { ReadBody } from '../results/decode.ts';
import type { EmptyAnswer } from '../results/empty-answer.ts';
import type { GatewayArguments, ResumePoint } from '../results/fit-result.ts';
import type { Page } from '../results/page-size.ts';
import type { Filtered } from '../selection/filters.ts';
import type { Selection } from '../selection/selection.ts';
import type { CallOutcome } from './call-outcome.ts';

/** The reader of a result. */
export interface ResultReader {
  /** Row id of the grant, or of a token without a grant. */
  readonly id: string;
  /** Maximum of text bytes in a result. */
  readonly limit: number;
  /** The same for a list whose caller chose neither members nor a number of items. Undefined: `limit`, as for programs. */
  readonly listLimit?: number;
  /** The limit for an element that does not fit the lower limit of a list. Undefined if `limit` is not lowered. */
  readonly fullLimit?: number;
  /** Arguments without which `limit` is lower, as text. Undefined if none raises it. */
  readonly raisedBy?: string;
}

/** The part of a request that does not depend on who makes it: a user, or the gateway itself. */
interface RequestBase {
  /** Arguments of the caller. After the stage `checkArguments`, the arguments that are sent. */
  arguments: Arguments;
  /** Aborts when the call must stop. */
  readonly signal: AbortSignal;
  /** Deadline of the whole call, in milliseconds since 1970. */
  readonly deadline: number;
  /** The account that the caller named, and in which argument. Undefined if the user has one account. */
  account?: { readonly argument: string; readonly name: string };
  /** Row id of the connection whose caps apply. Undefined until it is open, and for a credential that is not stored. */
  connectionId?: string;
}

/** The request of a call: who calls which tool, with which arguments. Authorization depends on nothing else. */
export interface CallRequest<Called extends AnyTool = AnyTool> extends RequestBase {
  readonly principal: Principal;
  readonly entry: CatalogueEntry & { readonly tool: Called };
  /** Seconds until this user may make another call. Null if it may make this one. */
  readonly waitSeconds: number | null;
  /** The share by which the caller may use the connection. Undefined for the caller's own, and until the connection is open. */
  share?: ConnectionShare;
  /** The batch that makes the call. Undefined if its client does. */
  readonly partOf?: Call;
}

/** A tool that is used for a caller or for the gateway itself. */
interface ToolUse<Called extends AnyTool> extends RequestBase {
  readonly entry: { readonly connector: Connector; readonly tool: Called };
  /** Row id of the user. Undefined if the gateway itself uses the tool. */
  readonly userId?: string | undefined;
  /** Arguments that the gateway sets, overriding the caller. */
  readonly pins: Pins;
  /** Undefined if the gateway itself reads the whole result. */
  reader?: ResultReader;
  /** Progress for the client while it waits. Null or undefined if it did not ask. */
  readonly progress?: CallProgress | null | undefined;
  /** Set if an MCP server may ask the user of the call. Undefined if it may not. */
  readonly answers?: McpAnswers | undefined;
  /** True if the upstream may have executed the call, because a byte was sent. */
  mayHaveActed: boolean;
}

/** A call of one user. */
export interface Call<Called extends AnyTool = AnyTool> extends CallRequest<Called>, ToolUse<Called> {
  readonly entry: CatalogueEntry & { readonly tool: Called };
  readonly context: ToolCallContext;
  /** The arguments as the client sent them. */
  readonly clientArguments: Arguments;
  /** The name that was called: the tool's, or an old one. */
  readonly calledAs: string;
  /** Identifies the call within its grant, so that it is made only once. Null if it is made each time. */
  readonly idempotencyKey: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The calls that a batch makes. Undefined for one call. */
  batch?: Batch;
  /** Handles of the files in its arguments, and in those of the calls of a batch. Undefined until they were opened. */
  openedHandles?: readonly string[];
  /** The refusal of a call whose user has not allowed the tool. Undefined if the tool is allowed. */
  consentRefusal?: CallOutcome;
  /** The way in which its user approved it. Undefined if no rule asks for that. */
  approvedBy?: ApprovedBy;
  /** Ties the call to its HTTP request, in logs and records. */
  readonly trace: { readonly requestId: string };
}

/** The calls that a batch makes: one of its tool for each item. */
export interface Batch {
  /** All arguments of each; no two are the same. */
  readonly items: readonly Arguments[];
  /** Items that were left out because they repeat others. */
  readonly repeated: number;
  /** Number of items that the caller announces. Null if it announces none. */
  readonly count: number | null;
  /** True if a call was made. Then the calls are recorded, and the batch is not. */
  hasBegun: boolean;
  /** True if every item was tried. Otherwise a repetition of the batch goes on, and names its files again. */
  isFinished: boolean;
}

/** The credential of a call. */
export interface UsedCredential {
  /** One value per field. */
  credential: OpenedCredential;
  /** `updatedAt` of the connection with that credential; a later value means another credential. */
  credentialSince: number;
  /** Gets another credential if the upstream refuses this one. Null if that is not possible. */
  renew: (() => Promise<Renewal>) | null;
}

/** Authorized: the credential is open. */
export interface AuthorizedUse<Called extends AnyTool = AnyTool> extends ToolUse<Called>, UsedCredential {
  /** See `UpstreamCall`. Set by the idempotency key of a call, else before the first request. */
  seed: string | null;
  /** Redacts the credential in answers. */
  redactor: Redactor;
  /** Sent instead of a request built from `arguments`. */
  readonly raw?: RawRequest;
}

export type AuthorizedCall<Called extends AnyTool = AnyTool> = Call<Called> & AuthorizedUse<Called>;

/** True if the connection of a call was opened. */
export function isAuthorized(call: Call): call is AuthorizedCall {
  return 'credential' in call;
}

/** Prepared: the arguments are those to send. Those of a hand-written tool are for its code. */
export interface PreparedUse<Called extends AnyTool = Tool> extends AuthorizedUse<Called> {
  /** The arguments that are for the gateway. Undefined for a raw request. */
  gatewayArguments?: GatewayArguments;
  /** Items that the call wants of a list. Null or undefined for all. */
  selection?: Selection | null;
  /** The filters of the service that the selection uses. Null or undefined for none. */
  filtered?: Filtered | null;
  /** Point where the result continues. Undefined for the beginning. */
  resumed?: ResumePoint;
}

export type PreparedCall<Called extends AnyTool = Tool> = Call<Called> & PreparedUse<Called>;

/** Sent: the upstream has answered. */
export interface SentUse extends PreparedUse {
  answer: UpstreamAnswer;
  /** The answers of later pages, in their order. Undefined if only the first was requested. */
  laterAnswers?: UpstreamAnswer[];
}

/** A call that may not have been sent. */
export interface MaybeSent {
  /** Undefined until the upstream has answered, and if an earlier answer is used, which has no status any more. */
  answer?: UpstreamAnswer;
}

/** The content of an answer. */
export interface DecodedAnswer {
  /** An empty list for a list without content. */
  body: ReadBody;
  /** The meaning of an answer without content. Undefined if it has content. */
  emptyAnswer?: EmptyAnswer;
  /** Content of the pages of a list. Undefined if `body` is all. */
  collected?: CollectedPages;
}

/** Answered: the answer is decoded. */
export interface AnsweredUse extends SentUse, DecodedAnswer {}

/** The answer that the pages of a list gave. */
export interface CollectedPages {
  readonly body: ReadBody;
  /** The arguments that would give this answer; `page.nextArguments` are built from them. */
  readonly args: Arguments;
  /** Sentences that tell the model what was done. */
  readonly notes: readonly string[];
  /** The next page of the list. Undefined if `body` alone tells it. */
  readonly page?: Page | null | undefined;
  /** The failure of the next page. Null if that page was not asked for, or did not fail. */
  readonly failure: CallOutcome | null;
  /** The body is not an answer of the upstream, so members are not selected from it. */
  readonly isComputed?: boolean;
}

/** A credential before its first request. */
export const UNSENT = { seed: null, mayHaveActed: false, redactor: NOTHING_TO_REDACT } as const;

/** Returns a use of another tool of the same service: with the connection, pins and deadline of a call. */
export function createUseFor(call: AuthorizedUse, tool: Tool, args: Arguments): AuthorizedUse<Tool> {
  const { entry, signal, deadline, pins, userId, connectionId, credential, credentialSince, renew } = call;
  const use: AuthorizedUse<Tool> = {
    ...UNSENT,
    entry: { connector: entry.connector, tool },
    arguments: args,
    signal,
    deadline,
    pins,
    userId,
    credential,
    credentialSince,
    renew,
  };
  if (connectionId !== undefined) use.connectionId = connectionId;
  return use;
}

/** Lets a call continue with the credential that such a use got. */
export function keepCredential(call: AuthorizedUse, use: AuthorizedUse<Tool>): void {
  call.credential = use.credential;
  call.credentialSince = use.credentialSince;
  call.renew = use.renew;
  call.redactor = use.redactor;
}

/**
 * The outcome that ends the call. Otherwise the call continues: null, or the same call object, whose type has the members that the
 * stage added.
 */
export type StageEnd = CallOutcome | ToolUse<AnyTool> | null;

/** One step of a call, which takes what the stages before it leave. An error becomes `internal_error`. */
export type Stage = (call: never, deps: never) => StageEnd | Promise<StageEnd>;

/** A kind of tool. */
export interface ToolKind {
  /** Checks the arguments of a call that its client may make. */
  readonly prepare: Stage;
  /** Makes the call, and ends it. */
  readonly run: readonly Stage[];
}
