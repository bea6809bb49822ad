/**
 * The type of a module: a capability that the core does not know, as one value. A gateway has the modules of one list; removing one from the
 * list removes it from the program, its settings and its pages.
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
import type { SendLog } from './base/log-record.ts';
import type { UserPage } from './base/pages/user-pages.ts';
import { type EventSubscriber, type ModuleEvents, type PartnerEventText, subscribe } from './base/store/events.ts';
import type { Store } from './base/store/index.ts';
import { SEALED_BY_CORE, type SealedRows } from './base/store/repositories/sealed-credentials.ts';
import type { RetentionRule } from './base/store/retention.ts';
import type { Database } from './base/store/schema.ts';
import { CORE_TABLES } from './base/store/schema.ts';
import type { OnStatement } from './base/store/statements.ts';
import type { TableSet } from './base/store/tables/table-set.ts';
import type { ThreadPool } from './base/threads/thread-pool.ts';
import type { McpAddition } from './call/mcp/additions.ts';
import type { AroundMessage } from './call/mcp/endpoint.ts';
import type { ResourceSource } from './call/mcp/resources.ts';
import type { ApprovalAccess } from './call/tools/approvals/decide.ts';
import type { AroundStage, CallAdditions, CallRules, Interceptor } from './call/tools/call/dependencies.ts';
import type { Catalogue } from './call/tools/catalogue/catalogue.ts';
import type { EndpointTools, ToolProvider } from './call/tools/provider.ts';
import type { FindSeenFacts, ToolConsentLinks } from './call/tools/tool-consent.ts';
import type { CallerOf, FindWhy } from './call/tools/why.ts';
import type { CircuitFigures, Circuits } from './call/upstream/circuits.ts';
import type { AroundRequest } from './call/upstream/index.ts';
import type { IdleLeases } from './call/upstream/lease.ts';
import type { Revocations } from './call/upstream/oauth/revocation.ts';
import type { Config, ConfiguredModules } from './config/index.ts';
import type { ConfigureContext, Settings, ValuesOf } from './config/setting.ts';
import type { ListenAddress } from './config/values.ts';
import type { Connector, Icon } from './contract/index.ts';
import type { ClientGrantType } from './identity/oauth/context.ts';
import type { OperationShape } from './partners/operation.ts';

/**
 * A capability that the core does not know. A gateway starts in this order: it opens the store and subscribes every `events`, calls every `provide`,
 * opens the tools with what these return, and calls every `open`.
 */
export interface Module<
  Rows extends Settings = Settings,
  Resolved = ValuesOf<Rows>,
  Provided extends CallAdditions = CallAdditions,
> {
  /** Unique, kebab-case: the name of its folder, unless that has several modules. */
  readonly name: string;
  /** Its purpose, in one sentence. */
  readonly summary: string;
  readonly settings?: Rows;
  /** Resolves settings that depend on others. Default: the values as read. */
  readonly configure?: (values: ValuesOf<Rows>, context: ConfigureContext) => Resolved;
  /** Commands of `utg`, each in the group of its title, created with the modules of the gateway. A command is loaded when it is used. */
  readonly commands?: CommandGroups<[modules: readonly AnyModule[]]>;
  readonly storage?: ModuleStorage<Resolved>;
  readonly events?: EventHooks;
  /** Its operations of the partner API, for the description of the HTTP API. Its `routes` serve them. */
  readonly operations?: () => Promise<readonly OperationShape[]>;
  /** Returns its checks for `utg doctor`. */
  readonly checks?: (context: CheckContext, settings: Resolved) => Promise<readonly Check[]>;
  /** Watches the work of the core, from before the store is opened. Returns null if it watches nothing. */
  readonly watch?: (context: WatchContext, settings: Resolved) => Promise<Watch | null>;
  /** Returns its additions to the calls of all users, before the tools are opened. */
  readonly provide?: (context: ModuleContext, settings: Resolved) => Provided;
  /**
   * Opens the module, after the core is open and before it serves anything.
   *
   * @param provided the value that `provide` returned; an empty object without it.
   */
  readonly open?: (core: Core, settings: Resolved, provided: Provided) => OpenModule | Promise<OpenModule>;
  /**
   * Opens a module that also gets the vault and the key ring of the gateway, such as one that seals secrets of webhooks.
   *
   * This is no isolation: modules are the operator's code, `checks` and `events.prepare` of every module get the key ring, and the
   * `Call` that an interceptor gets has the credential after the stage `openConnection`. But by its type `open` hands out neither keys nor credentials: keep it so.
   */
  readonly openTrusted?: (
    core: TrustedCore,
    settings: Resolved,
    provided: Provided,
  ) => OpenModule | Promise<OpenModule>;
}

