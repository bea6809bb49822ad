/** Actions on one user: mint a test token, revoke tokens and grants, remove a connection or the user. */

import { originOf } from '../../../base/http/request-origin.ts';
import { html } from '../../../base/pages/html.ts';
import { SCOPES } from '../../../base/principal/scopes.ts';
import { eraseDeleted } from '../../../base/store/erase.ts';
import { listUserGrants, listUserTokens } from '../../../base/store/reports/user-search.ts';
import { revokeAccessToken } from '../../../base/store/repositories/access-tokens.ts';
import { type AuditEventType, recordAuditEvent } from '../../../base/store/repositories/audit-events.ts';
import { findConnection, listConnections } from '../../../base/store/repositories/connections.ts';
import { countAccess } from '../../../base/store/repositories/live-access.ts';
import type { User } from '../../../base/store/repositories/users.ts';
import { issueAccessToken } from '../../../identity/grants/access-token.ts';
import { revokeOwnGrant } from '../../../identity/grants/allowed/revoke.ts';
import { forgetUser } from '../../../identity/partners/forget-user.ts';
import { removeUserConnection } from '../../../identity/partners/remove-connection.ts';
import { ADMIN_PATH, type AdminPage, type OperatorAction, type Outcome } from '../request.ts';
import type { Question } from '../view/confirm.ts';
import { counted, success, untrusted } from '../view/parts.ts';
import { isLive } from './diagnosis.ts';
import { userOf, userPage } from './user.ts';

const MAX_TOKENS = 500;
const MAX_GRANTS = 500;

/** Mints a token that expires in an hour, and shows it once with the configuration of an MCP client. */
export async function mintToken(action: OperatorAction): Promise<AdminPage> {
  const { deps, form, field, now } = action;
  const user = await userOf(action);
  const services = form.getAll('services').filter((service) => deps.catalogue.findConnector(service) !== undefined);
  const grant = {
    userId: user.id,
    scopes: field('read_only') === 'yes' ? (['tools:read'] as const) : SCOPES,
    services: services.length === 0 ? null : services,
    resource: deps.resource,
    now,
  };
  const { token } = await deps.db.transaction().execute(async (transaction) => {
    const issued = await issueAccessToken(transaction, grant);
    const details = { tokenId: issued.id, scopes: grant.scopes, services: grant.services };
    await recordAuditEvent(transaction, toEvent('access_token_minted', action, user, { details }));
    return issued;
  });
  const server = { type: 'http', url: deps.resource, headers: { Authorization: `Bearer ${token}` } };
  const notice = success(
    'Keep this token now',
    html`<p>It is not shown again. It expires in one hour.</p><pre>${token}</pre>
<p>As the configuration of an MCP client:</p><pre>${JSON.stringify({ mcpServers: { 'unified-tools': server } }, null, 2)}</pre>`,
  );
  return userPage(action, user, notice);
}

/** Revokes a token without confirmation: a client gets another with its refresh token, and an operator mints another. */
export async function endToken(action: OperatorAction): Promise<Outcome> {
  const { deps, params, now } = action;
  const user = await userOf(action);
  const tokens = await listUserTokens(deps.db, user.id, MAX_TOKENS);
  const id = params.token ?? '';
  if (tokens.some((token) => token.id === id)) {
    await deps.db.transaction().execute(async (transaction) => {
      if (!(await revokeAccessToken(transaction, id, now))) return;
      const details = { tokenId: id, by: 'operator' };
      await recordAuditEvent(transaction, toEvent('access_token_revoked', action, user, { details }));
    });
  }
  return backTo(user, 'token');
}

