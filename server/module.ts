/**
 * What a module is: a capability that the core does not know, as one value. A gateway has those of one list; taking one out of the list
 * takes it out of the program, its settings and its pages.
 */

import type Router from '@koa/router';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { CommandGroups } from '../shared/cli/command.ts';
import type { Check } from './base/checks.ts';
import type { CredentialVault, EncryptionKey } from './base/credentials/index.ts';
import type { DashboardParts } from './base/dashboard/pages.ts';
import type { GuardedFetch } from './base/guarded-fetch/index.ts';
import type { Outgoing } from './base/guarded-fetch/outgoing.ts';
import type { Reach } from './base/guarded-fetch/reach.ts';
import type { CallerLimits } from './base/http/caller-limits.ts';
import type { ChallengesAt } from './base/http/challenge.ts';
import type { EntranceDependencies, RequestHandler } from './base/http/front.ts';
import type { HealthDependencies } from './base/http/health.ts';
import type { RequestState } from './base/http/state.ts';
import type { RunningLimits } from './base/limits/index.ts';
import type { WorkBudget } from './base/limits/work-budget.ts';
import { listenTo, type ModuleEvents, type PartnerEventText, type StoreListener } from './base/store/events.ts';
import type { Store } from './base/store/index.ts';
import { CORE_TABLES } from './base/store/migrations/index.ts';
import type { TableSet } from './base/store/migrations/table-set.ts';
import { SEALED_BY_CORE, type SealedRows } from './base/store/repositories/sealed-credentials.ts';
import type { RetentionRule } from './base/store/retention.ts';
import type { Database } from './base/store/schema.ts';
import type { OnStatement } from './base/store/statements.ts';
import type { ThreadPool } from './base/threads/thread-pool.ts';
import type { McpAddition } from './call/mcp/additions.ts';
import type { AroundMessage } from './call/mcp/endpoint.ts';
import type { ResourceSource } from './call/mcp/resources.ts';
import type { ApprovalAccess } from './call/tools/approvals/decide.ts';
import type { AroundStage, CallListener, Interceptor } from './call/tools/call/call.ts';
import type { Catalogue } from './call/tools/catalogue/catalogue.ts';
import type { EndpointTools, ToolProvider } from './call/tools/provider.ts';
import type { CallerOf, FindWhy } from './call/tools/why.ts';
import type { CircuitFigures, Circuits } from './call/upstream/circuits.ts';
import type { AroundRequest } from './call/upstream/index.ts';
import type { Leases } from './call/upstream/lease.ts';
import type { Revocations } from './call/upstream/oauth/revocation.ts';
import type { Config } from './config/index.ts';
import type { ConfigureContext, Settings, ValuesOf } from './config/setting.ts';
import type { ListenAddress } from './config/values.ts';
import type { Connector, Icon } from './contract/index.ts';
import type { ClientGrantType } from './identity/oauth/context.ts';
import type { OperationShape } from './partners/operation.ts';