/** The rows of a module. */
export interface ModuleStorage<Resolved> {
  /** Its tables, with their migrations; `owner` is its name. Without the module they are not created, and existing rows stay. */
  readonly tables?: TableSet;
  /** The rules by which its old rows are removed. */
  readonly retention?: (settings: Resolved) => readonly RetentionRule[];
  /** The rows that it seals with the gateway's keys, so that these can be rotated. */
  readonly sealed?: readonly SealedRows[];
  /** The access in its rows that ends when the store was restored from a backup. */
  readonly restored?: RestoredAccess;
}

/** The events that a module emits, and those that it receives. */
export interface EventHooks extends EventSubscriber {
  /** Its events: for each a sentence for people, or null; see `defineEvents`. */
  readonly texts?: ModuleEvents['texts'];
  /** Types of events that partners can receive because of it. */
  readonly toPartners?: Readonly<Record<string, PartnerEventText>>;
  /** Prepares for `onEvents`, in a gateway or in a command. */
  readonly prepare?: (context: StoreContext) => Promise<void>;
}

/** The input of `Module.checks`. */
export interface CheckContext {
  readonly config: Config;
  /** Null if the store cannot be read, or is not migrated. */
  readonly store: Store | null;
  /** Null if there are none. */
  readonly keys: readonly EncryptionKey[] | null;
  readonly reach: Reach;
}

/** Returns the checks of all modules of a gateway. */
export async function checksOfModules(context: CheckContext): Promise<Check[]> {
  const checks = configuredModules(context.config).map(({ module, settings }) => module.checks?.(context, settings));
  return (await Promise.all(checks)).flatMap((each) => each ?? []);
}

/** Access that a restored backup brings back, each kind under its name. */
interface RestoredAccess {
  /** A name for people, for each kind that is counted. */
  readonly words: Readonly<Record<string, string>>;
  readonly count: (db: Kysely<Database>, now: number) => Promise<Readonly<Record<string, number>>>;
  /** Ends this access, before the core ends other access. It can be called again. @returns how many of each kind were ended. */
  readonly end: (db: Kysely<Database>, now: number) => Promise<Readonly<Record<string, number>>>;
}

/** The input of `EventHooks.prepare`. */
interface StoreContext {
  readonly db: Kysely<Database>;
  /**
   * Returns the key ring of the gateway, or null in a command that has none.
   *
   * @param options.isNew true if the store was never used, so that the keys of a local run may be created.
   */
  readonly findKeys: (options?: { readonly isNew: boolean }) => readonly EncryptionKey[] | null;
  /** Null in a command. */
  readonly log: Logger | null;
}

/** Thrown when a command lacks the keys that a change is recorded with. */
export class KeysMissingError extends Error {
  override readonly name = 'KeysMissingError';
}

/** Prepares the modules' part of a store, and subscribes them to its events. */
export async function subscribeModules(config: ConfiguredModules, context: StoreContext): Promise<void> {
  const hooks = modulesOf(config).flatMap(({ events }) => events ?? []);
  for (const { prepare } of hooks) await prepare?.(context);
  subscribe(context.db, hooks);
}

/** A number that is read whenever metrics are collected. */
interface ModuleMetric {
  /** Its name, such as `gateway.hours.refused_calls`. */
  readonly name: string;
  /** Its meaning, in one sentence. */
  readonly description: string;
  readonly kind: 'counter' | 'gauge';
  readonly read: () => number;
}

