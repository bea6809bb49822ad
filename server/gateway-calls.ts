/** The tools of all users, and the upstream calls behind them. */

import type { Logger } from 'pino';
import manifest from '../package.json' with { type: 'json' };
import { markLostCredential } from './base/credentials/lost-credential.ts';
import { createCredentialOpener } from './base/credentials/opened.ts';
import { createValueSealer } from './base/credentials/sealed-value.ts';
import type { Outgoing } from './base/guarded-fetch/outgoing.ts';
import { addDrift } from './base/store/repositories/calls/drift-tallies.ts';
import { addUsage } from './base/store/repositories/calls/usage-tallies.ts';
import { findToolFacts } from './base/store/repositories/tool-facts.ts';
import { createAccounts } from './call/tools/accounts.ts';
import { createApprovalLinks } from './call/tools/approval/approval-link.ts';
import { createSeenFacts } from './call/tools/approval/seen-facts.ts';
import type { CallFault, UpstreamDependencies } from './call/tools/call/call.ts';
import { createCallsMadeOnce } from './call/tools/call/once/index.ts';
import { createCallRecorder } from './call/tools/call-records.ts';
import { createCatalogue } from './call/tools/catalogue/catalogue.ts';
import { reportLargeList } from './call/tools/catalogue/list-size.ts';
import { createDeprecatedCallReporter } from './call/tools/deprecated-calls.ts';
import { createDriftCounter } from './call/tools/drift/index.ts';
import { withFinder } from './call/tools/finder/index.ts';
import { createValidators } from './call/tools/json/validate.ts';
import type { ToolProvider } from './call/tools/provider.ts';
import { createUsageCounter } from './call/tools/usage/index.ts';
import { createUserTools } from './call/tools/user-tools.ts';
import { createCredentialVerifier } from './call/tools/verify-credential.ts';
import { createTurns } from './call/upstream/caps/index.ts';
import { createCircuits } from './call/upstream/circuits/index.ts';
import { reportCircuit } from './call/upstream/circuits/report.ts';
import { createUpstream } from './call/upstream/index.ts';
import { startIdleRenewal } from './call/upstream/lease/idle.ts';
import { createLeases } from './call/upstream/lease/index.ts';
import { createRevocations } from './call/upstream/lease/revocation.ts';
import { createUpstreamOAuth } from './call/upstream/oauth/index.ts';
import type { Config } from './config/index.ts';
import type { Connector } from './contract/index.ts';
import type { GatewayState } from './gateway-state.ts';
import type { Telemetry } from './modules/telemetry/index.ts';

/** `User-Agent` of every outgoing request. */
export const USER_AGENT = `${manifest.name}/${manifest.version}`;

/** Faults that last until the operator acts. */
const OF_THE_OPERATOR: ReadonlySet<CallFault['kind']> = new Set(['unexpected', 'connector_outdated']);

/** The gateway's options that its calls need. */
interface CallsOptions {
  readonly config: Config;
  readonly connectors: readonly Connector[];
  readonly log: Logger;
  /** Replaces the tools. Default: those of `connectors`. */
  readonly tools?: ToolProvider;
}

