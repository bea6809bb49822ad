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
import { describeSuspension, type Principal } from '../../base/principal/principal.ts';
import type { TokenStore } from '../../base/store/index.ts';
import { listUnredeemedServices } from '../../base/store/reports/user-search.ts';
import { type FoundUserToken, listUserTokens } from '../../base/store/repositories/access-tokens.ts';
import { findPartner } from '../../base/store/repositories/partners.ts';
import type { User } from '../../base/store/repositories/users.ts';
import { type Upstream, UpstreamFailure } from '../upstream/index.ts';
import { type OpenCredential, tokenIn } from '../upstream/oauth/stored-token.ts';
import { isApprovalRequired } from './approvals/policy.ts';
import type { AuthorizationDependencies, CallApprovals } from './call/dependencies.ts';
import { findRefusal } from './call/pipeline.ts';
import type { Catalogue, CatalogueEntry } from './catalogue/catalogue.ts';
import { accountArgumentOf, findExclusion, pinsOf, usedTools } from './catalogue/permitted.ts';
import type { Unreviewed } from './catalogue/provenance.ts';
import { OUTCOME_TEXTS } from './results/outcome-texts.ts';
import { OUTCOMES, type Outcome } from './results/outcomes.ts';
import { explainFailure } from './results/upstream-errors.ts';
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
  /** Traits of tools, and the approvals that the operator requires. */
  readonly traits: CallApprovals['traits'];
  readonly rule: CallApprovals['rule'];
  /** Facts that only the running gateway knows: users' calls, and circuits. Null if this is a command next to it. */
  readonly running: {
    readonly limit: ForgivingRateLimiter;
    readonly upstreams: PerRealm<Pick<Upstream, 'factsOf' | 'check'>>;
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

const SIGN_IN_AGAIN = 'The user signs in again from the client';
const CONNECT = "The user connects it in the partner's application";

const DECIDES =
  'The user decides about each call, on the own page or in the application of the partner. APPROVALS sets the rule.';

/** The advice for every reason, in the order in which a request meets the reasons. For `{x}` see `namesOf`. */
const FIXES = {
  no_token: `${SIGN_IN_AGAIN}, at {resource}.`,
  unknown_tool: 'Use a name of the dashboard page Tools, /admin/tools.',
  not_reviewed: 'Review it: utg tools:diff --approve <file>, then restart the gateway with REQUIRE_REVIEWED=<file>.',
  not_served: 'Correct it in specs/, then run utg codegen.',
  too_many_calls: 'Wait, or raise TOOL_CALLS_PER_MINUTE.',
  partner_suspended: 'utg partner resume --client-id {partner}',
  not_offered: 'utg partner set --client-id {partner} --services <all that it may offer>',
  narrowed: `${SIGN_IN_AGAIN}, with a connection code that includes {service}, and leaves it ticked.`,
  not_redeemed: "The partner's application exchanges the code of the connect flow at POST /api/oauth/token.",
  not_connected: `${CONNECT}.`,
  frozen: `${SIGN_IN_AGAIN}, and lets new tools join.`,
  destructive: `${SIGN_IN_AGAIN}, and allows it to delete and overwrite.`,
  left_out: `${SIGN_IN_AGAIN}, and leaves the tool ticked.`,
  account_removed: `${SIGN_IN_AGAIN}, with a connection code for an account that is connected.`,
  unpinnable: `${SIGN_IN_AGAIN}, with a connection code that fixes other arguments of {service}.`,
  insufficient_scope: `${SIGN_IN_AGAIN}, and allows it to write.`,
  writing_stopped: 'utg writes resume',
  needs_approval: 'The user opens the page that a call of the tool offers, and allows it.',
  connection_needs_attention: `${CONNECT} again.`,
  credential_unreadable: `Put the missing key back into ENCRYPTION_KEYS (utg keys --help). Without it: ${CONNECT} again.`,
  scope_not_granted: `${CONNECT} again, and grants the scopes.`,
  upstream_circuit_open: 'Wait: one call every five seconds tries it. /admin/upstreams shows the last failure.',
  not_listed:
    'A call works by its name, or through call_reading_tool or call_writing_tool. CATALOGUE_MODE sets the mode.',
  pinned: `To change that: ${SIGN_IN_AGAIN.toLowerCase()}, with another connection code.`,
  approval: DECIDES,
  ok: '',
};

export type Reason = keyof typeof FIXES;

/** The advice for outcomes that only a call meets, where an operator can do more than the caller is told. */
const CALL_FIXES: Partial<Record<Outcome, string>> = {
  awaiting_approval: DECIDES,
  upstream_busy: 'Raise UPSTREAM_CONCURRENCY, or find out why the service is slow: /admin/upstreams shows its load.',
  credential_refused: `${CONNECT} again.`,
  connector_outdated: 'Bring the connector up to date: utg update {service}, then utg codegen.',
  upstream_tls_refused: 'utg doctor says what is wrong with the certificate or the TLS of {service}.',
  internal_error: 'Search the log for the request id, and report the defect.',
};

/** The explanation of a recorded call, for an operator. */
interface OutcomeExplanation {
  /** What happened. It may have links and code in Markdown, as `fix` may. */
  readonly text: string;
  readonly fix: string;
  readonly fixedBy: (typeof OUTCOME_TEXTS)[Outcome]['fixedBy'];
}

/**
 * Explains how a recorded call ended, with the step that an operator would be told for the same reason.
 *
 * @param names see `FIXES`. @returns undefined for an outcome that only another version knows.
 */
export function explainOutcome(outcome: string, names: Names): OutcomeExplanation | undefined {
  const known = OUTCOMES.find((name) => name === outcome);
  if (known === undefined) return undefined;
  const { meaning, toDo, fixedBy } = OUTCOME_TEXTS[known];
  const advice: Partial<Record<Outcome, string>> = { ...FIXES, ...CALL_FIXES };
  const fix = advice[known];
  return { text: meaning, fix: fix === undefined ? toDo : fillNames(fix, names), fixedBy };
}

/** Texts where a call says less. */
const TEXTS: Partial<Record<Reason, string>> = {
  narrowed: 'The connection code or the user narrowed this client to other services: {narrowed}.',
  not_redeemed: 'The user completed a connect flow for {service}, and the partner has not exchanged its code.',
  frozen: 'The user allowed only the tools of that time, and this is none of them.',
  destructive: 'The user does not let this client delete or overwrite.',
  left_out: 'The user unticked the tool or its service at consent, or took it away later.',
  unpinnable: 'The connection code fixes {pins}, and the tool cannot send that.',
  not_listed: 'It has the tool, but its list does not name it: the mode of the list is {mode}.',
  pinned: 'It has the tool, and the connection code fixes {pins}.',
  approval: 'It has the tool, and each call waits until the user has approved it.',
  ok: 'It has the tool: it is listed, and a call is made.',
};

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

type Names = Readonly<Record<string, string>>;

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
  const refusal = (await findCallRefusal(entry, principal, deps)) ?? findOpenCircuit(entry, principal, deps);
  if (refusal !== null)
    return toExplanation(holder, await refineReason(refusal, { entry, principal, user }, deps), textValues);
  const isApproved = isApprovalRequired(deps.traits.get(entry.tool.name) ?? [], deps.rule, principal.approvals);
  let reason: Reason = isApproved ? 'approval' : 'ok';
  if (pins.length > 0) reason = 'pinned';
  if (!isListed(entry.tool.name, principal, deps.catalogue)) reason = 'not_listed';
  const explanation = toExplanation(holder, [reason, ''], textValues);
  return { ...explanation, unknown: deps.running === null ? UNKNOWN : null };
}

