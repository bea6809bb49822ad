/** Actions on a whole partner: suspend, resume, remove. */

import { originOf } from '../../base/http/request-origin.ts';
import { html } from '../../base/pages/html.ts';
import { countConnectionsOfPartner } from '../../base/store/reports/overview.ts';
import { countAccess } from '../../base/store/repositories/live-access.ts';
import { countUsers } from '../../base/store/repositories/users.ts';
import {
  type RemovalOptions,
  removePartner as removeWhole,
  resumePartner as resume,
  suspendPartner as suspend,
} from '../../identity/partners/lifecycle.ts';
import { partnerOf } from './partner.ts';
import { ADMIN_PATH, type OperatorAction, type Outcome } from './request.ts';
import type { Question } from './view/confirm.ts';
import { counted, figure, untrusted } from './view/parts.ts';

/** What a suspension stops. */
export async function askToSuspendPartner(action: OperatorAction): Promise<Question> {
  const { id, name } = await partnerOf(action);
  const users = await countUsers(action.deps.db, id);
  return {
    title: 'Suspend this partner?',
    section: '/partners',
    losses: [
      html`The secrets of ${untrusted(name)} stop working, and calls, refreshes and sign-ins of ${counted(users, 'user')} are refused from the next request.`,
      'Nothing is revoked. When you resume the partner, everything that has not expired works again.',
    ],
    button: 'Suspend partner',
    back: `${ADMIN_PATH}/partners/${id}`,
  };
}

export async function suspendPartner(action: OperatorAction): Promise<Outcome> {
  return change(action, suspend, 'suspended');
}

export async function resumePartner(action: OperatorAction): Promise<Outcome> {
  return change(action, resume, 'resumed');
}

async function change(action: OperatorAction, what: typeof suspend, done: string): Promise<Outcome> {
  const { id } = await partnerOf(action);
  const { deps, now, ctx } = action;
  await deps.db.transaction().execute((transaction) => what(transaction, id, { now, ...originOf(ctx) }));
  return { redirect: `${ADMIN_PATH}/partners/${id}?done=${done}` };
}

/** Users that one request removes at most, which takes a few seconds. */
export const MAX_USERS_PER_REQUEST = 1000;

/** What is removed with a partner. */
export async function askToRemovePartner(action: OperatorAction): Promise<Question> {
  const { deps, now } = action;
  const { id, name } = await partnerOf(action);
  const users = await countUsers(deps.db, id);
  const connections = await countConnectionsOfPartner(deps.db, id);
  const { grants, tokens, codes } = await countAccess(deps.db, { partnerId: id }, now);
  const some = users > MAX_USERS_PER_REQUEST;
  return {
    title: 'Remove this partner permanently?',
    section: '/partners',
    losses: [
      html`The partner ${untrusted(name)} with its secrets, ${counted(users, 'user')}, and ${counted(connections, 'connection')} with their credentials.`,
      `${counted(grants, 'live grant')}, ${counted(tokens, 'minted token')} and ${counted(codes, 'connection code')}: clients get 401 at their next request.`,
      'The audit trail and call records stay, without names of users.',
      ...(some
        ? [
            `This request removes ${figure(MAX_USERS_PER_REQUEST)} of the users, and suspends the partner. Remove it again to continue.`,
          ]
        : []),
    ],
    button: 'Remove partner',
    back: `${ADMIN_PATH}/partners/${id}`,
  };
}

/** Removes the partner with its users. Of a large partner, one request removes some users, and the next continues. */
export async function removePartner(action: OperatorAction): Promise<Outcome> {
  const partner = await partnerOf(action);
  const { deps, now, ctx } = action;
  const options: RemovalOptions = {
    maxUsers: MAX_USERS_PER_REQUEST,
    revokeAfter: (users, remove) =>
      deps.revocations.after(
        users.map(({ id }) => ({ userId: id })),
        remove,
      ),
  };
  const removal = await removeWhole(deps.db, partner.id, { now, ...originOf(ctx) }, options);
  if (removal !== null && removal.left > 0) return { redirect: `${ADMIN_PATH}/partners/${partner.id}?done=begun` };
  return { redirect: `${ADMIN_PATH}/partners?done=removed` };
}
