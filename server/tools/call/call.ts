/** One tool call on its way through the stages: what every stage reads, and what it may hand to the next. */

import type { Connector, Tool } from '../../contract/index.ts';
import type { OpenedCredential } from '../../credentials/opened.ts';
import type { Pins } from '../../principal/permission.ts';
import type { Principal } from '../../principal/principal.ts';
import type { CallRecord } from '../../store/repositories/call-records.ts';
import type { Turns } from '../../upstream/caps/index.ts';
import type { Arguments, RawRequest, Redactor, Upstream, UpstreamAnswer } from '../../upstream/index.ts';
import type { Leases, Renewal } from '../../upstream/lease/index.ts';
import type { FindSeenFacts } from '../approval/seen-facts.ts';
import type { StateSealer } from '../ask-user.ts';
import type { Catalogue, CatalogueEntry } from '../catalogue/catalogue.ts';
import type { AnyTool } from '../catalogue/hand-written.ts';
import type { DriftCounter } from '../drift/index.ts';
import type { Asked } from '../fitting/asked.ts';
import type { ResumePoint } from '../fitting/resume.ts';
import type { Validators } from '../json/validate.ts';
import type { ToolCallContext } from '../provider.ts';
import type { Ending } from './ending.ts';

/** Who reads a result. */
export interface Reader {
  /** Row id of the grant, or of the token where it came from none. */
  readonly id: string;
  /** Bytes of text that a result may have. */
  readonly limit: number;
}

/** The upstream part of a call: a tool, its arguments, a credential. */
export interface UpstreamUse<Called extends AnyTool = Tool> {
  readonly entry: { readonly connector: Connector; readonly tool: Called };
  /** Aborts when the call is to stop. */
  readonly signal: AbortSignal;
  /** Row id of the connection, whose caps the request counts against; absent: there is none yet. */
  connectionId?: string;
  /** When the whole call must be over, in milliseconds since 1970. */
  readonly deadline: number;
  /** Arguments that the gateway sets, whatever the caller says. */
  readonly pins: Pins;
  /** Absent: the gateway reads the result itself, whole. */
  readonly reader?: Reader;
  /** What the arguments ask of the gateway. Set by the stage `arguments`. */
  asked?: Asked;
  /** Where the result continues. Set by the stage `arguments`; absent: at the beginning. */
  resumed?: ResumePoint;
  /** Sent in place of what `arguments` make. Absent: none. */
  readonly raw?: RawRequest;
  /** As given; after the stage `arguments`, as they are sent on. */
  arguments: Arguments;
  /** One value per field. Set by the stage `connection`. */
  credential: OpenedCredential;
  /** `updatedAt` of the connection when it had that credential; a later one has another. */
  credentialSince: number;
  /** Gets another credential where the upstream refuses this one; null: the gateway cannot. Set by the stage `connection`. */
  renew: (() => Promise<Renewal>) | null;
  /** Set by the stage `send`. */
  answer: UpstreamAnswer | null;
  /** See `UpstreamCall`. Set by the stage `once` for a call with an idempotency key, else by the stage `send`. */
  seed: string | null;
  /** Whether the upstream may have done what the call asks for. Set by the stage `send`, once a byte is on its way. */
  mayHaveActed: boolean;
  /** Takes the credential out of the answer. Set by the stage `send`. */
  redactor: Redactor;
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
  /** Names the call among those of its grant, so that it is made once; null: it is made. */
  readonly idempotencyKey: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Ties the call to its HTTP request, in logs and records. */
  readonly trace: { readonly requestId: string };
}

/** A connection whose credential its upstream does not accept. */
export interface RefusedConnection {
  readonly connectionId: string;
  /** `updatedAt` of the connection as it was used: a later one has another credential. */
  readonly updatedAt: number;
  readonly partnerId: string;
  readonly userId: string;
  readonly service: string;
}

/** A fault that a model has no use for and an operator has. Holds no arguments and no answers. */
export interface CallFault {
  /**
   * `output_drift`: answers no longer match the descriptor. `connector_outdated`: the upstream refuses what the connector sends
   * with every call. `unexpected`: an error of our own.
   */
  readonly kind: 'output_drift' | 'connector_outdated' | 'credential_unreadable' | 'upstream_failure' | 'unexpected';
  readonly tool: string;
  /** Places of the answer (JSON pointers) for `output_drift`. */
  readonly places?: readonly string[];
  readonly error?: unknown;
}

/** What the upstream part of a call needs. */
export interface UpstreamDependencies {
  readonly upstream: Upstream;
  /** Keeps the caps of connectors. Default: nothing is capped. */
  readonly turns?: Turns;
  readonly validators: Validators;
  /** Limit of what is read of an answer, in bytes. */
  readonly maxResultBytes: number;
  /** Seals the handles of answers that continue; absent: there are none. */
  readonly resumes?: StateSealer;
  /** Deadline of a call, in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onFault: (fault: CallFault) => void;
  /** Counts answers that differ from their output schema. Default: no one counts. */
  readonly onDrift?: DriftCounter['count'];
  /** Asked once before the stages of a call for what runs around each of them; null: nothing does. Default: nothing. */
  readonly aroundStages?: (() => AroundStage | null) | undefined;
}

/** What a user's call needs. */
export interface CallDependencies extends UpstreamDependencies {
  readonly catalogue: Catalogue;
  readonly seenFacts: FindSeenFacts;
  readonly leases: Pick<Leases, 'open'>;
  readonly once: CallsMadeOnce;
  readonly record: (record: CallRecord) => void;
  /** Counts how the call was made. Never throws. Default: no one counts. */
  readonly countUsage?: (call: Call, ending: Ending) => void;
  /** Waits for a hand-written tool, in milliseconds. Default: by the system's clock. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Estimated tokens that a result may have where a grant says nothing else. Default: 20,000. */
  readonly resultTokens?: number;
  /** Called when an upstream refused the credential of a connection. What it throws is a fault. */
  readonly onCredentialRefused?: (refusal: RefusedConnection) => void | Promise<void>;
  /** Around every call, the first outermost. Default: none. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** What takes the keys of calls. */
export interface CallsMadeOnce {
  /**
   * Takes the key of a call, and waits as long as another call has it.
   *
   * @returns how the call ends without being made; null: it is to be made, and `settle` must follow.
   */
  take(call: Call, key: string): Promise<Ending | null>;
  /** Keeps the outcome of a call that took its key. Never throws: the client gets its answer in any case. */
  settle(call: Call, ending: Ending): Promise<void>;
}

/** One step of a call. @returns how the call ends, or null to continue. What it throws becomes `internal_error`. */
export type Stage<C, D> = (call: C, deps: D) => StageEnd;

type StageEnd = Ending | null | Promise<Ending | null>;

/** Runs around one stage, which is named as its function is. It may not change how the stage ends. */
export type AroundStage = (name: string, run: () => StageEnd) => StageEnd;

/** Runs around a whole call, such as for a metric. It may not change how the call ends. */
export type Interceptor = (call: Call, next: () => Promise<Ending>) => Promise<Ending>;
