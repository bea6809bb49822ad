/** What an operator does to a partner as a whole: suspend it, resume it, remove it. */

import { originOf } from '../http/request-origin.ts';
import { alert } from '../pages/components.ts';
import {
  type RemovalOptions,
  removePartner as removeWhole,
  resumePartner as resume,
  suspendPartner as suspend,
} from '../partners/lifecycle.ts';
import { partnerOf, partnerPage } from './partner.ts';
import { ADMIN_PATH, type OperatorAction, type Outcome } from './request.ts';

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

/** Users that one request removes at most: a few seconds. */
export const MAX_USERS_PER_REQUEST = 1000;

/** Removes the partner with its users, if the box was ticked; of a large one, some of them, and the next request goes on. */
export async function removePartner(action: OperatorAction): Promise<Outcome> {
  const partner = await partnerOf(action);
  const { deps, now, ctx, field } = action;
  if (field('sure') !== 'yes') {
    const notice = alert('The partner was not removed', 'Tick the box that says so first.');
    return { ...(await partnerPage(action, partner, { notice })), status: 400 };
  }
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