/** The additions of an open module to the gateway, all of them optional. */
export interface OpenModule {
  /**
   * Loads its routes. Called on the first request to any route.
   *
   * @param modules all open modules. @param stopping aborted once the gateway has begun to stop: answers without an end must end then.
   */
  readonly routes?: LoadRoutes;
  /** Pages that it adds to the user's own page, which the module `me` serves. Loaded with its routes. */
  readonly userPages?: () => Promise<readonly UserPage[]>;
  /** Methods and notifications of the MCP endpoint that it adds. */
  readonly mcp?: McpAddition;
  /** MCP resources that clients can read. */
  readonly resources?: ResourceSource;
  /** Runs around the calls of the MCP endpoint. It may answer before a call has ended. */
  readonly aroundCalls?: (tools: EndpointTools) => EndpointTools;
  /** Grant types of the token endpoint. */
  readonly grantTypes?: readonly ClientGrantType[];
  readonly listener?: Listener;
  /** A line for the terminal of an operator who starts the gateway. */
  readonly startLine?: StartLine;
  /** Path of the pages where an operator can try a tool, followed by `/` and its name. */
  readonly toolPath?: string;
  readonly metrics?: readonly ModuleMetric[];
  /** Called once all modules are open, if the gateway sends log records. */
  readonly onLogs?: (send: SendLog) => void;
  /** Pages and sections of the dashboard that it adds. */
  readonly dashboard?: DashboardParts;
  /** Writes what is queued, and stops. */
  readonly close?: () => Promise<void>;
}

/** An address that the terminal shows when a gateway has started. */
export interface StartLine {
  readonly label: string;
  readonly url: string;
  /** The command of `utg` that lets somebody sign in there. */
  readonly signInCommand: string;
}

type LoadRoutes = (modules: readonly OpenModule[], stopping: AbortSignal) => Promise<readonly Router<RequestState>[]>;

/** A listener that a module adds. Several modules may name one address. */
export interface Listener {
  /** The setting that names the address. */
  readonly setting: string;
  readonly address: ListenAddress;
  /** The line of the log once it listens, and its members. */
  readonly startupLog: { readonly line: string; readonly facts: Readonly<Record<string, unknown>> };
  /** The handler of its requests, or pages, which get the checks of every page. */
  readonly serve: ((health: HealthDependencies) => RequestHandler) | ListenerPages;
  /** The only path that it answers when another module shares its address. Default: every path. */
  readonly path?: string;
}

/** Pages on a listener of a module. */
export interface ListenerPages {
  /** Origin as browsers see it, without a final slash. */
  readonly publicUrl: string;
  readonly routes: LoadRoutes;
}

/** One worker of a gateway that answers with several processes. */
export interface WorkerContext {
  /** Random; the same for all workers. */
  readonly gatewayId: string;
  /** From 1. */
  readonly number: number;
  /** Returns what every worker reports, including this one. A worker that does not answer within a second is left out. Values are JSON. */
  readonly gather: (topic: string) => Promise<readonly { readonly worker: number; readonly answer: unknown }[]>;
  /** Sets the answer of this worker for `gather`. */
  readonly report: (topic: string, answer: () => Promise<unknown>) => void;
}

/** The input of `Module.watch`. */
interface WatchContext {
  /** Null if the gateway is one process. */
  readonly workers: WorkerContext | null;
  readonly config: Config;
  readonly log: Logger;
  readonly product: { readonly name: string; readonly version: string };
}

/** The parts of the core whose numbers are read whenever metrics are collected. */
interface ObservedCore {
  readonly circuits: Circuits;
  readonly limits: RunningLimits;
  readonly store: Store;
}

/** Hooks around the work of the core, which observe it and change nothing. */
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
  readonly observe: (core: ObservedCore, modules: readonly OpenModule[]) => void;
  readonly listener: Listener | null;
  readonly close: () => Promise<void>;
}

