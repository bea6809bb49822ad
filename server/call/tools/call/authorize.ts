/** Authorizes a call: checks that the user and the token may make it, and opens the credential that it uses. */

import { CredentialUnreadableError } from '../../../base/credentials/index.ts';
import { hasExtra, partsFor, signInsOf } from '../../../base/credentials/kinds.ts';
import { onlyAccountsOf } from '../../../base/principal/allowance.ts';
import { mayRead, mayWrite } from '../../../base/principal/permission.ts';
import { describeSuspension, type Principal } from '../../../base/principal/principal.ts';
import type { FoundConnection } from '../../../base/store/token-lookup.ts';
import type { Connector } from '../../../contract/index.ts';
import type { Lease } from '../../upstream/lease.ts';
import { missingScopes } from '../../upstream/oauth/scopes.ts';
import type { Catalogue, CatalogueEntry } from '../catalogue/catalogue.ts';
import { effectName, effectOf, findRisks, findSeenFacts, isAgreed, type ToolFacts } from '../catalogue/facts.ts';
import { accountArgumentOf, allowsCall, findExclusion } from '../catalogue/permitted.ts';
import { type CallOutcome, needsAttention, refuse, unreadableCredential } from './call-outcome.ts';
import type { AuthorizationDependencies } from './dependencies.ts';
import { renewCredential } from './sending.ts';
import { type CallRequest, UNSENT, type UsedCredential } from './state.ts';

/** A caller and the tool that it calls. */
interface ToolAccess {
  readonly principal: Principal;
  readonly entry: CatalogueEntry;
}

/** Ends the call of a user who made too many requests. They were counted when the request arrived. */
export function checkLimit({ waitSeconds }: { readonly waitSeconds: number | null }): CallOutcome | null {
  if (waitSeconds === null) return null;
  return refuse('too_many_calls', {
    message: 'This user has made too many tool calls.',
    advice: `Wait ${waitSeconds} seconds, then call again.`,
    retryAfterSeconds: waitSeconds,
  });
}

/** The partner must not be suspended, and must still offer the service. */
export function checkPartner({ principal, entry }: ToolAccess): CallOutcome | null {
  if (principal.isSuspended) return refuseSuspended(principal);
  const { partnerName, offeredServices: offered } = principal;
  const { name, title } = entry.connector;
  if (offered?.includes(name) ?? true) return null;
  return refuse('not_offered', {
    message: `${partnerName} does not offer ${title}, so its tools cannot be called.`,
    advice: `Calling again will not help: the user can ask ${partnerName} about it.`,
  });
}

/** Ends the call of a user whose partner is suspended. */
export function refuseSuspended({ partnerName }: Principal): CallOutcome {
  const { text, advice } = describeSuspension(partnerName);
  return refuse('partner_suspended', { message: text, advice: `Calling again will not help now. ${advice}` });
}

/**
 * The service must be connected, the grant must include the tool, and the token needs the scope to read or write. Nothing writes while the
 * operator has stopped that.
 */
export function checkAccess(
  { principal, entry }: ToolAccess,
  { catalogue }: AuthorizationDependencies,
): CallOutcome | null {
  const { connector, tool } = entry;
  const exclusion = findExclusion(entry, principal.permission);
  if (exclusion === 'allowance') return refuseUnallowed(principal, tool.name);
  const isLeftOut = principal.narrowedTo?.includes(connector.name) === false;
  if (!principal.connections.has(connector.name) && Object.hasOwn(principal.permission.accounts, connector.name)) {
    return refuse('not_allowed', {
      message: `The account of ${connector.title} that this client may use is not connected any more.`,
    });
  }
  if (!isLeftOut && !principal.connections.has(connector.name)) {
    const accounts = onlyAccountsOf(principal.permission.allows, connector.name);
    if (accounts !== null) return refuseAccounts(principal, connector, accounts);
    return notConnected(catalogue, connector, principal.services);
  }
  if (isLeftOut || exclusion !== null) {
    return refuse('not_allowed', { message: `The user has not allowed this client to call ${tool.name}.` });
  }
  if (!mayRead(principal.scopes)) {
    return refuse('insufficient_scope', { message: 'This access token has no scope of this gateway.' });
  }
  if (tool.annotations.readOnlyHint) return null;
  if (principal.isWritingStopped === true) {
    return refuse('writing_stopped', { message: 'The operator of the gateway has stopped everything that writes.' });
  }
  if (mayWrite(principal.scopes)) return null;
  // The next stage, `requireToolConsent`, says how the user can allow it.
  if (!isAgreed(entry, principal.permission, catalogue.facts.byTool)) return null;
  return refuse('insufficient_scope', { message: 'This access token may only read, and the tool writes.' });
}

