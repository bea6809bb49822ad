/** The tools of all users, and the upstream calls behind them. */

import type { Logger } from 'pino';
import manifest from '../package.json' with { type: 'json' };
import type { Config } from './config/index.ts';
import type { Connector } from './contract/index.ts';
import { markLostCredential } from './credentials/lost-credential.ts';
import { createCredentialOpener } from './credentials/opened.ts';
import { createValueSealer } from './credentials/sealed-value.ts';
import type { GatewayState } from './gateway-state.ts';
import type { Outgoing } from './guarded-fetch/outgoing.ts';
import { addDrift } from './store/repositories/calls/drift-tallies.ts';
import { addUsage } from './store/repositories/calls/usage-tallies.ts';
import { findToolFacts } from './store/repositories/tool-facts.ts';
import type { Telemetry } from './telemetry/index.ts';
import { createAccounts } from './tools/accounts.ts';
import { createApprovalLinks } from './tools/approval/approval-link.ts';
import { createSeenFacts } from './tools/approval/seen-facts.ts';
import type { CallFault, UpstreamDependencies } from './tools/call/call.ts';
import { createCallsMadeOnce } from './tools/call/once/index.ts';
import { createCallRecorder } from './tools/call-records.ts';
import { createCatalogue } from './tools/catalogue/catalogue.ts';
import { reportLargeList } from './tools/catalogue/list-size.ts';
import { createDeprecatedCallReporter } from './tools/deprecated-calls.ts';
import { createDriftCounter } from './tools/drift/index.ts';
import { withFinder } from './tools/finder/index.ts';
import { createValidators } from './tools/json/validate.ts';
import type { ToolProvider } from './tools/provider.ts';
import { createUsageCounter } from './tools/usage/index.ts';
import { createUserTools } from './tools/user-tools.ts';
import { createCredentialVerifier } from './tools/verify-credential.ts';
import { createTurns } from './upstream/caps/index.ts';
import { createCircuits } from './upstream/circuits/index.ts';
import { reportCircuit } from './upstream/circuits/report.ts';
import { createUpstream } from './upstream/index.ts';
import { startIdleRenewal } from './upstream/lease/idle.ts';
import { createLeases } from './upstream/lease/index.ts';
import { createRevocations } from './upstream/lease/revocation.ts';
import { createUpstreamOAuth } from './upstream/oauth/index.ts';

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
