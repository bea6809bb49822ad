/** Opens the core: the store, what the operator's keys open, the tools of all users, and the upstream calls behind them. */

import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { startCarryOver } from './base/credentials/carry-over.ts';
import type { EncryptionKey } from './base/credentials/index.ts';
import { LOCAL_KEY_RING_FILE, loadLocalKeyRing } from './base/credentials/key-ring.ts';
import { markLostCredential } from './base/credentials/lost-credential.ts';
import { findLostKey } from './base/credentials/rotate-keys.ts';
import { createValueSealer } from './base/credentials/sealed-value.ts';
import { startStoreKey } from './base/credentials/store-key.ts';
import { createUpstreamClients } from './base/credentials/upstream-clients.ts';
import { createGuardedFetch, type GuardedFetch } from './base/guarded-fetch/index.ts';
import { createOutgoing, type Outgoing } from './base/guarded-fetch/outgoing.ts';
import { PROCESS_BODIES } from './base/http/body-budget.ts';
import { createCallerLimits } from './base/http/caller-limits.ts';
import { openLimits } from './base/limits/index.ts';
import { createWorkBudget } from './base/limits/work-budget.ts';
import { liveClientId, type Realm } from './base/realm.ts';
import { openStore } from './base/store/index.ts';
import { startPurging } from './base/store/purge.ts';
import { findPartner } from './base/store/repositories/partners.ts';
import { findToolFacts } from './base/store/repositories/tool-facts.ts';
import { withPseudonyms } from './base/store/repositories/users.ts';
import { retentionRules } from './base/store/retention.ts';
import { ThreadPool } from './base/threads/thread-pool.ts';
import type { Workers } from './base/workers/worker.ts';
import { createAccounts } from './call/tools/accounts.ts';
import { type ApprovalAccess, createApprovalSealer } from './call/tools/approvals/decide.ts';
import { traitsByTool } from './call/tools/approvals/policy.ts';
import { createCallApprovals } from './call/tools/call/approve.ts';
import type { CallAdditions, CallFault, UpstreamDependencies } from './call/tools/call/dependencies.ts';
import { createCallsMadeOnce } from './call/tools/call/idempotency-keys.ts';
import { createCallLimits } from './call/tools/call-limits.ts';
import { createCallRecorder } from './call/tools/call-records.ts';
import { createCatalogue } from './call/tools/catalogue/catalogue.ts';
import { reportLargeList } from './call/tools/catalogue/list-pages.ts';
import type { Unreviewed } from './call/tools/catalogue/provenance.ts';
import { isScoped, type WithholdRule, withRules } from './call/tools/catalogue/withheld.ts';
import { createEndedCalls } from './call/tools/ended-calls.ts';
import { createLargeAnswers } from './call/tools/large/large-answers.ts';
import type { ToolProvider } from './call/tools/provider.ts';
import { ReadLists } from './call/tools/selection/read-lists.ts';
import { createSeenFacts, createToolConsentLinks } from './call/tools/tool-consent.ts';
import { createScopedTools, createUserTools } from './call/tools/user-tools.ts';
import { createValidators } from './call/tools/validate.ts';
import { createCredentialVerifier, type VerifyCredential } from './call/tools/verify-credential.ts';
import { createCallerOf, createFindWhy } from './call/tools/why.ts';
import type { Closing } from './closing.ts';
import type { Config } from './config/index.ts';
import type { Connector } from './contract/index.ts';
import { MCP_PATH } from './gateway-paths.ts';
import { configuredModules, modulesOf, sealedRowsOf, subscribeModules, tableSetsOf, type Watch } from './module.ts';
import { provideModules } from './open-modules.ts';
import { USER_AGENT } from './product.ts';
import { openUpstreams } from './upstreams.ts';

const LOST_KEY =
  'stored credentials were sealed with a key that ENCRYPTION_KEYS does not hold: put it back, or their users must connect again';

const NOT_KEYED =
  'the store has no key of its own yet, because other gateways are connected to the database: stop all of them once, and start one first';

const PROXY_REPORT_MS = 60_000;

/** Faults that last until the operator acts. */
const OF_THE_OPERATOR = new Set<CallFault['kind']>(['unexpected', 'connector_outdated', 'definition_changed']);

