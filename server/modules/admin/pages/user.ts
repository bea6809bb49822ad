/** One user, and what an operator can do: mint and revoke tokens, take a client's access away, remove a connection or the user. */

import { ADMIN_PATH, noSuchPage } from '../../../base/dashboard/pages.ts';
import { counted, holderLink, success, untrusted } from '../../../base/dashboard/parts.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { SCOPES } from '../../../base/principal/permission.ts';
import { emit } from '../../../base/store/events.ts';
import { eraseDeleted } from '../../../base/store/purge.ts';
import { listUserTokens, revokeAccessToken } from '../../../base/store/repositories/access-tokens.ts';
import { listConnections } from '../../../base/store/repositories/connections.ts';
import { countAccess } from '../../../base/store/repositories/live-access.ts';
import { listUserGrants } from '../../../base/store/repositories/oauth-grants.ts';
import { listShares } from '../../../base/store/repositories/teams.ts';
import { findUserById, type User } from '../../../base/store/repositories/users.ts';
import { issueAccessToken } from '../../../identity/grants/access-token.ts';
import { revokeOwnGrant } from '../../../identity/grants/allowed/revoke.ts';
import { forgetUser } from '../../../identity/partners/forget-user.ts';
import { removeUserConnection } from '../../../identity/partners/remove-connection.ts';
import { type AdminActionOn, type AdminContext, type AdminPage, type AdminRequest, titleOf } from '../context.ts';
import { ADMIN_EVENTS } from '../events.ts';
import { accountTitle } from './links.ts';
import { isLive, userContent } from './user-content.ts';

const MAX_TOKENS = 500;
const MAX_GRANTS = 500;

/** Mints a token that expires in an hour, and shows it once with the configuration of an MCP client. */
const MINT_TOKEN: AdminActionOn<User> = {
  path: '/tokens',
  async run(action, user) {
    const { deps, form, field, commit, event } = action;
    const chosen = form.getAll('services').filter((service) => deps.catalogue.findConnector(service) !== undefined);
    const scopes = field('read_only') === 'yes' ? (['tools:read'] as const) : SCOPES;
    const services = chosen.length === 0 ? null : chosen;
    const grant = { userId: user.id, scopes, services, resource: deps.resource, now: event.now };
    const { token } = await commit(async (transaction) => {
      const issued = await issueAccessToken(transaction, grant);
      const details = { tokenId: issued.id, scopes, services };
      await ADMIN_EVENTS.emit(transaction, { type: 'access_token_minted', ...keysOf(user), ...event, details });
      return issued;
    });
    const server = { type: 'http', url: deps.resource, headers: { Authorization: `Bearer ${token}` } };
    const notice = success(
      'Keep this token now',
      html`<p>It is not shown again. It expires in one hour.</p><pre>${token}</pre>
<p>As the configuration of an MCP client:</p><pre>${JSON.stringify({ mcpServers: { 'unified-tools': server } }, null, 2)}</pre>`,
    );
    return userContent(action, user, notice);
  },
};

/** Revokes a token without asking first: a client gets another token with its refresh token, and an operator mints another. */
const REVOKE_TOKEN: AdminActionOn<User> = {
  path: '/tokens/:token/revoke',
  async run({ deps, params, commit, event }, user) {
    const tokens = await listUserTokens(deps.db, user.id, MAX_TOKENS);
    const tokenId = params.token ?? '';
    if (tokens.some(({ id }) => id === tokenId)) {
      await commit(async (transaction) => {
        if (!(await revokeAccessToken(transaction, tokenId, event.now))) return;
        const details = { tokenId, by: 'operator' };
        await emit(transaction, { type: 'access_token_revoked', ...keysOf(user), ...event, details });
      });
    }
    return 'token';
  },
  done: { token: 'The token was revoked.' },
};

const REVOKE_GRANT: AdminActionOn<User> = {
  path: '/grants/:grant/revoke',
  async ask({ deps, params, now }, user) {
    const grants = await listUserGrants(deps.db, user.id, MAX_GRANTS);
    const grant = grants.find(({ id, revokedAt }) => id === params.grant && revokedAt === null);
    if (grant === undefined) return null;
    const tokens = await listUserTokens(deps.db, user.id, MAX_TOKENS);
    const live = tokens.filter((token) => token.grantId === grant.id && isLive(token, now));
    const client = grant.clientId === null ? 'the partner' : holderLink(grant);
    return {
      title: 'Revoke what the user allowed?',
      losses: [
        html`The access of ${client} to the services of ${untrusted(user.externalUserId)}, with ${counted(live.length, 'live token')}.`,
        'The user must allow it again.',
      ],
      button: 'Revoke',
    };
  },
  async run({ params, commit, event }, user) {
    const key = { grantId: params.grant ?? '', ...keysOf(user) };
    await commit((transaction) => revokeOwnGrant(transaction, key, { by: 'operator', ...event }));
    return 'grant';
  },
  done: { grant: 'The client has lost its access.' },
};