/** Ends a call that the allowance of the user does not include. @param what the tool, and the account if that is the reason. */
function refuseUnallowed({ partnerName }: Principal, what: string): CallOutcome {
  return refuse('not_allowed', {
    message: `${partnerName} does not allow this user to call ${what}.`,
    advice: `Calling again will not help: do without this tool, or tell the user to ask ${partnerName} for access.`,
  });
}

/** Accounts that an error names at most. */
const MAX_NAMED_ACCOUNTS = 10;

/** Ends a call that would use an account which the allowance of the user does not include. @param names the accounts that it includes. */
function refuseAccounts({ partnerName }: Principal, { title }: Connector, names: readonly string[]): CallOutcome {
  return refuse('not_allowed', {
    message: `${partnerName} allows only these accounts of ${title}, and none of them is connected: ${names.slice(0, MAX_NAMED_ACCOUNTS).join(', ')}.`,
    advice: `Tell the user to connect one of them, or to ask ${partnerName} for access.`,
  });
}

function notConnected(catalogue: Catalogue, connector: Connector, services: readonly string[]): CallOutcome {
  const connected = services.map((service) => catalogue.findConnector(service)?.title ?? service);
  return refuse('not_connected', {
    message: `${connector.title} is not connected for this user.`,
    advice: `Ask the user to connect it in the application that manages the connections, then call again. ${
      connected.length === 0 ? 'No service is connected.' : `Connected: ${connected.join(', ')}.`
    }`,
  });
}

/**
 * Ends a call of a tool that its user has not agreed to, or whose risk grew since the grant was created. While no tool has changed, it
 * reads nothing from the store.
 */
export function checkToolConsent(
  access: ToolAccess,
  { catalogue, seenFacts }: AuthorizationDependencies,
): CallOutcome | null | Promise<CallOutcome | null> {
  const { permission } = access.principal;
  const { hash, byTool } = catalogue.facts;
  if (permission.agreed !== null && !isAgreed(access.entry, permission, byTool)) return refuseNotAgreed(access, byTool);
  if (permission.seen === null || permission.seen === hash) return null;
  const earlierFacts = seenFacts(permission.seen);
  return earlierFacts instanceof Promise
    ? earlierFacts.then((facts) => refuseIfRiskier(access, facts, byTool))
    : refuseIfRiskier(access, earlierFacts, byTool);
}

/** Returns whether a call may use another tool of the same service, for its client. */
export async function mayUse(access: ToolAccess, deps: AuthorizationDependencies): Promise<boolean> {
  return (checkAccess(access, deps) ?? (await checkToolConsent(access, deps))) === null;
}

/** Refuses for tool consent, which `needs_approval` means: the name is older than the approval of an exact call (`awaiting_approval`). */
function refuseNotAgreed({ entry: { connector, tool } }: ToolAccess, current: ToolFacts): CallOutcome {
  return refuse('needs_approval', {
    message: `${tool.name} ${effectName(effectOf(tool))} in ${connector.title}, and the user has not agreed to that.`,
    advice: 'Call again after the user has allowed it.',
    details: { tool: tool.name, allowed: null, now: current[tool.name] ?? null },
  });
}

