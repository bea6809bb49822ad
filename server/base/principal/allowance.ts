/** The allowance of a user: what its partner lets it use at most, whatever its grants say. It counts at every call. */

import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ShareOwner, StoredAllowance } from '../store/repositories/users.ts';
import { ALLOW, type Allow, CATALOGUE_MODES, type Permission, readPermission } from './permission.ts';

const SCHEMA = z.strictObject({
  allows: z.array(ALLOW).readonly().nullable(),
  approvals: z.array(z.string()).readonly(),
  catalogue: z.enum(CATALOGUE_MODES).nullable(),
});

/**
 * The allowance as the user's row keeps it.
 *
 * - `allows`: a tool may be called if one of these allows it. Null for every tool.
 * - `approvals`: kinds of calls that the user approves, in addition to those of the operator, the partner and the user.
 * - `catalogue`: how lists show tools, whatever the grant says. Null for the mode of the grant.
 */
export type Allowance = Readonly<z.output<typeof SCHEMA>>;

const MAX_CACHED = 1000;
const allowances = new LRUCache<string, Allowance>({ max: MAX_CACHED });

/** Reads the column. @throws {Error} for another text than that of an allowance. */
export function readAllowance(text: string | null): Allowance | null {
  if (text === null) return null;
  const cached = allowances.get(text);
  if (cached !== undefined) return cached;
  const allowance = SCHEMA.parse(JSON.parse(text));
  allowances.set(text, allowance);
  return allowance;
}

/** The column of an allowance that allows nothing. */
const NOTHING = JSON.stringify({ allows: [], approvals: [], catalogue: null } satisfies Allowance);

/** Returns the column that counts until the allowance expires. */
export function unexpiredAllowance({ allowance, allowanceUntil, requiresAllowance }: StoredAllowance): string | null {
  const isSet = allowance !== null || allowanceUntil !== null;
  return requiresAllowance === 1 && !isSet ? NOTHING : allowance;
}

/** Returns the column that counts now. @param now milliseconds since 1970. */
export function currentAllowance(stored: StoredAllowance, now: number): string | null {
  const { allowanceUntil } = stored;
  return allowanceUntil !== null && allowanceUntil <= now ? NOTHING : unexpiredAllowance(stored);
}

const limited = new WeakMap<Permission, LRUCache<string, Permission>>();

/**
 * Reads the permission of a grant within the allowance of its user. The same two texts give the same object.
 *
 * @param permissionText null for a permission that limits nothing. @param allowanceText null for no allowance.
 */
export function readLimitedPermission(permissionText: string | null, allowanceText: string | null): Permission {
  const permission = readPermission(permissionText);
  const allowance = readAllowance(allowanceText);
  if (allowanceText === null || allowance === null) return permission;
  const byAllowance = limited.get(permission) ?? new LRUCache<string, Permission>({ max: MAX_CACHED });
  limited.set(permission, byAllowance);
  let result = byAllowance.get(allowanceText);
  if (result === undefined) {
    const { allows, catalogue } = allowance;
    result = Object.freeze({ ...permission, allows, catalogue: catalogue ?? permission.catalogue });
    byAllowance.set(allowanceText, result);
  }
  return result;
}

/** Returns the rules about which calls a user approves, with those of the allowance. Null if there are none. */
export function withAllowedApprovals(
  rules: readonly string[] | null,
  allowanceText: string | null,
): readonly string[] | null {
  const approvals = readAllowance(allowanceText)?.approvals ?? [];
  return approvals.length === 0 ? rules : [...(rules ?? []), ...approvals];
}

/** Returns true if tools of a service may be used. */
export function allowsService(allows: readonly Allow[] | null, service: string): boolean {
  return allows === null || allows.some(({ services }) => services?.includes(service) ?? true);
}

/** Returns the names of the only accounts of a service that may be used. Null if every account may be used, or none. */
export function onlyAccountsOf(allows: readonly Allow[] | null, service: string): readonly string[] | null {
  const ofService = (allows ?? []).filter(({ services }) => services?.includes(service) ?? true);
  const lists = ofService.map(({ accounts }) => (Object.hasOwn(accounts, service) ? accounts[service] : undefined));
  if (lists.length === 0 || lists.includes(undefined)) return null;
  return [...new Set(lists.flatMap((names) => names ?? []))];
}

/** An account as rules of accounts can name it. */
export interface NamedAccount {
  /** As the user named it. */
  readonly name?: string | undefined;
  /** As the service names it. */
  readonly account?: string | undefined;
}

/** Returns true if an account of a service may be used by this entry of an allowance. */
export function allowsAccount(
  { services, accounts }: Allow,
  service: string,
  { name, account }: NamedAccount,
): boolean {
  if (services?.includes(service) === false) return false;
  const names = Object.hasOwn(accounts, service) ? accounts[service] : undefined;
  if (names === undefined) return true;
  return [name, account].some((each) => each !== undefined && names.includes(each.toLowerCase()));
}

/** Returns true if the owner of a shared connection may not use it any more. Then no member may. @param now milliseconds since 1970. */
export function isShareWithheld(owner: ShareOwner, service: string, now: number): boolean {
  const allows = readAllowance(currentAllowance(owner, now))?.allows ?? null;
  return allows !== null && !allows.some((allow) => allowsAccount(allow, service, owner));
}
