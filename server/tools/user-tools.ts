/** The tools of one user: the list of what is connected, and calls of them. */

import type { ToolAlias } from '../contract/index.ts';
import type { Principal } from '../principal/principal.ts';
import { mayRead, mayWrite, SCOPES, type Scope } from '../principal/scopes.ts';
import { NOTHING_TO_REDACT } from '../upstream/index.ts';
import type { ApprovalLinks } from './approval/approval-link.ts';
import { offerPage, readTimesAsked, type StateSealer, type UserPage } from './ask-user.ts';
import type { CallDependencies, CallFault } from './call/call.ts';
import type { Ending } from './call/ending.ts';
import { createCallMaker } from './call/index.ts';
import { readIdempotencyKey } from './call/once/idempotency-key.ts';
import type { Catalogue, CatalogueEntry } from './catalogue/catalogue.ts';
import type { ToolFacts } from './catalogue/facts.ts';
import { isPermitted, pinsOf } from './catalogue/permitted.ts';
import type { DeprecatedCallReporter } from './deprecated-calls.ts';
import { DEFAULT_RESULT_TOKENS, toByteLimit } from './fitting/tokens.ts';
import { type CompleteToolResult, type ToolCallContext, type ToolProvider, UnknownToolError } from './provider.ts';
import { remedyOf } from './results/outcomes.ts';

/** What the tools of users need. */
export interface UserToolsDependencies extends CallDependencies {
  /** Called when a connection's tool was called by an old name. Default: no one wants to know. */
  readonly onDeprecatedCall?: DeprecatedCallReporter['report'];
  /** Where users go when a call needs something of them. Default: answers say so in words, without an address. */
  readonly pages?: {
    /** Seals the state of a call that asks its user to open a page. */
    readonly states: StateSealer;
    readonly approvals: ApprovalLinks;
  };
}

/** Creates the provider of the gateway's own tools. */
export function createUserTools(dependencies: UserToolsDependencies): ToolProvider {
  const deps = { ...dependencies, onFault: oncePerDrift(dependencies.onFault) };
  const { catalogue, pages } = deps;
  const makeCall = createCallMaker(deps);
  return {
    list: (principal, cursor) => catalogue.list(principal, cursor),
    missingScopes(principal, name) {
      const entry = catalogue.find(name);
      if (entry === undefined || !principal.connections.has(entry.connector.name)) return null;
      const needed = missingFrom(principal, entry);
      return needed !== null && isPermitted(entry, principal.permission) ? needed : null;
    },
    takesFiles: (name) => catalogue.find(name)?.takesFiles === true,
    async call(principal, name, args, context) {
      const entry = catalogue.find(name);
      if (entry === undefined) throw unknownTool(catalogue, principal, name);
      const { readOnlyHint } = entry.tool.annotations;
      const idempotencyKey = readOnlyHint ? null : readIdempotencyKey(context.meta);
      const startedAt = deps.now();
      const toResume = { principal, tool: name, args, context, now: startedAt };
      const timesAsked = pages === undefined ? 0 : readTimesAsked(toResume, pages.states);
      const ending = await makeCall({
        principal,
        entry,
        context,
        calledAs: name,
        idempotencyKey,
        startedAt,
        deadline: startedAt + deps.timeoutMs,
        trace: { requestId: context.requestId },
        signal: signalFor(entry, context, idempotencyKey),
        given: args,
        arguments: args,
        pins: pinsOf(principal.permission, entry.connector.name),
        reader: {
          id: principal.grantId ?? principal.tokenId,
          limit: toByteLimit(principal.permission.resultTokens ?? deps.resultTokens ?? DEFAULT_RESULT_TOKENS),
        },
        credential: {},
        credentialSince: 0,
        renew: null,
        answer: null,
        seed: null,
        mayHaveActed: false,
        redactor: NOTHING_TO_REDACT,
      });
      if (entry.alias !== undefined) reportAlias(principal, entry, entry.alias, deps);
      const result = entry.alias === undefined ? ending.result : withAliasNote(ending.result, entry, entry.alias);
      if (pages === undefined) return result;
      const page = findPage(principal, entry, ending, {
        approvals: pages.approvals,
        facts: catalogue.facts.byTool,
        now: startedAt,
      });
      return page === null ? result : offerPage(toResume, result, page, { timesAsked, states: pages.states });
    },
  };
}