/** A capability that the core does not know. */
export interface Module<Rows extends Settings = Settings, Resolved = ValuesOf<Rows>> extends StoreListener {
  /** Unique, kebab-case: the folder's name. */
  readonly name: string;
  /** What it is for, in one sentence. */
  readonly summary: string;
  readonly settings?: Rows;
  /** Commands of `utg`, each in the group of its title, made with the modules of the gateway. None is loaded before it is used. */
  readonly commands?: CommandGroups<[modules: readonly AnyModule[]]>;
  /** Resolves settings that depend on others. Default: the values as read. */
  readonly configure?: (values: ValuesOf<Rows>, context: ConfigureContext) => Resolved;
  /** Its events, each in one sentence for people, or null; see `defineEvents`. */
  readonly events?: ModuleEvents['texts'];
  /** Types of events that partners can receive because of it. */
  readonly partnerEvents?: Readonly<Record<string, PartnerEventText>>;
  /** Its operations of the partner API, for the description of the HTTP API. Its `routes` serve them. */
  readonly operations?: () => Promise<readonly OperationShape[]>;
  /** Its own tables, with their migrations; `owner` is its name. Without the module they are not made, and their rows stay. */
  readonly tables?: TableSet;
  /** How long it keeps its rows. */
  readonly retention?: (settings: Resolved) => readonly RetentionRule[];
  /** The rows that it seals with the gateway's own keys, so that these can be rotated. */
  readonly sealed?: readonly SealedRows[];
  /** What of its rows gives access that ends when the store was restored from a backup. */
  readonly restored?: RestoredAccess;
  /** Readies what `listen` needs, for a gateway or a command. */
  readonly prepare?: (context: StoreContext) => Promise<void>;
  /** Watches the work of the core, from before the store is opened. Null: nothing is watched. */
  readonly watch?: (context: WatchContext, settings: Resolved) => Promise<Watch | null>;
  /** What `utg doctor` checks of it where the settings of the gateway are. */
  readonly checks?: (context: CheckContext, settings: Resolved) => Promise<readonly Check[]>;
  /** Opens the module. The core is open, and serves nothing yet. */
  readonly open?: (core: Core, settings: Resolved) => OpenModule | Promise<OpenModule>;
  /**
   * Opens a module that seals or opens what is stored with the gateway's own keys, such as secrets of webhooks. Such a module can open
   * credentials too.
   */
  readonly openTrusted?: (core: TrustedCore, settings: Resolved) => OpenModule | Promise<OpenModule>;
}

/** What `Module.checks` works with. */
export interface CheckContext {
  readonly config: Config;
  /** Null: it cannot be read, or is not migrated. */
  readonly store: Store | null;
  /** Null: there are none. */
  readonly keys: readonly EncryptionKey[] | null;
  readonly reach: Reach;
}

/** The checks of all modules of a gateway. */
export async function checksOfModules(context: CheckContext): Promise<Check[]> {
  const checks = context.config.modules.map(({ module, settings }) =>
    (module as AnyModule).checks?.(context, settings as never),
  );
  return (await Promise.all(checks)).flatMap((each) => each ?? []);
}

/** Access that a restored backup brings back, each kind under its name. */
interface RestoredAccess {
  /** The kinds that are counted, in words. */
  readonly words: Readonly<Record<string, string>>;
  readonly count: (db: Kysely<Database>, now: number) => Promise<Readonly<Record<string, number>>>;
  /** Ends it, before the core ends other access. It can be called again. @returns how many of each kind were ended. */
  readonly end: (db: Kysely<Database>, now: number) => Promise<Readonly<Record<string, number>>>;
}

/** What `Module.prepare` works with. */
interface StoreContext {
  readonly db: Kysely<Database>;
  /**
   * The key ring of the gateway; null: a command has none.
   *
   * @param options.isNew the store was never used: the keys of a local run may be made.
   */
  readonly findKeys: (options?: { readonly isNew: boolean }) => readonly EncryptionKey[] | null;
  /** Null: this is a command, and no gateway. */
  readonly log: Logger | null;
}

/** A command has not the keys that a change is recorded with. */
export class KeysMissingError extends Error {
  override readonly name = 'KeysMissingError';
}

/** Readies the modules' part of a store: from now on they hear what happens there. */
export async function listenWithModules(config: Pick<Config, 'modules'>, context: StoreContext): Promise<void> {
  const modules = modulesOf(config);
  for (const { prepare } of modules) await prepare?.(context);
  listenTo(context.db, modules);
}

/** A number that telemetry reads whenever metrics are collected. */
interface ModuleMetric {
  /** Such as `gateway.hours.refused_calls`. */
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  readonly kind: 'counter' | 'gauge';
  readonly read: () => number;
}

