/** One-time links that sign a browser in to a user's own page, and the pages that they can lead to. */

import { z } from 'zod';
import { createSecret, hashSecret } from '../../base/principal/secrets.ts';
import { emit } from '../../base/store/events.ts';
import {
  consumeSingleUseCode,
  insertSingleUseCode,
  peekSingleUseCode,
} from '../../base/store/repositories/single-use-codes.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ManagementEvent } from './manage.ts';

/** Path of a user's own page. */
export const USER_PAGE_PATH = '/me';

/** Lifetime of an unused link. */
export const USER_LINK_TTL_SECONDS = 300;

/** The page where a user allows a tool, with the query `request` of `ToolConsentLinks`. */
export const USER_ALLOW_PATH = `${USER_PAGE_PATH}/allow`;

/** The page of calls that wait, followed by `/` and the id of one. */
export const USER_APPROVALS_PATH = `${USER_PAGE_PATH}/approvals`;

/** The page of a question that a service asks, followed by `/` and its id. */
export const USER_QUESTIONS_PATH = `${USER_PAGE_PATH}/questions`;

const PURPOSE = 'user-link';
const LINK = /^utg_ul_[A-Za-z0-9_-]{43}$/;

/** Proof that a browser is the user's: the word of the partner, or a connection code that was typed. */
export type UserProof = 'partner' | 'connection-code';

/** Stored with a link. Links of earlier versions have neither. */
const PAYLOAD = z.object({
  by: z.enum(['partner', 'connection-code']).default('connection-code'),
  target: z.string().nullable().default(null),
});

/** The user of a consumed link. */
interface LinkedUser extends Readonly<z.output<typeof PAYLOAD>> {
  /** Row id. */
  readonly userId: string;
}

/** Longer than every address of a page. */
const MAX_TARGET_LENGTH = 4096;

/**
 * Reads the address of a page of the user's own pages.
 *
 * @param text a path with its query, or a whole URL.
 * @returns path and query, or null if it is no such address.
 */
export function readUserPageTarget(text: string, publicUrl: string): string | null {
  const url = text.length <= MAX_TARGET_LENGTH ? URL.parse(text, publicUrl) : null;
  if (url === null) return null;
  const { origin, pathname, search } = url;
  const isUserPage = pathname === USER_PAGE_PATH || pathname.startsWith(`${USER_PAGE_PATH}/`);
  return isUserPage && origin === new URL(publicUrl).origin ? pathname + search : null;
}

/**
 * Returns the address at which a partner signs its user in and answers with a link to a page of the user.
 *
 * @param connectUri of the partner.
 * @param target the URL of the page.
 */
export function toPartnerSignIn(connectUri: string, target: string): string {
  const url = new URL(connectUri);
  url.searchParams.set('target', target);
  return url.href;
}

/**
 * Creates a link for one user. Needs a transaction.
 *
 * @param change.target the page that it leads to, from `readUserPageTarget`. Default: the first page.
 * @returns its path and query.
 */
export async function mintUserLink(
  transaction: Executor,
  user: { readonly id: string; readonly partnerId: string },
  change: ManagementEvent & { readonly by: UserProof; readonly target?: string | null },
): Promise<string> {
  const { by, target = null, ...event } = change;
  const { id: userId, partnerId } = user;
  const link = createSecret('userLink');
  await insertSingleUseCode(transaction, {
    ...toKey(transaction, link, event.now),
    userId,
    payload: { by, target },
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

/** Consumes a link. @returns its user, or null when it is unknown, used or expired. */
export async function consumeUserLink(executor: Executor, link: string, now: number): Promise<LinkedUser | null> {
  return toLinkedUser(await consumeSingleUseCode(executor, toKey(executor, link, now)));
}

/** Reads what `consumeUserLink` would return, and leaves the link unused. */
export async function peekUserLink(executor: Executor, link: string, now: number): Promise<LinkedUser | null> {
  return toLinkedUser(await peekSingleUseCode(executor, toKey(executor, link, now)));
}

function toLinkedUser(code: Awaited<ReturnType<typeof consumeSingleUseCode>>): LinkedUser | null {
  return code === undefined || code.userId === null ? null : { ...PAYLOAD.parse(code.payload), userId: code.userId };
}

function toKey(executor: Executor, link: string, now: number) {
  return { codeHash: hashSecret(executor, link), purpose: PURPOSE, now };
}