function refuseIfRiskier(
  { principal, entry: { tool } }: ToolAccess,
  seen: ToolFacts,
  current: ToolFacts,
): CallOutcome | null {
  const currentFacts = current[tool.name];
  if (currentFacts === undefined) throw new Error('the catalogue has no facts of a tool that it serves');
  const allowedFacts = findSeenFacts(principal.permission.accepted, tool) ?? findSeenFacts(seen, tool);
  const risks = findRisks(allowedFacts, currentFacts);
  if (risks.length === 0) return null;
  const approver = principal.clientId === null ? 'the application that owns this token' : 'the user';
  return refuse('needs_approval', {
    message: `${tool.name} is riskier than what was allowed. ${risks.join(' ')}`,
    advice: `Call again after ${approver} has allowed it.`,
    details: { tool: tool.name, allowed: allowedFacts ?? null, now: currentFacts },
  });
}

/**
 * Opens the credential of an active connection, of the account that the call names. An expired token is renewed first. A token without the tool's scopes
 * ends the call before any request.
 */
export function openConnection(
  call: CallRequest,
  deps: AuthorizationDependencies,
): CallOutcome | null | Promise<CallOutcome | null> {
  const { principal, entry } = call;
  const { name: service, title, credential } = entry.connector;
  const first = principal.connections.get(service);
  if (first === undefined) throw new Error('the stage checkAccess lets no call without a connection pass');
  const connection = chooseAccount(call, first);
  if ('outcome' in connection) return connection;
  if (!allowsCall(principal.permission.allows, entry, connection))
    return refuseUnallowed(principal, `${entry.tool.name} with this account of ${title}`);
  const { account } = call;
  if (connection.share?.isWithheld === true) return refuseWithheldShare(call);
  if (connection.share !== undefined) call.share = connection.share;
  if (connection.share?.isReadOnly === true && !entry.tool.annotations.readOnlyHint) return refuseReadOnlyShare(call);
  if (connection.status === 'attention') {
    return needsAttention(account === undefined ? title : `${title} (account ${JSON.stringify(account.name)})`);
  }
  const { partnerId } = principal;
  const { userId, externalUserId } = connection.share?.owner ?? principal;
  const { id: connectionId, sealedCredential, updatedAt } = connection;
  if (call.partOf !== undefined && isOtherConnection(call.partOf, connection)) {
    return refuse('not_connected', { message: `${title} is connected in another way than when the batch began.` });
  }
  const { extra } = entry.tool;
  let lease: Lease;
  try {
    lease = deps.leases.open(
      { connectionId, partnerId, userId, externalUserId, service, sealedCredential, updatedAt },
      entry.connector,
      extra !== undefined && signInsOf(credential).includes(extra) ? extra : undefined,
    );
  } catch (error) {
    if (!(error instanceof CredentialUnreadableError)) throw error;
    return unreadableCredential(call.entry, error, deps.onFault);
  }
  const { fields, token } = lease;
  const opened = { connectionId, credential: fields, credentialSince: updatedAt, renew: null };
  const authorized: CallRequest & UsedCredential = Object.assign(call, UNSENT, opened);
  if (extra !== undefined && !hasExtra(credential, fields, extra)) return extraNotGiven(call, extra);
  if (token === null || !carriesToken(entry, fields)) return null;
  const missing = token.scopes === null ? [] : missingScopes(entry.tool, token.scopes);
  if (missing.length > 0) return scopeNotGranted(call, missing);
  authorized.renew = token.renewAfterRefusal;
  const renewal = token.renewIfExpired();
  return renewal === null ? null : renewCredential(authorized, renewal, deps.now());
}

/** True if an item of a batch would use another connection than the batch, or the same by another share. */
function isOtherConnection(batch: CallRequest, { id, share }: FoundConnection): boolean {
  return batch.connectionId !== id || batch.share?.id !== share?.id;
}

function refuseReadOnlyShare({ account, principal, entry: { connector, tool } }: CallRequest): CallOutcome {
  const name = account?.name ?? '';
  return refuse('not_allowed', {
    message: `The account ${JSON.stringify(name)} of ${connector.title} is shared with its team for reading only, and ${tool.name} writes.`,
    advice: `Calling again will not help: use another account, or tell the user that ${principal.partnerName} decides whether the team may write.`,
    details: { team: name },
  });
}

