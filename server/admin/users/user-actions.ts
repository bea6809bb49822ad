/** What an operator does to one user: mint a test token, revoke tokens and grants, remove a connection or the user. */

import { issueAccessToken } from '../../grants/access-token.ts';
import { revokeOwnGrant } from '../../grants/allowed/revoke.ts';
import { originOf } from '../../http/request-origin.ts';
import { alert } from '../../pages/components.ts';
import { html } from '../../pages/html.ts';
import { forgetUser } from '../../partners/forget-user.ts';
import { removeUserConnection } from '../../partners/remove-connection.ts';
import { SCOPES } from '../../principal/scopes.ts';
import { eraseDeleted } from '../../store/erase.ts';
import { listUserTokens } from '../../store/reports/user-search.ts';
import { revokeAccessToken } from '../../store/repositories/access-tokens.ts';
import { type AuditEventType, recordAuditEvent } from '../../store/repositories/audit-events.ts';
import type { User } from '../../store/repositories/users.ts';
import { ADMIN_PATH, type AdminPage, type OperatorAction, type Outcome } from '../request.ts';
import { success } from '../view/parts.ts';
import { userOf, userPage } from './user.ts';

const MAX_TOKENS = 500;

/** Mints a token of one hour, and shows it this once with the configuration of an MCP client. */
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

export async function endGrant(action: OperatorAction): Promise<Outcome> {
  const { deps, ctx, params, now } = action;
  const user = await userOf(action);
  const key = { grantId: params.grant ?? '', userId: user.id, partnerId: user.partnerId };
  const change = { by: 'operator', now, ...originOf(ctx) } as const;
  await deps.db.transaction().execute((transaction) => revokeOwnGrant(transaction, key, change));
  return backTo(user, 'grant');
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

/** Removes the user, if the box was ticked. */
export async function removeUser(action: OperatorAction): Promise<Outcome> {
  const { deps, ctx, now, field } = action;
  const user = await userOf(action);
  if (field('sure') !== 'yes') {
    return userPage(action, user, alert('The user was not removed', 'Tick the box that says so first.'));
  }
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
  return { redirect: `${ADMIN_PATH}/users/${user.id}?done=${done}` };
}