/** Options of the core. */
export interface CoreOptions {
  readonly config: Config;
  readonly connectors: readonly Connector[];
  /** The connectors that `REQUIRE_REVIEWED` left out of `connectors`. */
  readonly unreviewed: readonly Unreviewed[];
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Replaces the tools, for tests of the protocol. Default: those of `connectors`. */
  readonly tools?: ToolProvider;
  /** Replaces the fetcher of clients' documents, for tests. Default: it follows `OUTGOING_NETWORKS`. */
  readonly documents?: GuardedFetch;
  /** Replaces the sender of requests, for tests that resolve names themselves. Default: it follows `OUTGOING_NETWORKS`. */
  readonly outgoing?: Outgoing;
  /** Longest time that a call record waits before it is written, in milliseconds, for tests that read records. Default: 1000. */
  readonly recordsEveryMs?: number;
  /** The workers of the gateway. Default: it is one process. */
  readonly workers?: Workers | undefined;
  /** False if others may have its SQLite file, for tests of several gateways on one store. Default: true without workers. */
  readonly alone?: boolean;
  readonly watch: Watch | null;
  readonly closing: Closing;
}

/** The open core. Its parts see it all; modules see what `Core` in module.ts names. */
export type OpenCore = Awaited<ReturnType<typeof openCore>>;

/** @throws when the store cannot be opened, or the key ring of a local run cannot be read. */
export async function openCore(options: CoreOptions) {
  const state = { ...(await openState(options)), ...openWork(options) };
  const sending = openSending(options);
  const modules = provideModules(options, state);
  const calls = openCalls(options, state, { ...sending, additions: modules.map(({ provided }) => provided) });
  const callerLimits = createCallerLimits(
    { db: state.store.db, limits: state.limits, now: options.now },
    options.config,
  );
  return { ...state, ...sending, ...calls, callerLimits, modules };
}

/** The store, and what opens the credentials in it. */
async function openState({ config, log, now, watch, closing, workers, alone = workers === undefined }: CoreOptions) {
  PROCESS_BODIES.divide(workers?.count ?? 1);
  const keys = config.encryptionKeys ?? localKeys(log);
  const store = await openStore({
    url: config.databaseUrl,
    urlFile: config.databaseUrlFile,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    onStatement: watch?.onStatement(config.databaseUrl),
    sets: tableSetsOf(modulesOf(config)),
    alone,
  });
  closing.add('the store did not close', () => store.close());
  const { vault, isKeyed, carryOver } = await startStoreKey(store.db, keys, sealedRowsOf(modulesOf(config)));
  if (!isKeyed) log.warn(NOT_KEYED);
  if (carryOver !== null) closing.add('the sealing of credentials did not end', startCarryOver(carryOver, log));
  const limits = await openLimits({
    store,
    redisUrl: config.limitsRedisUrl,
    log,
    now,
    ofWorkers: workers && { counts: workers.counts('limits'), count: workers.count },
  });
  closing.add('counts of limits were not written', () => limits.close());
  await subscribeModules(config, { db: store.db, findKeys: () => keys, log });
  const lostKey = await findLostKey(
    store.db,
    vault,
    keys.map(({ id }) => id),
  );
  if (lostKey !== null) log.error({ keyId: lostKey }, LOST_KEY);
  if ((workers?.number ?? 1) === 1) {
    const stopPurging = startPurging({
      store,
      rules: [
        ...retentionRules({ callRecordDays: config.callRecordRetentionDays }),
        ...configuredModules(config).flatMap(({ module, settings }) => module.storage?.retention?.(settings) ?? []),
      ],
      now,
      onPurged: (removed) => log.info({ removed }, 'purged'),
      onError: (error) => log.error({ err: error }, 'the purge failed'),
    });
    closing.add('the purge did not end', stopPurging);
  }
  return { keys, vault, store, limits, upstreamClients: createUpstreamClients({ db: store.db, vault }) };
}

/** Threads that read large answers. More would take memory and processors from the calls that are answered here. */
const MAX_THREADS = 2;

/** Opens the threads and the time budget for work whose size callers choose. The budget counts the time by user. */
function openWork({ config, now, closing }: CoreOptions) {
  const workBudget = createWorkBudget({ msPerMinute: config.workSecondsPerMinute * 1000, now });
  const threads = new ThreadPool({
    threads: Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1)),
    onWork: workBudget.charge,
  });
  closing.add('threads that read large answers did not end', () => threads.close());
  return { workBudget, threads };
}

/** Opens the ways to other hosts. */
function openSending({ config, log, now, closing, ...replacements }: CoreOptions) {
  const outgoingOptions = {
    networks: config.outgoingNetworks,
    proxy: config.outgoingProxy,
    onProxyProblem: createProxyReport(log, now),
  };
  const documents = replacements.documents ?? createGuardedFetch({ userAgent: USER_AGENT, ...outgoingOptions });
  closing.add('fetches of documents did not end', () => documents.close());
  const outgoing = replacements.outgoing ?? createOutgoing(outgoingOptions);
  closing.add('outgoing requests did not end', () => outgoing.close());
  return { documents, outgoing };
}