/** Every scope that the tool needs, where one of them is not there. */
function missingFrom({ scopes }: Principal, { tool }: CatalogueEntry): readonly Scope[] | null {
  if (tool.annotations.readOnlyHint) return mayRead(scopes) ? null : ['tools:read'];
  return mayWrite(scopes) ? null : SCOPES;
}

/** The page on which the user can do something about how a call ended; null: there is none. */
function findPage(
  { connectUri, clientId, grantId, narrowedTo }: Principal,
  { connector, tool }: CatalogueEntry,
  ending: Ending,
  { approvals, facts, now }: { approvals: ApprovalLinks; facts: ToolFacts; now: number },
): UserPage | null {
  const remedy = remedyOf(ending.outcome);
  const { title, name } = connector;
  const canConnect = connectUri !== null && (narrowedTo?.includes(name) ?? true);
  if ((remedy === 'connect' || remedy === 'reconnect') && canConnect) {
    const url = new URL(connectUri);
    url.searchParams.set('service', name);
    return { remedy, url: url.href, message: connectWords(ending, title) };
  }
  if (remedy === 'allow' && clientId !== null && grantId !== null) {
    const url = approvals.urlOf({ grantId, tool: tool.name, facts: facts[tool.name] ?? '' }, now);
    const message = `${ending.error?.message ?? ''} Open the page to see it and to allow it, then continue.`;
    return { remedy, url, message };
  }
  return null;
}

/** What the person reads who is asked to connect. */
function connectWords({ outcome, error }: Ending, title: string): string {
  switch (outcome) {
    case 'not_connected':
      return `${title} is not connected. Connect ${title}, then continue.`;
    case 'scope_not_granted':
      return `${error?.message ?? ''} Connect ${title} again and grant it, then continue.`;
    default:
      return `${title} no longer accepts the credential of this connection. Connect ${title} again, then continue.`;
  }
}

function reportAlias(
  { userId, connections }: Principal,
  { connector, tool }: CatalogueEntry,
  { name: calledAs, until }: ToolAlias,
  { onDeprecatedCall }: UserToolsDependencies,
): void {
  const service = connector.name;
  const connectionId = connections.get(service)?.id;
  if (connectionId === undefined) return;
  onDeprecatedCall?.({ userId, connectionId, service, calledAs, tool: tool.name, until });
}

/** Tells a caller of an old name which name to use, so that agents move before its date. */
function withAliasNote(result: CompleteToolResult, { tool }: CatalogueEntry, alias: ToolAlias): CompleteToolResult {
  const text = `Note: ${alias.name} is now called ${tool.name}. Use that name: the old one is kept until ${alias.until}.`;
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

/**
 * When to stop a call because its client cancelled it.
 *
 * In 2026 going away is the cancellation. In 2025 it is a notification, which names a request by an id that another window of
 * the same client may use as well: it stops only what can be called again without harm.
 *
 * A call with an idempotency key continues: its client may have lost the connection, and comes back for its outcome.
 */
function signalFor(entry: CatalogueEntry, context: ToolCallContext, key: string | null): AbortSignal {
  if (entry.tool.annotations.readOnlyHint) return context.signal;
  return context.era === '2026' && key === null ? context.signal : new AbortController().signal;
}

/** Lets a tool whose answers drift be heard of once: every call of it drifts. */
function oncePerDrift(onFault: CallDependencies['onFault']): (fault: CallFault) => void {
  const heard = new Set<string>();
  return (fault) => {
    if (fault.kind === 'output_drift' && heard.has(fault.tool)) return;
    if (fault.kind === 'output_drift') heard.add(fault.tool);
    onFault(fault);
  };
}

function unknownTool(catalogue: Catalogue, principal: Principal, name: string): UnknownToolError {
  return new UnknownToolError(name, catalogue.nearest(name, principal, 3));
}