const REMOVE_CONNECTION: AdminActionOn<User> = {
  path: '/connections/:service/remove',
  async ask({ deps, params }, user) {
    const connection = await findOwn(deps, user, params);
    if (connection === undefined) return null;
    const { service, accountName } = connection;
    const connector = deps.catalogue.findConnector(service);
    const tools = connector === undefined ? 0 : deps.catalogue.toolsOf(connector).length;
    return {
      title: `Remove the connection to ${accountTitle(titleOf(deps, service), accountName)}?`,
      losses: [
        html`The connection of ${untrusted(user.externalUserId)} and its credential, which cannot be restored.`,
        `Agents of the user lose ${counted(tools, 'tool')}, until the user connects the service again.`,
        ...(await sharingLosses(deps, [connection])),
      ],
      button: 'Remove connection',
    };
  },
  async run({ deps, params, commit, event }, user) {
    const connection = await findOwn(deps, user, params);
    if (connection === undefined) return 'connection';
    const { id, service } = connection;
    await deps.revocations.after({ userId: user.id, connectionId: id }, () =>
      commit((transaction) => removeUserConnection(transaction, user, { service, id }, { by: 'operator', ...event })),
    );
    return 'connection';
  },
  done: { connection: 'The connection and its credential are removed.' },
};

/** Finds the connection that the address names: by its service, or by its row if the service has several accounts. */
async function findOwn({ db }: AdminContext, user: User, { service: key }: AdminRequest['params']) {
  return (await listConnections(db, user.id)).find(({ id, service }) => id === key || service === key);
}

/** Names the teams with which these connections are shared. */
async function sharingLosses({ db }: AdminContext, connections: readonly { readonly id: string }[]): Promise<Html[]> {
  const shares = await listShares(db, { connectionIds: connections.map(({ id }) => id) });
  if (shares.length === 0) return [];
  const names = [...new Set(shares.map(({ teamName }) => teamName))];
  const list = names.map((name, index) => html`${index === 0 ? '' : ', '}${untrusted(name)}`);
  return [html`Members of these teams lose what the user shares: ${list}.`];
}

const REMOVE: AdminActionOn<User> = {
  path: '/remove',
  async ask({ deps, now }, { id, externalUserId }) {
    const connections = await listConnections(deps.db, id);
    const { grants, tokens, codes } = await countAccess(deps.db, { userId: id }, now);
    return {
      title: 'Remove this user permanently?',
      losses: [
        html`The user ${untrusted(externalUserId)}, with ${counted(connections.length, 'connection')} and their credentials.`,
        `${counted(grants, 'live grant')}, ${counted(tokens, 'minted token')} and ${counted(codes, 'connection code')}: clients get 401 at their next request.`,
        ...(await sharingLosses(deps, connections)),
        'The audit trail and call records stay, under a random reference instead of the user.',
      ],
      button: 'Remove user',
    };
  },
  async run({ deps, commit, event }, user) {
    await deps.revocations.after({ userId: user.id }, () =>
      commit((transaction) => forgetUser(transaction, user, event)),
    );
    await eraseDeleted(deps.db);
    return { redirect: `${ADMIN_PATH}/users` };
  },
};

export const USER: AdminPage<User> = {
  path: '/users/:id',
  section: '/users',
  find: findShownUser,
  show: userContent,
  actions: [MINT_TOKEN, REVOKE_TOKEN, REVOKE_GRANT, REMOVE_CONNECTION, REMOVE],
};

/** The user whom the address names. @throws {PageError} 404. */
export async function findShownUser({ deps, params }: AdminRequest): Promise<User> {
  const user = await findUserById(deps.db, params.id ?? '');
  if (user !== undefined) return user;
  const advice = html`Choose one in the <a href="${ADMIN_PATH}/users">list of users</a>.`;
  throw noSuchPage('user', 'There is no user under this address.', advice);
}

function keysOf({ id, partnerId }: User) {
  return { userId: id, partnerId };
}