type State = Awaited<ReturnType<typeof openState>> & ReturnType<typeof openWork>;
type Upstreams = ReturnType<typeof openUpstreams>;
type OpenedUpstreams = ReturnType<Upstreams['realms']['of']>;
type Sending = ReturnType<typeof openSending>;

interface Provided {
  /** Of all modules, in the order of their list. */
  readonly additions: readonly CallAdditions[];
}

/** The tools of all users, and the upstream calls behind them. */
function openCalls(options: CoreOptions, state: State, { outgoing, additions }: Sending & Provided) {
  const { config, log, now, connectors, watch, closing } = options;
  const { keys, store } = state;
  const codeTools = additions.flatMap((addition) => addition.codeTools ?? []);
  const icons = findProvided(additions, 'icons');
  const createCatalogueOf = (served: readonly Connector[]) =>
    createCatalogue(served, { mode: config.catalogueMode, codeTools, iconOf: icons?.ofTools });
  const catalogue = createCatalogueOf(connectors);
  reportLargeList(catalogue, log);
  for (const { name, reason } of catalogue.refused) log.error({ tool: name, reason }, 'a tool is not served');
  const recorder = createCallRecorder({
    write: async (records) => store.insertCallRecords(await withPseudonyms(store.db, records)),
    intervalMs: options.recordsEveryMs,
    onProblem: ({ lost, error }) => log.error({ err: error, lost }, 'call records could not be written'),
  });
  closing.add('call records were not written', () => recorder.stop());
  const endedCalls = createEndedCalls(additions, (error) =>
    log.error({ err: error }, 'a module failed to hear of ended calls'),
  );
  const sending = openUpstreams(options, state, outgoing);
  const callLimits = createCallLimits(config, { connectors, limits: state.limits, db: store.db, now });
  const { toolConsent, ...approvals } = openApprovals(options, state, additions);
  const realms = sending.realms.map((upstreams) => openRealm(options, state, { ...sending, additions }, upstreams));
  const ofModules = additions.map(({ interceptor }) => interceptor);
  const interceptors = [watch?.interceptor, ...ofModules, endedCalls.interceptor].filter((each) => each !== undefined);
  const createTools = (rules: readonly WithholdRule[], realm: Realm) => {
    const { connectors: served, leases, use } = realms.of({ realm });
    return createUserTools({
      ...use,
      catalogue: rules.length === 0 && realm === 'live' ? catalogue : createCatalogueOf(withRules(served, rules)),
      leases,
      once: createCallsMadeOnce({
        db: store.db,
        sealer: createValueSealer({ keys, purpose: 'call made once' }),
        now,
        onError: (error) => log.error({ err: error }, 'what came of a call with an idempotency key could not be kept'),
      }),
      approvals: approvals.ofCalls,
      ...callLimits,
      record: recorder.record,
      codeTools,
      files: findProvided(additions, 'files'),
      uploads: findProvided(additions, 'uploads'),
      interceptors,
      resultTokens: config.resultTokens,
      onCredentialRefused: (lost) =>
        store.db.transaction().execute((transaction) => markLostCredential(transaction, lost, now())),
      seenFacts: toolConsent.seenFacts,
      pages: approvals.pages,
    });
  };
  const partnerClientIdOf = async (id: string) => liveClientId((await findPartner(store.db, id))?.clientId ?? '');
  const provider = options.tools ?? createScopedTools(config.withhold, createTools, partnerClientIdOf);
  const identity = { issuer: config.publicUrl, path: MCP_PATH };
  return {
    ...sending,
    realms,
    approvals: approvals.access,
    toolConsent,
    callerOf: createCallerOf({ store, identity, now }),
    catalogue,
    endedCalls,
    serverIcons: icons?.ofServer ?? [],
    tools: watch?.aroundTools(provider) ?? provider,
    ...callLimits,
    findWhy: createFindWhy({
      store,
      catalogue,
      unreviewed: options.unreviewed,
      openCredential: sending.openCredential,
      seenFacts: toolConsent.seenFacts,
      callRules: callLimits.callRules,
      now,
      ...approvals.policy,
      identity,
      running: { limit: callLimits.callLimit, upstreams: realms.map(({ use: upstreamDeps }) => upstreamDeps.upstream) },
    }),
  };
}