/** The input of a gateway. */
export interface GatewayFacts {
  readonly config: Config;
  readonly connectors: readonly Connector[];
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The part of the core that is open before the tools are. */
export interface ModuleContext extends GatewayFacts {
  readonly product: { readonly name: string; readonly version: string };
  /** `User-Agent` of every outgoing request. */
  readonly userAgent: string;
  /** Keys of this module alone, derived from those of the gateway: no other part can open what they seal. */
  readonly keys: readonly EncryptionKey[];
  readonly store: Pick<Store, 'db' | 'dialect'>;
  readonly limits: RunningLimits;
  /** The processor time that the work of each user may take in a minute. */
  readonly workBudget: WorkBudget;
  /** Threads for work whose size callers choose. Its time is charged to their budget. */
  readonly threads: Pick<ThreadPool, 'run' | 'jobs'>;
}

/** The part of the core that an open module may use. */
export interface Core extends ModuleContext {
  readonly catalogue: Catalogue;
  /** All tools of a user, as the MCP endpoint has them. */
  readonly tools: ToolProvider;
  readonly findWhy: FindWhy;
  /** Returns the principal of a grant, for work that continues without a request of its client. */
  readonly callerOf: CallerOf;
  readonly callerLimits: CallerLimits;
  readonly circuits: Pick<Circuits, 'list'>;
  readonly callRules: CallRules;
  readonly revocations: Pick<Revocations, 'after'>;
  /** Shows and decides calls that wait for their user. */
  readonly approvals: ApprovalAccess;
  /** Tools that wait for the consent of their user: addresses of the page that asks for a connection code, and what was seen before. */
  readonly toolConsent: { readonly links: ToolConsentLinks; readonly seenFacts: FindSeenFacts };
  readonly leases: IdleLeases;
  /** Sends requests to other hosts. */
  readonly outgoing: Outgoing;
  readonly documents: GuardedFetch;
  /** The gateway's resource indicator, which is also the address of its MCP endpoint. */
  readonly resource: string;
  readonly challenges: ChallengesAt;
  /** Icons of the server, which a module provides. */
  readonly serverIcons: readonly Icon[];
}

/** The core, for a module that is trusted with the gateway's keys. */
export interface TrustedCore extends Core {
  readonly vault: CredentialVault;
  /** The key ring; its first key seals. */
  readonly gatewayKeys: readonly EncryptionKey[];
}

/** A module with settings of any type, as a member of a list. */
export type AnyModule = Omit<
  Module,
  'settings' | 'configure' | 'storage' | 'watch' | 'checks' | 'provide' | 'open' | 'openTrusted'
> & {
  readonly settings?: Settings;
  readonly configure?: (values: never, context: ConfigureContext) => unknown;
  readonly storage?: ModuleStorage<never>;
  readonly watch?: (context: WatchContext, settings: never) => Promise<Watch | null>;
  readonly checks?: (context: CheckContext, settings: never) => Promise<readonly Check[]>;
  readonly provide?: (context: ModuleContext, settings: never) => CallAdditions;
  readonly open?: (core: Core, settings: never, provided: never) => OpenModule | Promise<OpenModule>;
  readonly openTrusted?: (core: TrustedCore, settings: never, provided: never) => OpenModule | Promise<OpenModule>;
};

/** Declares a module. */
export function defineModule<
  Rows extends Settings = Record<never, never>,
  Resolved = ValuesOf<Rows>,
  Provided extends CallAdditions = CallAdditions,
>(module: Module<Rows, Resolved, Provided>): Module<Rows, Resolved, Provided> {
  return module;
}

/** Returns the modules of a gateway with their settings, whose type only the module itself knows. */
export function configuredModules({
  modules,
}: ConfiguredModules): readonly { readonly module: AnyModule; readonly settings: never }[] {
  return modules as readonly { module: AnyModule; settings: never }[];
}

/** Returns the modules of a gateway. */
export function modulesOf({ modules }: ConfiguredModules): AnyModule[] {
  return configuredModules({ modules }).map(({ module }) => module);
}

/** Returns the tables of a gateway with these modules: those of the core and those of the modules. */
export function tableSetsOf(modules: readonly AnyModule[]): TableSet[] {
  return [CORE_TABLES, ...modules.flatMap(({ storage }) => storage?.tables ?? [])];
}

/** Returns the retention rules of these modules under default settings. */
export function defaultRetentionOf(modules: readonly AnyModule[]): RetentionRule[] {
  return modules.flatMap(({ storage, settings = {} }) => {
    const defaults = Object.entries(settings).map(([name, row]) => [name, row.default]);
    return storage?.retention?.(Object.fromEntries(defaults) as never) ?? [];
  });
}

/** Returns every kind of row that a gateway with these modules seals. */
export function sealedRowsOf(modules: readonly AnyModule[]): SealedRows[] {
  return [...SEALED_BY_CORE, ...modules.flatMap(({ storage }) => storage?.sealed ?? [])];
}
