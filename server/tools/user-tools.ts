/** The tools of one user: the list of what is connected, and calls that are limited, made and recorded. */

import type { Connector, Tool, ToolAlias } from '../contract/index.ts';
import type { FindConnection } from '../credentials/connection-lookup.ts';
import type { Principal } from '../principal/principal.ts';
import { SCOPES } from '../principal/scopes.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import type { CallRecord } from '../store/repositories/call-records.ts';
import type { Arguments } from './arguments/heal.ts';
import type { Catalogue, CatalogueEntry } from './catalogue/catalogue.ts';
import { findNearest } from './catalogue/nearest.ts';
import { type Invocation, type InvokeDependencies, invoke } from './invoke.ts';
import { type CompleteToolResult, type ToolCallContext, type ToolProvider, UnknownToolError } from './provider.ts';
import { offerReconnecting, type ReconnectDependencies, readTimesAsked } from './reconnect.ts';
import { type ExplainedError, explain, toErrorResult } from './results/errors.ts';
import { needsReconnecting } from './results/outcomes.ts';

/** What the tools of users need. */
export interface UserToolsDependencies extends InvokeDependencies {
  readonly catalogue: Catalogue;
  readonly findConnection: FindConnection;
  /** Calls per user: servers MUST limit invocations (MCP, Tools, Security considerations). */
  readonly limit: RateLimiter;
  readonly record: (record: CallRecord) => void;
  /** Called when an upstream refused the credential of a connection. What it throws is a fault. */
  readonly onCredentialRefused?: (refusal: RefusedConnection) => void | Promise<void>;
  /** How a user gets to connect a service again. Default: answers say so in words, without an address. */
  readonly reconnect?: ReconnectDependencies;
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

/** Creates the provider of the gateway's own tools. */
export function createUserTools(dependencies: UserToolsDependencies): ToolProvider {
  const deps = { ...dependencies, onFault: oncePerDrift(dependencies.onFault) };
  const { catalogue } = deps;
  return {
    list: (principal) => catalogue.list(principal.services, { readOnly: !mayWrite(principal) }),
    missingScopes(principal, name) {
      const entry = catalogue.find(name);
      if (entry === undefined || entry.tool.annotations.readOnlyHint || mayWrite(principal)) return null;
      return principal.services.includes(entry.connector.name) ? SCOPES : null;
    },
    async call(principal, name, args, context) {
      const entry = catalogue.find(name);
      if (entry === undefined) throw unknownTool(catalogue, principal, name);
      const startedAt = deps.now();
      const started = performance.now();
      const toResume = { principal, connector: entry.connector, tool: name, args, context, now: startedAt };
      const timesAsked = deps.reconnect === undefined ? 0 : readTimesAsked(toResume, deps.reconnect.states);
      const invocation = await callTool(deps, entry, principal, args, context);
      deps.record({
        createdAt: startedAt,
        partnerId: principal.partnerId,
        userId: principal.userId,
        tokenId: principal.tokenId,
        service: entry.connector.name,
        tool: name,
        outcome: invocation.outcome,
        upstreamCode: invocation.error?.upstreamCode ?? null,
        upstreamStatus: invocation.upstreamStatus,
        durationMs: performance.now() - started,
        requestBytes: Buffer.byteLength(JSON.stringify(args)),
        responseBytes: invocation.resultBytes,
        requestId: context.requestId,
      });
      const result =
        entry.alias === undefined ? invocation.result : withAliasNote(invocation.result, entry.tool, entry.alias);
      if (deps.reconnect === undefined || !needsReconnecting(invocation.outcome)) return result;
      return offerReconnecting(toResume, result, { timesAsked, deps: deps.reconnect });
    },
  };
}

/** The checks before a call, in the order in which their answers help: limit, connection, scope, then the call itself. */
async function callTool(
  deps: UserToolsDependencies,
  entry: CatalogueEntry,
  principal: Principal,
  args: Arguments,
  context: ToolCallContext,
): Promise<Invocation> {
  const { connector, tool } = entry;
  const waitSeconds = await deps.limit.consume(principal.userId);
  if (waitSeconds !== null) return refused(tooManyCalls(waitSeconds));
  if (!principal.services.includes(connector.name)) {
    return refused(notConnected(deps.catalogue, connector, principal));
  }
  if (!tool.annotations.readOnlyHint && !mayWrite(principal)) return refused(readOnlyToken());
  const connection = await deps.findConnection(principal.userId, connector.name);
  if (connection === undefined || connection.status === 'pending') {
    return refused(notConnected(deps.catalogue, connector, principal));
  }
  if (connection.status === 'attention') return refused(needsAttention(connector));

  const invocation = await invoke(entry, args, connection, signalFor(entry, context), deps);
  if (invocation.outcome === 'credential_refused') {
    const refusal = {
      connectionId: connection.id,
      updatedAt: connection.updatedAt,
      partnerId: principal.partnerId,
      userId: principal.userId,
      service: connector.name,
    };
    await Promise.resolve(refusal)
      .then((found) => deps.onCredentialRefused?.(found))
      .catch((error: unknown) => deps.onFault({ kind: 'unexpected', tool: tool.name, error }));
  }
  return invocation;
}

/** Tells a caller of an old name which name to use, so that agents move before its date. */
function withAliasNote(result: CompleteToolResult, { name }: Tool, alias: ToolAlias): CompleteToolResult {
  const text = `Note: ${alias.name} is now called ${name}. Use that name: the old one is kept until ${alias.until}.`;
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

/**
 * When to stop a call because its client went away.
 *
 * In 2026 a disconnect is the cancellation. In 2025 it is not to be read as one, so a call that writes runs to its end
 * (and is recorded); a call that only reads is stopped all the same, because without sessions nobody can fetch its answer.
 */
function signalFor(entry: CatalogueEntry, context: ToolCallContext): AbortSignal {
  return context.era === '2026' || entry.tool.annotations.readOnlyHint ? context.signal : new AbortController().signal;
}

/** Lets a tool whose answers drift be heard of once: every call of it drifts. */
function oncePerDrift(onFault: InvokeDependencies['onFault']): InvokeDependencies['onFault'] {
  const heard = new Set<string>();
  return (fault) => {
    if (fault.kind === 'output_drift' && heard.has(fault.tool)) return;
    if (fault.kind === 'output_drift') heard.add(fault.tool);
    onFault(fault);
  };
}

function mayWrite(principal: Principal): boolean {
  return principal.scopes.includes('tools:write');
}

function refused(error: ExplainedError): Invocation {
  const result = toErrorResult(error);
  return {
    result,
    outcome: error.error.code,
    error: error.error,
    upstreamStatus: null,
    resultBytes: Buffer.byteLength(JSON.stringify(result.content)),
  };
}

function unknownTool(catalogue: Catalogue, principal: Principal, name: string): UnknownToolError {
  const own = catalogue.names(principal.services, { readOnly: !mayWrite(principal) });
  return new UnknownToolError(name.slice(0, 128), findNearest(name, own, 3));
}

function tooManyCalls(seconds: number): ExplainedError {
  return explain('too_many_calls', {
    message: 'This user has made too many tool calls.',
    advice: `Wait ${seconds} seconds, then call again.`,
    retryAfterSeconds: seconds,
  });
}

function notConnected(catalogue: Catalogue, connector: Connector, principal: Principal): ExplainedError {
  const connected = principal.services.map((service) => catalogue.findConnector(service)?.title ?? service);
  return explain('not_connected', {
    message: `${connector.title} is not connected for this user.`,
    advice: `The user connects it in the application that manages the connections, then call again. ${
      connected.length === 0 ? 'No service is connected.' : `Connected: ${connected.join(', ')}.`
    }`,
  });
}

function needsAttention(connector: Connector): ExplainedError {
  return explain('connection_needs_attention', {
    message: `${connector.title} no longer accepts the credential of this connection.`,
    advice: `Calling again will not help: the user must connect ${connector.title} again in the application that manages the connections.`,
  });
}

function readOnlyToken(): ExplainedError {
  return explain('insufficient_scope', { message: 'This access token may only read, and the tool writes.' });
}