/** What is revoked with a grant. */
export async function askToEndGrant(action: OperatorAction): Promise<Question | null> {
  const { deps, params } = action;
  const user = await userOf(action);
  const grants = await listUserGrants(deps.db, user.id, MAX_GRANTS);
  const grant = grants.find(({ id, revokedAt }) => id === params.grant && revokedAt === null);
  if (grant === undefined) return null;
  const tokens = await listUserTokens(deps.db, user.id, MAX_TOKENS);
  const live = tokens.filter((token) => token.grantId === grant.id && isLive(token, action.now));
  const client = grant.clientId === null ? 'the partner itself' : untrusted(grant.clientName, grant.clientId);
  return {
    title: 'Revoke what the user allowed?',
    section: '/users',
    losses: [
      html`The access of ${client} to the services of ${untrusted(user.externalUserId)}, with ${counted(live.length, 'live token')}.`,
      'The user must allow it again.',
    ],
    button: 'Revoke',
    back: pathOf(user),
  };
}

export async function endGrant(action: OperatorAction): Promise<Outcome> {
  const { deps, ctx, params, now } = action;
  const user = await userOf(action);
  const key = { grantId: params.grant ?? '', userId: user.id, partnerId: user.partnerId };
  const change = { by: 'operator', now, ...originOf(ctx) } as const;
  await deps.db.transaction().execute((transaction) => revokeOwnGrant(transaction, key, change));
  return backTo(user, 'grant');
}

/** What is removed with a connection. */
export async function askToRemoveConnection(action: OperatorAction): Promise<Question | null> {
  const { deps, params } = action;
  const user = await userOf(action);
  const service = params.service ?? '';
  if ((await findConnection(deps.db, user.id, service)) === undefined) return null;
  const connector = deps.catalogue.findConnector(service);
  const tools = connector === undefined ? 0 : deps.catalogue.toolsOf(connector).length;
  return {
    title: `Remove the connection to ${connector?.title ?? service}?`,
    section: '/users',
    losses: [
      html`The connection of ${untrusted(user.externalUserId)} and its credential, which cannot be restored.`,
      `Agents of the user lose ${counted(tools, 'tool')}, until the user connects the service again.`,
    ],
    button: 'Remove connection',
    back: pathOf(user),
  };
}

export async function removeConnection(action: OperatorAction): Promise<Outcome> {
  const { deps, ctx, params, now } = action;
  const user = await userOf(action);
  const service = params.service ?? '';
  const change = { by: 'operator', now, ...originOf(ctx) } as const;
  await deps.revocations.after({ userId: user.id, service }, () =>
    deps.db.transaction().execute((transaction) => removeUserConnection(transaction, user, service, change)),
  );
  return backTo(user, 'connection');
}

/** What is removed with a user. */
export async function askToRemoveUser(action: OperatorAction): Promise<Question> {
  const { deps, now } = action;
  const user = await userOf(action);
  const connections = await listConnections(deps.db, user.id);
  const { grants, tokens, codes } = await countAccess(deps.db, { userId: user.id }, now);
  return {
    title: 'Remove this user permanently?',
    section: '/users',
    losses: [
      html`The user ${untrusted(user.externalUserId)}, with ${counted(connections.length, 'connection')} and their credentials.`,
      `${counted(grants, 'live grant')}, ${counted(tokens, 'minted token')} and ${counted(codes, 'connection code')}: clients get 401 at their next request.`,
      'The audit trail and call records stay, under a random reference instead of the user.',
    ],
    button: 'Remove user',
    back: pathOf(user),
  };
}

export async function removeUser(action: OperatorAction): Promise<Outcome> {
  const { deps, ctx, now } = action;
  const user = await userOf(action);
  const event = { now, ...originOf(ctx) };
  await deps.revocations.after({ userId: user.id }, () =>
    deps.db.transaction().execute((transaction) => forgetUser(transaction, user, event)),
  );
  await eraseDeleted(deps.db);
  return { redirect: `${ADMIN_PATH}/users` };
}

function toEvent<More extends object>(type: AuditEventType, { ctx, now }: OperatorAction, user: User, more: More) {
  return { type, now, partnerId: user.partnerId, userId: user.id, ...originOf(ctx), ...more };
}

function backTo(user: User, done: string): Outcome {
  return { redirect: `${pathOf(user)}?done=${done}` };
}

function pathOf({ id }: User): string {
  return `${ADMIN_PATH}/users/${id}`;
}