function toExplanation(client: string, [reason, text]: readonly [Reason, string], names: Names): AccessExplanation {
  const fix = fillNames(FIXES[reason], names);
  return { client, reason, text: text || fillNames(TEXTS[reason] ?? '', names), fix, unknown: null };
}

function fillNames(words: string, names: Names): string {
  return words.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
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
}

/** Returns the refusal of the stages before a call's arguments are checked. With several accounts, returns the first refusal. */
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
  for (const account of principal.accounts?.get(entry.connector.name) ?? [null]) {
    const request = {
      principal,
      entry,
      waitSeconds: reservation?.waitSeconds ?? null,
      arguments: account === null ? {} : { [accountArgumentOf(entry.tool)]: account },
      signal: new AbortController().signal,
      deadline: now(),
    };
    const outcome = await findRefusal(request, authorization);
    if (outcome?.error) return { reason: outcome.error.code, text: outcome.error.message };
  }
  return null;
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
  const isAccess = reason === 'not_connected' || reason === 'not_allowed';
  if (isAccess && principal.narrowedTo?.includes(service) === false) return ['narrowed', ''];
  const isPinned = Object.hasOwn(principal.permission.accounts, service);
  if (reason === 'not_allowed' && isPinned && !principal.connections.has(service)) return ['account_removed', text];
  const exclusion = reason === 'not_allowed' ? findExclusion(entry, principal.permission) : null;
  if (exclusion !== null) return [exclusion, ''];
  const unredeemedServices = reason === 'not_connected' ? await listUnredeemedServices(store.db, user) : [];
  return unredeemedServices.includes(service) ? ['not_redeemed', ''] : [reason as Reason, text];
}

function isListed(tool: string, principal: Principal, catalogue: Catalogue, cursor: string | null = null): boolean {
  const { json, nextCursor } = catalogue.list(principal, cursor);
  const names = (JSON.parse(Buffer.from(json).toString()) as { name: string }[]).map(({ name }) => name);
  return names.includes(tool) || (nextCursor !== undefined && isListed(tool, principal, catalogue, nextCursor));
}