/** What an open module adds to the gateway. Everything is optional. */
export interface OpenModule extends CallListener {
  /** Loads its routes, on the first request to a route. */
  readonly routes?: () => Promise<readonly Router<RequestState>[]>;
  /** What it adds to the MCP endpoint besides tools. */
  readonly mcp?: McpAddition;
  /** What clients can read besides calling tools. */
  readonly resources?: ResourceSource;
  /** Runs around the calls of the MCP endpoint. It may answer before a call has ended. */
  readonly aroundCalls?: (tools: EndpointTools) => EndpointTools;
  /** Grant types of the token endpoint. */
  readonly grantTypes?: readonly ClientGrantType[];
  /** Icons of the server, and of the tools of a service. One module has them. */
  readonly icons?: {
    readonly ofServer: readonly Icon[];
    readonly ofTools: (connector: Connector) => Icon | undefined;
  };
  readonly listener?: Listener;
  /** Path of the pages where an operator can try a tool, followed by `/` and its name. */
  readonly toolPath?: string;
  readonly metrics?: readonly ModuleMetric[];
  /** What it adds to the dashboard. */
  readonly dashboard?: DashboardParts;
  /** Writes what is queued, and stops. */
  readonly close?: () => Promise<void>;
}

/** A listener of its own. Several modules may name one address. */
export interface Listener {
  /** The setting that names the address. */
  readonly setting: string;
  readonly address: ListenAddress;
  /** The line of the log once it listens, and its members. */
  readonly startupLog: { readonly line: string; readonly facts: Readonly<Record<string, unknown>> };
  /** A handler of its own; or the origin of pages whose routes it loads, with the checks of every page. */
  readonly serve: ((health: HealthDependencies) => RequestHandler) | ListenerPages;
  /** The only path that it answers when another module shares its address. Default: every path. */
  readonly path?: string;
}

/** Pages on a listener of its own. */
export interface ListenerPages {
  /** Origin as browsers see it, without a final slash. */
  readonly publicUrl: string;
  readonly routes: () => Promise<readonly Router<RequestState>[]>;
}

/** One worker of a gateway that answers with several processes. */
export interface WorkerContext {
  /** Random; the same for all workers. */
  readonly gatewayId: string;
  /** From 1. */
  readonly number: number;
  /** What every worker reports, this one too. One that does not answer in a second is left out. Values are JSON. */
  readonly gather: (topic: string) => Promise<readonly { readonly worker: number; readonly answer: unknown }[]>;
  /** Answers what workers gather. */
  readonly report: (topic: string, answer: () => Promise<unknown>) => void;
}

/** What `Module.watch` works with. */
interface WatchContext {
  /** Null: the gateway is one process. */
  readonly workers: WorkerContext | null;
  readonly config: Config;
  readonly log: Logger;
  readonly product: { readonly name: string; readonly version: string };
}

/** Hooks around the work of the core. None of them changes what a part does. */
export interface Watch {
  readonly aroundHandler: (handle: RequestHandler) => RequestHandler;
  readonly aroundMessage: AroundMessage;
  readonly aroundStages: () => AroundStage | null;
  readonly aroundRequest: AroundRequest;
  readonly aroundTools: (tools: ToolProvider) => ToolProvider;
  readonly interceptor: Interceptor;
  readonly onAnswered: NonNullable<EntranceDependencies['onAnswered']>;
  readonly onStatement: (databaseUrl: string) => OnStatement;
  readonly onCircuit: (figures: CircuitFigures) => void;
  /** Called once the core and the modules are open. */
  readonly observe: (
    core: Pick<Core, 'circuits' | 'limits' | 'modules'> & { readonly store: Pick<Store, 'connections'> },
  ) => void;
  readonly listener: Listener | null;
  readonly close: () => Promise<void>;
}