function refuseWithheldShare({ account, principal, entry: { connector } }: CallRequest): CallOutcome {
  const name = account?.name ?? '';
  const { partnerName } = principal;
  return refuse('not_allowed', {
    message: `The account ${JSON.stringify(name)} of ${connector.title} cannot be used with its team any more: ${partnerName} does not allow it to its owner.`,
    advice: `Calling again will not help: use another account, or tell the user to ask ${partnerName} for one.`,
    details: { team: name },
  });
}

/** True if requests of a tool carry the access token of the connection. Requests of tools that it uses are checked when they are sent. */
function carriesToken({ connector, tool }: CallRequest['entry'], fields: Lease['fields']): boolean {
  if (tool.credential === undefined) return true;
  return partsFor(connector.credential, fields, tool).some(({ type }) => type === 'oauth2');
}

/**
 * Returns the connection of the account that the call names. The name is no argument of the tool, so it is taken out of the arguments.
 *
 * With one account no call needs to name it. A call may still do so because the user had several: then it must name the account that is left.
 */
function chooseAccount(call: CallRequest, first: FoundConnection): FoundConnection | CallOutcome {
  if (first.others === undefined && first.name === undefined) return first;
  const { connector, tool } = call.entry;
  const argument = accountArgumentOf(tool);
  const { [argument]: requestedName, ...rest } = call.arguments;
  if (first.others === undefined && requestedName === undefined) {
    // Records, approvals and texts name the team, also where there is no other account.
    if (first.share !== undefined) call.account = { argument, name: first.name ?? '' };
    return first;
  }
  const accounts = [first, ...(first.others ?? [])];
  const name = typeof requestedName === 'string' ? requestedName.toLowerCase() : null;
  const isNamed = (connection: FoundConnection) => (connection.name ?? '').toLowerCase() === name;
  const [account, ...duplicates] = accounts.filter(isNamed);
  if (account === undefined || duplicates.length > 0)
    return unknownAccount(connector, argument, { given: requestedName, accounts });
  call.account = { argument, name: account.name ?? '' };
  call.arguments = rest;
  return account;
}

function unknownAccount(
  { title }: Connector,
  argument: string,
  { given: requestedName, accounts }: { given: unknown; accounts: readonly FoundConnection[] },
): CallOutcome {
  const names = accounts.map(({ name = '' }) => name);
  const quotedNames = names.map((name) => JSON.stringify(name)).join(', ');
  const outcome = refuse('invalid_arguments', {
    message:
      requestedName === undefined
        ? `${title} is connected with several accounts, and this call does not say which one to use.`
        : `The user has no account of ${title} with the name in "${argument}".`,
    advice: `Name one of these in "${argument}": ${quotedNames}. If it is not clear which one is meant, ask the user.`,
    details: { argument, accounts: names },
  });
  return { ...outcome, invalid: argument };
}

function extraNotGiven({ account, entry: { connector, tool } }: CallRequest, extra: string): CallOutcome {
  const { title } = connector;
  return refuse('scope_not_granted', {
    message: `${tool.name} needs ${extra} of ${title}, which the user has not added to the connection. Other tools of ${title} work without it.`,
    advice: `Calling again will not help: the user must add ${extra} on the page where ${title} is connected.`,
    details: { missing: extra, ...(account && { account: account.name }) },
  });
}

function scopeNotGranted({ entry: { connector, tool } }: CallRequest, scopes: readonly string[]): CallOutcome {
  const { title } = connector;
  const scopeNames = scopes.join(' ');
  return refuse('scope_not_granted', {
    message: `${tool.name} needs ${scopes.length === 1 ? 'a scope' : 'scopes'} of ${title} that the user has not granted: ${scopeNames}.`,
    advice: `Calling again will not help: the user must connect ${title} again in the application that manages the connections, and grant ${scopeNames}.`,
    details: { scopes },
  });
}