/** Opens the dependencies of one realm that call services: the tools of its users, and the pages where they connect. */
function openRealm(options: CoreOptions, state: State, shared: Upstreams & Provided, upstreams: OpenedUpstreams) {
  const { config, log, closing } = options;
  const { openCredential } = shared;
  const upstreamDeps = toUpstreamDependencies(options, state, upstreams, shared);
  // What the gateway itself reads may be shown to anyone, so every rule holds.
  const strict = withRules(upstreams.connectors, config.withhold.filter(isScoped));
  const findStrict = (service: string) => strict.find(({ name }) => name === service);
  const onError = (error: unknown) => log.error({ err: error }, 'an account could not be read');
  const accounts = createAccounts({
    ...upstreamDeps,
    db: state.store.db,
    openCredential,
    onError,
    findConnector: findStrict,
  });
  closing.add('the reading of accounts did not end', () => accounts.close());
  const verifying = createCredentialVerifier(upstreamDeps);
  const verifyCredential: VerifyCredential = (connector, ...rest) =>
    verifying(findStrict(connector.name) ?? connector, ...rest);
  const findConnector = (service: string) => upstreams.connectors.find(({ name }) => name === service);
  return { ...upstreams, use: upstreamDeps, accounts, verifyCredential, findConnector };
}

/** Returns the dependencies of every request to an upstream. */
function toUpstreamDependencies(
  { config, log, now, watch }: CoreOptions,
  { keys, threads, workBudget }: State,
  { realm, upstream }: OpenedUpstreams,
  { upstreamSlots, additions }: Upstreams & Provided,
): UpstreamDependencies {
  const listeners = additions.flatMap(({ onDrift }) => onDrift ?? []);
  return {
    upstream,
    upstreamSlots,
    validators: createValidators(),
    readLists: new ReadLists(),
    largeAnswers: createLargeAnswers({ threads, budget: workBudget }),
    maxResultBytes: config.maxResultBytes,
    resumes: createValueSealer({ keys, purpose: 'tool result' }),
    timeoutMs: config.upstreamTimeoutMs,
    now,
    onDrift: (...drift) => {
      // A sandbox answers as the descriptor says, whatever the service does.
      if (realm === 'live') for (const onDrift of listeners) onDrift(...drift);
    },
    aroundStages: watch?.aroundStages,
    onFault: ({ error, ...fault }) =>
      log[OF_THE_OPERATOR.has(fault.kind) ? 'error' : 'warn'](
        { err: error, ...fault },
        fault.kind === 'output_drift' ? 'an answer is not as its descriptor says' : 'a tool call failed',
      ),
  };
}

/** Opens the parts that ask users about calls, and that store their decisions. */
function openApprovals(
  { config, connectors, now }: CoreOptions,
  { keys, store }: State,
  additions: readonly CallAdditions[],
) {
  const policy = { traits: traitsByTool(connectors), rule: config.approvals, remember: config.approvalRemember };
  const access: ApprovalAccess = {
    sealer: createApprovalSealer(keys),
    channels: config.approvalChannels,
    ...policy,
  };
  const toolConsent = {
    links: createToolConsentLinks({ keys, publicUrl: config.publicUrl }),
    seenFacts: createSeenFacts((hash) => findToolFacts(store.db, hash)),
  };
  const pages = createUserPages(config, keys, additions);
  const { approvalUrlOf } = pages;
  const ofCalls = createCallApprovals({ ...access, db: store.db, approvalUrlOf, now });
  return { access, policy, toolConsent, pages, ofCalls };
}

/** Returns the addition of the first module that provides it. */
function findProvided<Name extends keyof CallAdditions>(additions: readonly CallAdditions[], name: Name) {
  return additions.find((addition) => addition[name] !== undefined)?.[name];
}

/** Creates the links to pages that calls lead to. There is a page of approvals if it is accepted, and a module provides it. */
function createUserPages(
  { publicUrl, approvalChannels }: Config,
  keys: readonly EncryptionKey[],
  additions: readonly CallAdditions[],
) {
  const paths = findProvided(additions, 'userPages');
  const hasApprovals = paths !== undefined && approvalChannels.includes('page');
  return {
    states: createValueSealer({ keys, purpose: 'tool call' }),
    questions: paths?.questions,
    consentLinks: createToolConsentLinks({ keys, publicUrl, path: paths?.allow }),
    approvalUrlOf: hasApprovals
      ? (id: string | null) => `${publicUrl}${paths.approvals}${id === null ? '' : `/${id}`}`
      : null,
  };
}

/** Reports a problem of the proxy at most once a minute, because every request has it. */
function createProxyReport(log: Logger, now: () => number): (detail: string) => void {
  let quietUntil = 0;
  return (detail) => {
    if (now() < quietUntil) return;
    quietUntil = now() + PROXY_REPORT_MS;
    log.error(`a request was not sent: ${detail}; logged at most once a minute`);
  };
}

function localKeys(log: Logger): readonly EncryptionKey[] {
  const { keys, created } = loadLocalKeyRing(LOCAL_KEY_RING_FILE);
  const action = created ? 'made' : 'using';
  log.warn(
    `ENCRYPTION_KEYS is not set: ${action} the key in ${LOCAL_KEY_RING_FILE}. Credentials in the database are lost without it.`,
  );
  return keys;
}