/** What a module may use of the core. */
export interface Core {
  readonly config: Config;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly product: { readonly name: string; readonly version: string };
  /** `User-Agent` of every outgoing request. */
  readonly userAgent: string;
  /** Keys of the module alone, derived from those of the gateway: what they seal, no other part can open. */
  readonly keys: readonly EncryptionKey[];
  readonly store: Pick<Store, 'db' | 'dialect'>;
  readonly connectors: readonly Connector[];
  readonly catalogue: Catalogue;
  /** All tools of a user, as the MCP endpoint has them. */
  readonly tools: ToolProvider;
  readonly findWhy: FindWhy;
  /** Who may call by a grant now, for what goes on without a request of its client. */
  readonly callerOf: CallerOf;
  readonly limits: RunningLimits;
  /** Time that the work of each user may take in a minute. */
  readonly workBudget: WorkBudget;
  /** For work whose size callers choose. What it takes is charged to their budget. */
  readonly threads: Pick<ThreadPool, 'run' | 'jobs'>;
  readonly callerLimits: CallerLimits;
  readonly circuits: Pick<Circuits, 'list'>;
  readonly revocations: Pick<Revocations, 'after'>;
  /** What shows and decides calls that wait for their user. */
  readonly approvals: ApprovalAccess;
  readonly leases: Pick<Leases, 'renewIdle' | 'lacking'>;
  /** Requests to other hosts go through these. */
  readonly outgoing: Outgoing;
  readonly documents: GuardedFetch;
  /** The gateway's resource indicator, which is also the address of its MCP endpoint. */
  readonly resource: string;
  readonly challenges: ChallengesAt;
  /** The open modules; all of them once the gateway serves. */
  readonly modules: readonly OpenModule[];
}

/** The core, for a module that is trusted with the gateway's keys. */
export interface TrustedCore extends Core {
  readonly vault: CredentialVault;
  /** The key ring; its first key seals. */
  readonly gatewayKeys: readonly EncryptionKey[];
}

/** A module with settings of any type, as a list holds it. */
export type AnyModule = Omit<
  Module,
  'settings' | 'configure' | 'retention' | 'watch' | 'checks' | 'open' | 'openTrusted'
> & {
  readonly settings?: Settings;
  readonly configure?: (values: never, context: ConfigureContext) => unknown;
  readonly retention?: (settings: never) => readonly RetentionRule[];
  readonly watch?: (context: WatchContext, settings: never) => Promise<Watch | null>;
  readonly checks?: (context: CheckContext, settings: never) => Promise<readonly Check[]>;
  readonly open?: (core: Core, settings: never) => OpenModule | Promise<OpenModule>;
  readonly openTrusted?: (core: TrustedCore, settings: never) => OpenModule | Promise<OpenModule>;
};

/** Declares a module. */
export function defineModule<Rows extends Settings = Record<never, never>, Resolved = ValuesOf<Rows>>(
  module: Module<Rows, Resolved>,
): Module<Rows, Resolved> {
  return module;
}

/** The modules of a gateway. */
export function modulesOf({ modules }: Pick<Config, 'modules'>): AnyModule[] {
  return modules.map(({ module }) => module as AnyModule);
}

/** The tables of a gateway with these modules: those of the core, and theirs. */
export function tableSetsOf(modules: readonly AnyModule[]): TableSet[] {
  return [CORE_TABLES, ...modules.flatMap(({ tables }) => tables ?? [])];
}

/** How long these modules keep their rows without any settings. */
export function defaultRetentionOf(modules: readonly AnyModule[]): RetentionRule[] {
  return modules.flatMap(({ retention, settings = {} }) => {
    const defaults = Object.entries(settings).map(([name, row]) => [name, row.default]);
    return retention?.(Object.fromEntries(defaults) as never) ?? [];
  });
}

/** All rows that a gateway with these modules seals. */
export function sealedRowsOf(modules: readonly AnyModule[]): SealedRows[] {
  return [...SEALED_BY_CORE, ...modules.flatMap(({ sealed }) => sealed ?? [])];
}
