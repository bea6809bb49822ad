/** Short names of a user's accounts of one service: what a name may be, and how an account is found by it. */

import { looksLike } from '../../look-alikes.ts';

export const MAX_ACCOUNT_NAME_LENGTH = 30;

/** It stands in the schema of tools, and in sentences. */
export const ACCOUNT_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} _-]{0,28}[\p{L}\p{N}])?$/u;

/** For people and partners who chose another name. */
export const ACCOUNT_NAME_RULE =
  'A name has 1 to 30 letters, digits, spaces, hyphens and underscores, and begins and ends with a letter or digit.';

interface NamedAccount {
  /** Null if the user has had only this account of the service. */
  readonly accountName: string | null;
}

/** Returns the name as it is stored, or null if the text cannot be a name. */
export function readAccountName(text: string): string | null {
  const name = text.normalize('NFC').trim().replaceAll(/ +/g, ' ');
  return ACCOUNT_NAME.test(name) ? name : null;
}

/** The account of that name, in any case of its letters. Without a name, the only account. */
export function findAccount<Account extends NamedAccount>(
  accounts: readonly Account[],
  name: string | undefined,
): Account | undefined {
  if (name === undefined) return accounts.length === 1 ? accounts[0] : undefined;
  return accounts.find(({ accountName }) => accountName?.toLowerCase() === name.toLowerCase());
}

/** Returns true if an account has the name, or one that looks like it. */
export function isNameTaken(accounts: readonly NamedAccount[], name: string): boolean {
  return accounts.some(({ accountName }) => accountName !== null && looksLike(accountName, name));
}

/** Names the accounts, for someone who named none of them. */
export function describeAccounts(accounts: readonly NamedAccount[]): string {
  const names = accounts.flatMap(({ accountName }) => accountName ?? []);
  if (names.length > 0) return `Accounts: ${names.join(', ')}.`;
  return accounts.length === 0 ? 'It is not connected.' : 'There is one, which has no name: leave it out.';
}

/** The name itself, or with the first number after it for which the name is not taken. */
export function freeAccountName(name: string, accounts: readonly NamedAccount[]): string {
  const [, stem = name] = /^(.*?)(?:-\d+)?$/.exec(name) ?? [];
  let candidate = name;
  for (let number = 2; isNameTaken(accounts, candidate); number += 1) {
    candidate = `${stem.slice(0, MAX_ACCOUNT_NAME_LENGTH - 3).trimEnd()}-${number}`;
  }
  return candidate;
}

/**
 * Names the accounts of one service for a member of teams: the own ones keep their names, and a shared one has that of its team, with a
 * number after it if another account has that name.
 *
 * @param own names of the user's own accounts, in their order; null for an only account without a name. @param teams names of the teams, the
 * oldest share first.
 */
export function nameAccountsOfMember(
  own: readonly (string | null)[],
  teams: readonly string[],
): { readonly own: readonly string[]; readonly shared: readonly string[] } {
  const named = own.map((accountName, index) => ({ accountName: accountName ?? `account-${index + 1}` }));
  const ownNames = named.map(({ accountName }) => accountName);
  const shared = teams.map((team) => {
    const accountName = freeAccountName(team, named);
    named.push({ accountName });
    return accountName;
  });
  return { own: ownNames, shared };
}
