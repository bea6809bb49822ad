/** One-time links that sign a browser in to a user's own page. */

import { createSecret, hashSecret } from '../../base/principal/secrets.ts';
import { emit } from '../../base/store/events.ts';
import { consumeSingleUseCode, insertSingleUseCode } from '../../base/store/repositories/single-use-codes.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ManagementEvent } from './manage.ts';

/** Path of a user's own page. */
export const USER_PAGE_PATH = '/me';

/** Lifetime of an unused link. */
export const USER_LINK_TTL_SECONDS = 300;

const PURPOSE = 'user-link';
const LINK = /^utg_ul_[A-Za-z0-9_-]{43}$/;

/**
 * Creates a link for one user. Needs a transaction.
 *
 * @param change.by what proves that the browser is the user's: the partner, or the typed connection code.
 * @returns its path and query.
 */
export async function mintUserLink(
  transaction: Executor,
  user: { readonly id: string; readonly partnerId: string },
  change: ManagementEvent & { readonly by: 'partner' | 'connection-code' },
): Promise<string> {
  const { by, ...event } = change;
  const { id: userId, partnerId } = user;
  const link = createSecret('userLink');
  await insertSingleUseCode(transaction, {
    ...toKey(transaction, link, event.now),
    userId,
    payload: {},
    expiresAt: event.now + USER_LINK_TTL_SECONDS * 1000,
  });
  const details = { by };
  await emit(transaction, { type: 'user_link_minted', partnerId, userId, details, ...event });
  return `${USER_PAGE_PATH}?link=${link}`;
}

/** Returns true if a text has the form of a link. Only `consumeUserLink` says if it is valid. */
export function isUserLink(link: string): boolean {
  return LINK.test(link);
}

/** Consumes a link. @returns the row id of its user, or null when it is unknown, used or expired. */
export async function consumeUserLink(executor: Executor, link: string, now: number): Promise<string | null> {
  return (await consumeSingleUseCode(executor, toKey(executor, link, now)))?.userId ?? null;
}

function toKey(executor: Executor, link: string, now: number) {
  return { codeHash: hashSecret(executor, link), purpose: PURPOSE, now };
}
