/** Finds the user that a command's options name. */

import { UsageError } from '../../shared/cli/run.ts';
import type { Store } from '../base/store/index.ts';
import { findPartnerByClientId, listPartners, type Partner } from '../base/store/repositories/partners.ts';
import { findUser, findUsersByExternalId, listUsers, type User } from '../base/store/repositories/users.ts';

const MAX_LISTED = 20;

/** @throws {UsageError} listing the existing partners if there is none with this id. */
export async function findOnePartner(store: Store, clientId: string): Promise<Partner> {
  const partner = await findPartnerByClientId(store.db, clientId);
  if (partner !== undefined) return partner;
  throw new UsageError(`There is no partner "${clientId}". ${await describePartners(store)}`);
}

/** @throws {UsageError} listing the existing users if there is none; also if several partners have such a user. */
export async function findOneUser(
  store: Store,
  { user: name, partner: clientId }: { readonly user: string; readonly partner?: string },
): Promise<User> {
  if (clientId !== undefined) {
    const partner = await findOnePartner(store, clientId);
    const user = await findUser(store.db, { partnerId: partner.id, externalUserId: name });
    if (user !== undefined) return user;
    const knownUsersText = await describeUsers(store, partner.id);
    throw new UsageError(`The partner "${partner.clientId}" has no user "${name}". ${knownUsersText}`);
  }
  const users = await findUsersByExternalId(store.db, name);
  const [user] = users;
  if (user === undefined) throw new UsageError(`There is no user "${name}". ${await describeUsers(store)}`);
  if (users.length > 1) {
    throw new UsageError(`${users.length} partners have a user "${name}". Say which with --partner.`);
  }
  return user;
}

const NEXT_STEPS = {
  partner: 'utg partner add --name <name>',
  user:
    'a partner creates one with its first connection (docs/guides/partners.md). ' +
    '"npm run demo" has a user and a database of its own, and prints a token.',
} as const;

async function describePartners(store: Store): Promise<string> {
  const partners = await listPartners(store.db, MAX_LISTED + 1);
  return describeNames(
    'partner',
    partners.map((partner) => partner.clientId),
  );
}

async function describeUsers(store: Store, partnerId?: string): Promise<string> {
  const users = await listUsers(store.db, { limit: MAX_LISTED + 1, partnerId });
  if (users.length === 0 && partnerId === undefined) {
    const partners = await listPartners(store.db, 1);
    if (partners.length === 0) return describeNames('partner', []);
  }
  return describeNames(
    'user',
    users.map((user) => user.externalUserId),
  );
}

function describeNames(kind: keyof typeof NEXT_STEPS, names: readonly string[]): string {
  if (names.length === 0) return `There is no ${kind} yet: ${NEXT_STEPS[kind]}`;
  const listedNames = [...new Set(names.slice(0, MAX_LISTED))].join(', ');
  return `Known: ${listedNames}${names.length > MAX_LISTED ? ', and more' : ''}.`;
}
