/** The actions on a user's own page. Each one removes access or renames an account, and none grants any; only sharing lets others use a connection. */

import { originOf } from '../../base/http/request-origin.ts';
import { alert } from '../../base/pages/components.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { ACCOUNT_NAME_RULE, findAccount, readAccountName } from '../../base/store/repositories/account-names.ts';
import { type Connection, listAccounts, listConnections } from '../../base/store/repositories/connections.ts';
import { endShare, findTeam, listSharedAccounts, listShares } from '../../base/store/repositories/teams.ts';
import { readRemoval } from '../../identity/grants/allowed/consent-options.ts';
import { narrowGrant } from '../../identity/grants/allowed/narrow.ts';
import { revokeAccess, revokeOwnGrant } from '../../identity/grants/allowed/revoke.ts';
import { removeUserConnection, renameUserAccount } from '../../identity/partners/remove-connection.ts';
import { shareConnection } from '../../identity/partners/teams.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import { noSuchClient, showClient } from './client.ts';
import { showOverview } from './overview.ts';
import type { Outcome, UserAction } from './request.ts';
import { serviceTitle } from './view.ts';

/** Removes one account of a service. @throws {PageError} 404. */
export async function removeConnection(action: UserAction): Promise<Outcome> {
  const { deps, user } = action;
  const service = action.param('service');
  const connection = { service, id: (await accountOf(action)).id };
  await deps.revocations.after({ userId: user.id, service, connectionId: connection.id }, () =>
    deps.db
      .transaction()
      .execute((transaction) => removeUserConnection(transaction, user, connection, changeOf(action))),
  );
  return { redirect: `${USER_PAGE_PATH}?done=removed` };
}

/** Gives an account another name. @throws {PageError} 404. */
export async function renameConnection(action: UserAction): Promise<Outcome> {
  const { deps, user } = action;
  const { id, service } = await accountOf(action);
  const refuse = (text: string) => showOverview(action, alert('The name was not changed', text));
  const name = readAccountName(action.form.get('name') ?? '');
  if (name === null) return refuse(ACCOUNT_NAME_RULE);
  const renamed = await deps.db
    .transaction()
    .execute((transaction) => renameUserAccount(transaction, user, { id, service, name }, changeOf(action)));
  if (renamed === 'taken')
    return refuse('Another of your accounts of this service has this name, or one that looks like it.');
  return { redirect: `${USER_PAGE_PATH}?done=renamed` };
}

/** Finds the account that the form names, or the only one of the service. */
async function accountOf({ deps, user, form, param }: UserAction): Promise<Connection> {
  const accounts = await listAccounts(deps.db, user.id, param('service'));
  const id = form.get('account');
  const selectedAccount =
    id === null ? findAccount(accounts, undefined) : accounts.find((account) => account.id === id);
  if (selectedAccount !== undefined) return selectedAccount;
  throw new PageError(404, {
    title: 'No such account',
    text: 'It was removed already, or the form does not say which account of the service it is about. Nothing was changed.',
    advice: 'Open your page again to see what is connected.',
  });
}

export async function revokeClient(action: UserAction): Promise<Outcome> {
  const { deps } = action;
  await deps.db.transaction().execute((transaction) => revokeOwnGrant(transaction, keyOf(action), changeOf(action)));
  return { redirect: `${USER_PAGE_PATH}?done=revoked` };
}

/** Revokes every grant of the partner itself. */
export async function revokePartner(action: UserAction): Promise<Outcome> {
  const { id: userId, partnerId } = action.user;
  await revokeAccess(action.deps.db, { userId, partnerId, clientId: null }, changeOf(action), ['grants']);
  return { redirect: `${USER_PAGE_PATH}?done=revoked` };
}

/** Revokes the access tokens that belong to no grant. */
export async function revokeTokens(action: UserAction): Promise<Outcome> {
  const { id: userId, partnerId } = action.user;
  await revokeAccess(action.deps.db, { userId, partnerId }, changeOf(action), ['tokens']);
  return { redirect: `${USER_PAGE_PATH}?done=tokens` };
}

/** Removes the ticked services and tools from a grant. @throws {PageError} 404. */
export async function narrowClientAccess(action: UserAction): Promise<Outcome> {
  const { deps, form, user } = action;
  const { catalogue } = deps;
  const refuse = (text: string) => showClient(action, alert('Nothing was changed', text));
  const hasSelection = [...form.keys()].some((name) => name !== 'csrf');
  if (!hasSelection) return refuse('Select what to remove first.');
  const connections = await listConnections(deps.db, user.id);
  const shared = await listSharedAccounts(deps.db, user.id, connections);
  const connected = [...connections, ...shared].map(({ service }) => service);
  const change = { ...changeOf(action), catalogue };
  const result = await deps.db
    .transaction()
    .execute((transaction) =>
      narrowGrant(
        transaction,
        keyOf(action),
        (current) => readRemoval(form, { current, connected, catalogue }),
        change,
      ),
    );
  if (result.kind === 'missing') throw noSuchClient();
  if (result.kind === 'refused') return refuse('That would leave nothing. Revoke the client instead.');
  return { redirect: `${USER_PAGE_PATH}?done=narrowed` };
}

/** Shares an own connection with a team of the user. @throws {PageError} 404. */
export async function shareOwnConnection(action: UserAction): Promise<Outcome> {
  const { deps, form, partner, user } = action;
  const connection = (await listConnections(deps.db, user.id)).find(({ id }) => id === form.get('account'));
  const team = await findTeam(deps.db, { id: form.get('team') ?? '' });
  if (!partner.ownerSharing || connection === undefined || team?.partnerId !== user.partnerId) throw noSuchShare();
  const sharing = { team, owner: user, connection, readOnly: form.get('writes') !== 'yes' };
  const outcome = await deps.db
    .transaction()
    .execute((transaction) => shareConnection(transaction, sharing, changeOf(action)));
  if (outcome === 'shared') return { redirect: `${USER_PAGE_PATH}?done=shared` };
  if (outcome !== 'taken') throw noSuchShare();
  const text = `${team.name} has a connection of ${serviceTitle(connection.service, action)} already, which someone else shares.`;
  return showOverview(action, alert('It was not shared', text));
}

/** Ends a share of an own connection, also one that the partner made. @throws {PageError} 404. */
export async function stopSharing(action: UserAction): Promise<Outcome> {
  const { deps, user, param } = action;
  const own = (await listConnections(deps.db, user.id)).map(({ id }) => id);
  const ended = (await listShares(deps.db, { connectionIds: own })).find(({ id }) => id === param('share'));
  if (ended === undefined) throw noSuchShare();
  await deps.db.transaction().execute((transaction) => endShare(transaction, ended, changeOf(action)));
  return { redirect: `${USER_PAGE_PATH}?done=unshared` };
}

function noSuchShare(): PageError {
  return new PageError(404, {
    title: 'This cannot be shared, or is not shared any more',
    text: 'The team or the connection is gone, you are not in the team, or users may not share here. Nothing was changed.',
    advice: 'Open your page again to see what is shared.',
  });
}

function keyOf({ user, param }: UserAction) {
  return { grantId: param('grant'), userId: user.id, partnerId: user.partnerId };
}

function changeOf({ ctx, now }: UserAction) {
  return { by: 'user' as const, now, ...originOf(ctx) };
}
