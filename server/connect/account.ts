/** Decides which of a user's accounts of a service a verified credential is for: the same one again, another in its place, or an additional one. */

import type { CredentialVault } from '../base/credentials/index.ts';
import { CredentialUnreadableError } from '../base/credentials/index.ts';
import { findAccount, isNameTaken, readAccountName } from '../base/store/repositories/account-names.ts';
import type { Connection } from '../base/store/repositories/connections.ts';
import { MAX_ACCOUNTS } from '../base/store/rows.ts';
import type { VerifiedAccount } from '../call/tools/accounts.ts';
import type { ConnectContext } from './context.ts';
import { accountsOf, type ConnectVisit } from './visit.ts';

/** Far more time than a service needs to tell the account of a credential. */
const READ_TIMEOUT_MS = 30_000;

/** The account that a credential is for, stored with the attempt until the partner confirms. */
export interface AccountToSave {
  /** Row id of the connection that it replaces, or null for an additional account. */
  readonly replaces: string | null;
  /** Name of an account that is added. */
  readonly name: string | null;
  /** See `VerifiedAccount`. Null if the service does not identify its account. */
  readonly identity: string | null;
  /** True if its fields are added to those of the connection in `replaces`. By default they replace them. */
  readonly isAddition?: true;
}

/** The question to the person: the accounts that the credential may replace, and the account that it is for. */
export interface AccountQuestion {
  readonly accounts: readonly Connection[];
  /** Null if the service does not identify its account. */
  readonly verified: VerifiedAccount | null;
}

/**
 * Chooses the account of a credential, or returns the question to the person.
 *
 * It decides without the person if nothing can be lost: for the first account, for the same account again, and for the account that the partner's
 * session asks for. A sole account that the service refused is replaced too, unless the new credential is known to be of another account, because a
 * person who reconnects a broken service means that account.
 */
export async function chooseAccount(
  { request, session }: ConnectVisit,
  fields: Readonly<Record<string, string>>,
  deps: ConnectContext,
): Promise<{ readonly account: AccountToSave | null } | AccountQuestion> {
  const accounts = await accountsOf(request, deps);
  const requestedAccount = session?.row.account ?? null;
  if (accounts.length === 0) return { account: null };
  const { accounts: reader } = deps.realms.of(request.partner);
  const verified = await reader.read(request.connector, fields, AbortSignal.timeout(READ_TIMEOUT_MS));
  const identity = verified?.identity ?? null;
  const replace = ({ id }: Connection) => ({ account: { replaces: id, name: null, identity } });
  const sameAccount = accounts.find((account) => isSameAccount(account, verified));
  if (sameAccount !== undefined) return replace(sameAccount);
  const [sole] = accounts.length === 1 ? accounts : [];
  const namedAccount = findAccount(accounts, requestedAccount?.name);
  if (requestedAccount?.mode === 'replace' && namedAccount !== undefined) return replace(namedAccount);
  if (
    requestedAccount?.mode === 'add' &&
    requestedAccount.name !== undefined &&
    namedAccount === undefined &&
    accounts.length < MAX_ACCOUNTS
  ) {
    return { account: { replaces: null, name: requestedAccount.name, identity } };
  }
  if (sole?.status === 'attention' && (identity === null || sole.accountIdentity === null)) return replace(sole);
  return { accounts, verified };
}

/**
 * Chooses the account that an extra is added to: the one of the partner's session, or the sole one.
 *
 * Also returns, as `stored`, the fields of that account that are used with the extra when it is verified. Access tokens are left out,
 * because they may have expired. For a plain link it is empty, because anyone can write one for any user.
 *
 * @returns null if there is no such account, it is not clear which one it is, or its credential does not work or cannot be read.
 */
export async function chooseAccountToExtend(
  visit: ConnectVisit,
  deps: ConnectContext,
): Promise<{ readonly account: AccountToSave; readonly stored: Readonly<Record<string, string>> } | null> {
  const { request, session } = visit;
  const accounts = await accountsOf(request, deps);
  const namedAccount = findAccount(accounts, session?.row.account?.name);
  const chosen = namedAccount ?? (accounts.length === 1 ? accounts[0] : undefined);
  const fields = chosen === undefined ? null : openActiveCredential(chosen, request, deps.vault);
  if (chosen === undefined || fields === null) return null;
  const storedEntries =
    session === null ? [] : Object.entries(fields).filter(([name]) => !name.endsWith('.access_token'));
  const account = { replaces: chosen.id, name: null, identity: chosen.accountIdentity, isAddition: true } as const;
  return { account, stored: Object.fromEntries(storedEntries) };
}

/** Opens the credential of a connection. Returns null if the connection does not work, or the credential cannot be read. */
export function openActiveCredential(
  { id: connectionId, userId, service, status, sealedCredential }: Connection,
  { partner, externalUserId }: { readonly partner: { readonly id: string }; readonly externalUserId: string },
  vault: CredentialVault,
): Record<string, string> | null {
  if (status !== 'active' || sealedCredential === null) return null;
  try {
    return vault.open(sealedCredential, { connectionId, partnerId: partner.id, userId, externalUserId, service });
  } catch (cause) {
    if (cause instanceof CredentialUnreadableError) return null;
    throw cause;
  }
}

/** Returns true if a verified account is that of a connection. A connection from before identities were stored is compared by the account's name. */
function isSameAccount({ account, accountIdentity }: Connection, verified: VerifiedAccount | null): boolean {
  if (verified === null) return false;
  return accountIdentity === null ? account === verified.name : accountIdentity === verified.identity;
}

/** Values of the form's `account`: one more, or the sole one; in a connect session, also the row id of one to replace. */
export const ADD = 'add';
export const SOLE = 'sole';

/** The problem of a choice. `name` means that the typed text cannot be a name, `taken` that another account has the name, or one that looks like it. */
export type ChoiceProblem = 'none' | 'name' | 'taken' | 'full';

/**
 * Reads the person's choice, against the accounts as they are now.
 *
 * The answer to a plain link never says which names are taken: a clash ends with a number after the name when the partner redeems the code.
 */
export function readChoice(
  form: URLSearchParams,
  accounts: readonly Connection[],
  { isPlain, identity }: { readonly isPlain: boolean; readonly identity: string | null },
): AccountToSave | ChoiceProblem {
  const chosen = form.get('account');
  const [sole] = accounts.length === 1 ? accounts : [];
  let replaced: Connection | undefined;
  if (chosen === SOLE) replaced = sole;
  else if (!isPlain) replaced = accounts.find(({ id }) => id === chosen);
  if (replaced !== undefined) return { replaces: replaced.id, name: null, identity };
  if (chosen !== ADD) return 'none';
  const name = readAccountName(form.get('account_name') ?? '');
  if (name === null) return 'name';
  if (accounts.length >= MAX_ACCOUNTS) return 'full';
  if (!isPlain && isNameTaken(accounts, name)) return 'taken';
  return { replaces: null, name, identity };
}
