/**
 * Says why a client of a user lacks a tool, or why its calls are refused. What a real request meets says it, in the same order: the check
 * of the token, the catalogue, the stages of a call before the arguments, the circuit, and the list.
 */

import { isFinderToolName } from '../../../shared/search/tool-names.ts';
import { readPrincipal } from '../../base/http/authenticate.ts';
import { type ResourceIdentity, resourceOf } from '../../base/http/challenge.ts';
import type { ForgivingRateLimiter } from '../../base/limits/limiter.ts';
import { clientNameText } from '../../base/pages/client-name.ts';
import type { PerRealm } from '../../base/per-realm.ts';
import { onlyAccountsOf } from '../../base/principal/allowance.ts';
import { describeSuspension, type Principal } from '../../base/principal/principal.ts';
import type { TokenStore } from '../../base/store/index.ts';
import { listUnredeemedServices } from '../../base/store/reports/user-search.ts';
import { type FoundUserToken, listUserTokens } from '../../base/store/repositories/access-tokens.ts';
import { findPartner } from '../../base/store/repositories/partners.ts';
import type { User } from '../../base/store/repositories/users.ts';
import { type Upstream, UpstreamFailure } from '../upstream/index.ts';
import { type OpenCredential, tokenIn } from '../upstream/oauth/stored-token.ts';
import { isApprovalRequired } from './approvals/policy.ts';
import { type CallOutcome, explainToMember } from './call/call-outcome.ts';
import type { AuthorizationDependencies, CallApprovals, CallRules, CountedRule } from './call/dependencies.ts';
import { findRefusal } from './call/pipeline.ts';
import type { CallRequest } from './call/state.ts';
import type { Catalogue, CatalogueEntry } from './catalogue/catalogue.ts';
import { accountArgumentOf, findExclusion, pinsOf, usedTools } from './catalogue/permitted.ts';
import type { Unreviewed } from './catalogue/provenance.ts';
import { explainFailure } from './results/upstream-errors.ts';
import { BY_OWNER, FIXES, fillNames, type Names, type Reason, TEXTS } from './results/why-texts.ts';
import type { FindSeenFacts } from './tool-consent.ts';

