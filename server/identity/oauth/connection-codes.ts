/** Connection codes: a partner shows one to its user, who types it into the consent page (`session_token` on the wire). */

import { randomBytes } from 'node:crypto';
import { allowsService, currentAllowance, readLimitedPermission } from '../../base/principal/allowance.ts';
import { type Permission, writePermission } from '../../base/principal/permission.ts';
import { hashSecret } from '../../base/principal/secrets.ts';
import { listConnections } from '../../base/store/repositories/connections.ts';
import { findPartner, mayOffer, type Partner } from '../../base/store/repositories/partners.ts';
import {
  consumeSingleUseCode,
  insertSingleUseCode,
  peekSingleUseCode,
} from '../../base/store/repositories/single-use-codes.ts';
import { listSharedAccounts } from '../../base/store/repositories/teams.ts';
import { findUserById } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';

/** Lifetime of a connection code. */
export const CONNECTION_CODE_TTL_SECONDS = 600;

const PURPOSE = 'connection';

/** Crockford's base 32: without I, L, O and U, which look like other characters. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE = new RegExp(`^[${ALPHABET}]{12}$`);
const LENGTH = 12;
const GROUP = /.{4}(?=.)/g;

/** Codes have 14 characters; people put spaces between them. Longer texts are never codes. */
export const MAX_TYPED_LENGTH = 64;

/** Limits that a partner sets for a code. */
export interface ConnectionCodeLimits {
  /** Services that the code is narrowed to. Null for all of the user's, now or later. */
  readonly services: readonly string[] | null;
  readonly readOnly: boolean;
  /** Tools and arguments that the code pins. */
  readonly permission: Permission;
  /** Longest lifetime of the grant, in seconds. Null if each refresh extends it. */
  readonly grantSeconds: number | null;
}

/** True if a code would grant less than all that its user may do. How its client sees tools, and for how long, is no such limit. */
export function isNarrowed({ services, readOnly, permission }: ConnectionCodeLimits): boolean {
  const { destructive, without, only, pins, accounts } = permission;
  const isLimited = !destructive || without.length > 0 || only !== null;
  const isPinned = Object.keys(pins).length > 0 || Object.keys(accounts).length > 0;
  return services !== null || readOnly || isLimited || isPinned;
}

/** A usable code, and the access that it would grant. */
export interface FoundConnectionCode {
  /** Row id. */
  readonly userId: string;
  /** If it is suspended, the code must not be used. */
  readonly partner: Partner;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Services that are connected and offered now and that the code allows, sorted by code unit: what to show. */
  readonly services: readonly string[];
  /** Those services at which the user signed in by OAuth. */
  readonly signedInAt: readonly string[];
  /** By those of the services that have several or one of a team, the accounts that the code allows: their names, with a mark at those of teams. */
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  /** They also apply to services connected later, and go into the grant. */
  readonly limits: ConnectionCodeLimits;
}

/**
 * Creates a code of 60 random bits in three groups, such as `7KQ2-M9XD-4TRB`, and stores its hash.
 *
 * Sixty bits are enough for a plain hash, because the code expires in ten minutes and wrong ones are counted.
 */
export async function mintConnectionCode(
  executor: Executor,
  code: { userId: string; limits: ConnectionCodeLimits; now: number },
): Promise<string> {
  const text = Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
  await insertSingleUseCode(executor, {
    codeHash: hashSecret(executor, text),
    purpose: PURPOSE,
    userId: code.userId,
    payload: { ...code.limits, permission: writePermission(code.limits.permission) },
    now: code.now,
    expiresAt: code.now + CONNECTION_CODE_TTL_SECONDS * 1000,
  });
  return text.replace(GROUP, '$&-');
}

/**
 * Normalises a code as people type it: case, spaces and hyphens do not matter, O is 0, I and L are 1.
 *
 * @returns its twelve characters, or null when the text cannot be a code.
 */
export function normalizeConnectionCode(text: string): string | null {
  if (text.length > MAX_TYPED_LENGTH) return null;
  const typed = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}_.]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  return CODE.test(typed) ? typed : null;
}

/** Finds what a code would grant, without consuming it. @returns undefined when it is unknown, used or expired. */
export async function findConnectionCode(
  executor: Executor,
  codeText: string,
  now: number,
): Promise<FoundConnectionCode | undefined> {
  const key = toKey(executor, codeText, now);
  const code = key && (await peekSingleUseCode(executor, key));
  const user = code?.userId && (await findUserById(executor, code.userId));
  const partner = user && (await findPartner(executor, user.partnerId));
  if (!code || !user || !partner) return undefined;

  const limits = toLimits(code.payload, currentAllowance(user, now));
  const { allows } = limits.permission;
  const connections = await listConnections(executor, user.id);
  const shared = await listSharedAccounts(executor, user.id, connections);
  const isAllowed = ({ service }: Account) =>
    mayOffer(partner, service) && allowsService(allows, service) && (limits.services?.includes(service) ?? true);
  const connected = connections.filter(isAllowed);
  const accounts = [...connected, ...shared.filter(isAllowed)];
  const servicesOf = (list: readonly Account[]) => [...new Set(list.map(({ service }) => service))].sort();
  return {
    userId: user.id,
    partner,
    externalUserId: user.externalUserId,
    services: servicesOf(accounts),
    signedInAt: servicesOf(connected.filter(({ credentialType }) => credentialType === 'oauth2')),
    accounts: allowedAccounts(accounts, limits.permission),
    limits,
  };
}

/** An account that a user may use: an own one or one that a team shares. */
interface Account {
  readonly id: string;
  readonly service: string;
  readonly accountName: string | null;
  /** Only of a shared account. */
  readonly connectionId?: string;
}

function allowedAccounts(connected: readonly Account[], { accounts }: Permission): FoundConnectionCode['accounts'] {
  const several = [...Map.groupBy(connected, ({ service }) => service)].filter(
    ([, list]) => list.length > 1 || list[0]?.connectionId !== undefined,
  );
  return new Map(
    several.map(([service, own]) => {
      const pinned = Object.hasOwn(accounts, service) ? accounts[service] : undefined;
      const allowed = own.filter(({ id }) => pinned === undefined || id === pinned);
      const nameOf = ({ accountName, connectionId }: Account, index: number) =>
        connectionId === undefined ? (accountName ?? `account-${index + 1}`) : `${accountName} (shared by a team)`;
      return [service, allowed.map(nameOf)];
    }),
  );
}

/** Consumes a code. @returns its user, or undefined when it is unknown, used or expired. */
export async function consumeConnectionCode(
  executor: Executor,
  codeText: string,
  now: number,
): Promise<{ userId: string; limits: ConnectionCodeLimits } | undefined> {
  const key = toKey(executor, codeText, now);
  const consumed = key && (await consumeSingleUseCode(executor, key));
  if (!consumed?.userId) return undefined;
  return { userId: consumed.userId, limits: toLimits(consumed.payload, null) };
}

/** @param allowance see `currentAllowance`. Null where the limits are stored: the allowance is no part of a grant. */
function toLimits(payload: unknown, allowance: string | null): ConnectionCodeLimits {
  const limits = payload as ConnectionCodeLimits & { readonly permission: string | null };
  return { ...limits, permission: readLimitedPermission(limits.permission, allowance) };
}

function toKey(
  executor: Executor,
  codeText: string,
  now: number,
): { codeHash: string; purpose: string; now: number } | undefined {
  const code = normalizeConnectionCode(codeText);
  return code === null ? undefined : { codeHash: hashSecret(executor, code), purpose: PURPOSE, now };
}