/** Creates the tools of all users, and the upstream calls behind them. */
export function createCalls(
  { config, log, connectors, tools }: CallsOptions,
  { keys, vault, store, upstreamClients, now }: GatewayState,
  outgoing: Outgoing,
  telemetry: Telemetry | null,
) {
  const catalogue = createCatalogue(connectors, { mode: config.catalogueMode, pageTools: config.listPageTools });
  reportLargeList(catalogue, log);
  for (const { name, reason } of catalogue.refused) log.error({ tool: name, reason }, 'a tool is not served');
  const recorder = createCallRecorder({
    write: store.insertCallRecords,
    onProblem: ({ lost, error }) => log.error({ err: error, lost }, 'call records could not be written'),
  });
  const usage = createUsageCounter({
    write: (rows) => addUsage(store.db, rows),
    onProblem: ({ lost, error }) => log.warn({ err: error, lost }, 'counts of usage could not be written'),
  });
  const circuits = createCircuits({
    maxInFlight: config.upstreamConcurrency,
    now,
    onChange: (figures) => {
      reportCircuit(log, figures);
      telemetry?.countCircuit(figures);
    },
  });
  telemetry?.observeCircuits(circuits);
  const upstream = createUpstream({
    circuits,
    baseUrls: config.baseUrls,
    timeoutMs: config.upstreamTimeoutMs,
    maxResultBytes: config.maxResultBytes,
    userAgent: USER_AGENT,
    dispatcher: outgoing.dispatcher,
    around: telemetry?.aroundRequest,
  });
  const openCredential = createCredentialOpener({ vault });
  const upstreamOAuth = createUpstreamOAuth({ dispatcher: outgoing.dispatcher, userAgent: USER_AGENT, circuits, now });
  const lent = { db: store.db, openCredential, oauth: upstreamOAuth, clients: upstreamClients };
  const revocations = createRevocations({
    ...lent,
    connectors,
    onProblem: ({ error, service }) => log.warn({ err: error, service }, 'tokens were not revoked at their upstream'),
  });
  const leases = createLeases({
    ...lent,
    vault,
    now,
    onProblem: ({ error, ...problem }) => log.warn({ err: error, ...problem }, 'a connection was not renewed'),
  });
  const stopIdleRenewal = startIdleRenewal({
    db: store.db,
    connectors,
    leases,
    now,
    onRenewed: (count) => log.info({ count }, 'connections that nobody used were renewed'),
    onError: (error) => log.error({ err: error }, 'connections that nobody used could not be renewed'),
  });
  const turns = createTurns(store, {
    now,
    onError: (error) => log.warn({ err: error }, 'a turn to call an upstream could not be counted, or given back'),
  });
  const drift = createDriftCounter({
    write: (rows) => addDrift(store.db, rows),
    now,
    onProblem: ({ lost, error }) => log.warn({ err: error, lost }, 'changed answers could not be counted'),
  });
  const use: UpstreamDependencies = {
    upstream,
    turns,
    validators: createValidators(),
    maxResultBytes: config.maxResultBytes,
    resumes: createValueSealer({ keys, purpose: 'tool result' }),
    timeoutMs: config.upstreamTimeoutMs,
    now,
    onDrift: drift.count,
    aroundStages: telemetry?.aroundStages,
    onFault: ({ error, ...fault }) =>
      log[OF_THE_OPERATOR.has(fault.kind) ? 'error' : 'warn'](
        { err: error, ...fault },
        fault.kind === 'output_drift' ? 'an answer is not as its descriptor says' : 'a tool call failed',
      ),
  };
  const deprecated = createDeprecatedCallReporter({
    db: store.db,
    now,
    onError: (error) => log.error({ err: error }, 'an event for a partner could not be written'),
  });
  const userTools = createUserTools({
    ...use,
    catalogue,
    leases,
    once: createCallsMadeOnce({
      db: store.db,
      sealer: createValueSealer({ keys, purpose: 'call made once' }),
      now,
      onError: (error) => log.error({ err: error }, 'what came of a call with an idempotency key could not be kept'),
    }),
    record: recorder.record,
    interceptors: telemetry === null ? undefined : [telemetry.interceptor],
    ...(config.countUsage ? { countUsage: usage.count } : {}),
    resultTokens: config.resultTokens,
    onDeprecatedCall: deprecated.report,
    onCredentialRefused: async (lost) => {
      await store.db.transaction().execute((transaction) => markLostCredential(transaction, lost, now()));
    },
    seenFacts: createSeenFacts((hash) => findToolFacts(store.db, hash)),
    pages: {
      states: createValueSealer({ keys, purpose: 'tool call' }),
      approvals: createApprovalLinks({ keys, publicUrl: config.publicUrl }),
    },
  });
  const verifyCredential = createCredentialVerifier(use);
  const onError = (error: unknown) => log.error({ err: error }, 'an account could not be read');
  const accounts = createAccounts({ ...use, db: store.db, catalogue, openCredential, onError });
  const provider = tools ?? withFinder(userTools, catalogue);
  return {
    catalogue,
    recorder,
    usage,
    drift,
    deprecated,
    circuits,
    upstream,
    upstreamOAuth,
    leases,
    revocations,
    turns,
    stopIdleRenewal,
    tools: telemetry?.aroundTools(provider) ?? provider,
    verifyCredential,
    accounts,
  };
}