/** Dependencies of finding the current caller of a token. */
interface CallerDependencies {
  readonly store: TokenStore;
  readonly identity: ResourceIdentity;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Dependencies of the answer. */
interface WhyDependencies extends CallerDependencies {
  readonly catalogue: Catalogue;
  /** Tools and services that `REQUIRE_REVIEWED` leaves out. */
  readonly unreviewed: readonly Unreviewed[];
  readonly openCredential: OpenCredential;
  readonly seenFacts: FindSeenFacts;
  readonly callRules: CallRules;
  /** Traits of tools, and the approvals that the operator requires. */
  readonly traits: CallApprovals['traits'];
  readonly rule: CallApprovals['rule'];
  /** Facts that only the running gateway knows: users' calls, and circuits. Null if this is a command next to it. */
  readonly running: {
    readonly limit: ForgivingRateLimiter;
    readonly upstreams: PerRealm<{ readonly factsOf: Upstream['factsOf']; readonly check: Upstream['check'] }>;
  } | null;
}

/** The one reason for one client. */
export interface AccessExplanation {
  readonly client: string;
  /** A name of `FIXES`. `ok`, `pinned`: the client has the tool. */
  readonly reason: Reason;
  readonly text: string;
  /** The step that solves the problem, and who takes it. Empty if there is nothing to do. */
  readonly fix: string;
  /** The part of the question that cannot be answered. Null if all of it is answered. */
  readonly unknown: string | null;
}

/** Answers for every client that has access, or only for the client that `client` names by id or name. */
export type FindWhy = (
  user: User,
  query: { readonly tool: string; readonly client: string | null },
) => Promise<AccessExplanation[]>;

/** Tokens that are read of one user. */
const MAX_TOKENS = 500;
const UNKNOWN =
  'Only the running gateway knows its limits and circuits: the page of the user in the dashboard shows them.';

export function createFindWhy(deps: WhyDependencies): FindWhy {
  return async (user, { tool, client }) => {
    const tokens = await listUserTokens(deps.store.db, user.id, MAX_TOKENS);
    const matchingTokens = tokens.filter(
      (token) => client === null || [token.clientId, token.clientName].includes(client),
    );
    const newestTokens = [...Map.groupBy(matchingTokens, ({ grantId, id }) => grantId ?? id).values()].flatMap(
      ([token]) => token ?? [],
    );
    const usableTokens = newestTokens.filter((token) => token.revokedAt === null && accessEndsAt(token) > deps.now());
    const reportedTokens = usableTokens.length > 0 ? usableTokens : newestTokens.slice(0, 1);
    const partner = (await findPartner(deps.store.db, user.partnerId))?.clientId ?? '';
    const subject = { user, tool, names: { partner, resource: resourceOf(deps.identity) } };
    if (reportedTokens.length === 0) {
      const text = 'No one has completed the consent page for it, or its last token expired more than a day ago.';
      return [toExplanation(client ?? 'Any client', ['no_token', text], subject.names)];
    }
    return Promise.all(reportedTokens.map((token) => explainForToken(token, subject, deps)));
  };
}

/** Returns the time at which the client can no longer get a token without its user. */
function accessEndsAt({ expiresAt, grantExpiresAt }: FoundUserToken): number {
  return Math.max(expiresAt, grantExpiresAt ?? 0);
}

/** Names who has a token. A client's own name is marked. */
function holderOf({ grantId, clientId, clientName }: FoundUserToken): string {
  if (grantId === null) return 'A minted token';
  return clientId === null ? 'The partner itself' : clientNameText(clientName, clientId);
}

async function explainForToken(
  token: FoundUserToken,
  { user, tool, names }: { readonly user: User; readonly tool: string; readonly names: Names },
  deps: WhyDependencies,
): Promise<AccessExplanation> {
  const holder = holderOf(token);
  const principal = await principalOf(token, deps);
  if (typeof principal === 'string') return toExplanation(holder, ['no_token', principal], names);
  const entry = deps.catalogue.find(tool);
  if (entry === undefined)
    return toExplanation(holder, explainUnserved(tool, principal, deps), { ...names, mode: modeOf(principal, deps) });
  const { name: service } = entry.connector;
  const narrowed = principal.narrowedTo?.join(', ');
  const pins = Object.entries(pinsOf(principal.permission, service)).map(([name, value]) => `${name} to ${value}`);
  const textValues = {
    ...names,
    service,
    mode: modeOf(principal, deps),
    pins: pins.join(', '),
    narrowed: narrowed || 'none',
  };
  const limits = await deps.callRules.list(principal, entry);
  const refusal =
    (await findCallRefusal(entry, principal, deps)) ??
    findReachedLimit(limits) ??
    findOpenCircuit(entry, principal, deps);
  if (refusal !== null) {
    const explained = toExplanation(holder, await refineReason(refusal, { entry, principal, user }, deps), textValues);
    return refusal.isShared === true ? { ...explained, fix: BY_OWNER } : explained;
  }
  const isApproved = isApprovalRequired(deps.traits.get(entry.tool.name) ?? [], deps.rule, principal.approvals);
  let reason: Reason = isApproved ? 'approval' : 'ok';
  if (pins.length > 0) reason = 'pinned';
  if (!isListed(entry.tool.name, principal, deps.catalogue)) reason = 'not_listed';
  const explanation = toExplanation(holder, [reason, ''], textValues);
  const unknown = deps.running === null ? UNKNOWN : null;
  return { ...explanation, text: [explanation.text, ...limits.map(describeLimit)].join(' '), unknown };
}

function describeLimit({ rule, calls }: CountedRule): string {
  return `${calls} of ${rule.calls} calls are used: ${rule.text}.`;
}

function findReachedLimit(limits: readonly CountedRule[]): CallRefusal | null {
  const reached = limits.find(({ rule, calls }) => calls >= rule.calls);
  if (reached === undefined) return null;
  const until = new Date(reached.endsAt).toISOString();
  return { reason: 'call_limit_reached', text: `${describeLimit(reached)} The next call may be made after ${until}.` };
}

function toExplanation(client: string, [reason, text]: readonly [Reason, string], names: Names): AccessExplanation {
  const fix = fillNames(FIXES[reason], names);
  return { client, reason, text: text || fillNames(TEXTS[reason] ?? '', names), fix, unknown: null };
}

/** Returns the principal of a request with the newest token of the client, which it renews while it may; or why there is none. */
async function principalOf(
  token: FoundUserToken,
  { store, identity, now }: CallerDependencies,
): Promise<Principal | string> {
  const time = accessEndsAt(token) > now() ? Math.min(now(), token.expiresAt - 1) : now();
  return readPrincipal(await store.findAccessToken(token.tokenHash), resourceOf(identity), time);
}

/** Finds the current caller of a grant, or of a token without a grant, in the store. Returns null if there is no caller any more. */
export type CallerOf = (owner: Pick<Principal, 'userId' | 'grantId' | 'tokenId'>) => Promise<Principal | null>;

export function createCallerOf(deps: CallerDependencies): CallerOf {
  return async ({ userId, grantId, tokenId }) => {
    const tokens = await listUserTokens(deps.store.db, userId, MAX_TOKENS);
    const token = tokens.find((candidate) =>
      grantId === null ? candidate.id === tokenId : candidate.grantId === grantId,
    );
    const principal = token === undefined ? '' : await principalOf(token, deps);
    return typeof principal === 'string' ? null : principal;
  };
}

function modeOf({ permission }: Principal, { catalogue }: WhyDependencies): string {
  return permission.catalogue ?? catalogue.mode;
}

function explainUnserved(tool: string, principal: Principal, deps: WhyDependencies): [Reason, string] {
  const { catalogue, unreviewed } = deps;
  if (isFinderToolName(tool)) {
    if (principal.isSuspended) return ['partner_suspended', describeSuspension(principal.partnerName).text];
    return [isListed(tool, principal, catalogue) ? 'ok' : 'not_listed', ''];
  }
  const unreviewedTool = unreviewed.find(
    ({ service, tool: name }) => name === tool || (name === null && tool.startsWith(`${service}_`)),
  );
  if (unreviewedTool !== undefined) return ['not_reviewed', `It is not served: ${unreviewedTool.reason}.`];
  const refusedTool = catalogue.refused.find(({ name }) => name === tool);
  if (refusedTool !== undefined) return ['not_served', `It is not served: ${refusedTool.reason}.`];
  const suggestions = catalogue.nearest(tool, principal, 3);
  return [
    'unknown_tool',
    `No tool has this name.${suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(' or ')}?`}`,
  ];
}

interface CallRefusal {
  readonly reason: string;
  readonly text: string;
  /** True if the account is one that a team shares. Default: false. */
  readonly isShared?: boolean;
}

/**
 * Returns the refusal of the stages before a call's arguments are checked. With several accounts, returns the first refusal, but that of an
 * account that the tool may not use only if no account works.
 */
async function findCallRefusal(
  entry: CatalogueEntry,
  principal: Principal,
  deps: WhyDependencies,
): Promise<CallRefusal | null> {
  const { openCredential, now, running } = deps;
  const reservation = await running?.limit.reserve(principal.userId);
  if (reservation?.waitSeconds === null) reservation.giveBack();
  const authorization: AuthorizationDependencies = {
    catalogue: deps.catalogue,
    seenFacts: deps.seenFacts,
    now,
    onFault: () => {},
    leases: {
      // These leases renew no token.
      open(connection, connector) {
        const fields = openCredential(connection);
        const token = tokenIn(connector, fields);
        if (token === null) return { fields, token };
        return { fields, token: { scopes: token.scopes, renewIfExpired: () => null, renewAfterRefusal: null } };
      },
    },
  };
  let notAllowed: CallRefusal | null = null;
  let works = false;
  for (const account of principal.accounts?.get(entry.connector.name) ?? [null]) {
    const request: CallRequest = {
      principal,
      entry,
      waitSeconds: reservation?.waitSeconds ?? null,
      arguments: account === null ? {} : { [accountArgumentOf(entry.tool)]: account },
      signal: new AbortController().signal,
      deadline: now(),
    };
    const outcome = await findRefusal(request, authorization);
    if (!outcome?.error) works = true;
    else if (outcome.error.code === 'not_allowed') {
      const reason = request.share === undefined ? 'not_allowed' : 'read_only_share';
      notAllowed ??= { reason, text: outcome.error.message };
    } else if (request.share === undefined) return { reason: outcome.error.code, text: outcome.error.message };
    else return { reason: outcome.error.code, text: toMemberText(request, outcome), isShared: true };
  }
  return works ? null : notAllowed;
}

/** The text that a call of a member gets. */
function toMemberText({ entry, account, principal }: CallRequest, outcome: CallOutcome): string {
  const { title } = entry.connector;
  const shown = explainToMember(outcome, { title, account: account?.name ?? '', partnerName: principal.partnerName });
  return shown.error?.message ?? '';
}

function findOpenCircuit(
  { connector, tool }: CatalogueEntry,
  principal: Principal,
  { running }: WhyDependencies,
): CallRefusal | null {
  const upstream = running?.upstreams.find(principal);
  for (const usedTool of usedTools(connector, tool)) {
    try {
      upstream?.check(upstream.factsOf(connector, usedTool));
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      const { code, message } = explainFailure({ connector, tool: usedTool, args: {} }, error, 0).error;
      return { reason: code, text: message };
    }
  }
  return null;
}

/** Returns the cause behind a refusal, which tells the model less. */
async function refineReason(
  { reason, text }: CallRefusal,
  { entry, principal, user }: { entry: CatalogueEntry; principal: Principal; user: User },
  { store }: WhyDependencies,
): Promise<[Reason, string]> {
  const service = entry.connector.name;
  const excluded = findExclusion(entry, principal.permission);
  if (reason === 'not_allowed' && excluded === 'allowance') return [excluded, ''];
  const isWithoutAccount = !principal.connections.has(service);
  if (reason === 'not_allowed' && isWithoutAccount && onlyAccountsOf(principal.permission.allows, service) !== null)
    return ['allowance', text];
  const isAccess = reason === 'not_connected' || reason === 'not_allowed';
  if (isAccess && principal.narrowedTo?.includes(service) === false) return ['narrowed', ''];
  const isPinned = Object.hasOwn(principal.permission.accounts, service);
  if (reason === 'not_allowed' && isPinned && !principal.connections.has(service)) return ['account_removed', text];
  const exclusion = reason === 'not_allowed' ? excluded : null;
  if (exclusion !== null) return [exclusion, ''];
  // What is left is an allowance that keeps the tool from this account.
  if (reason === 'not_allowed') return ['allowance', text];
  const unredeemedServices = reason === 'not_connected' ? await listUnredeemedServices(store.db, user) : [];
  return unredeemedServices.includes(service) ? ['not_redeemed', ''] : [reason as Reason, text];
}

function isListed(tool: string, principal: Principal, catalogue: Catalogue, cursor: string | null = null): boolean {
  const { json, nextCursor } = catalogue.list(principal, cursor);
  const names = (JSON.parse(Buffer.from(json).toString()) as { name: string }[]).map(({ name }) => name);
  return names.includes(tool) || (nextCursor !== undefined && isListed(tool, principal, catalogue, nextCursor));
}
