/** Shared by the subcommands that work on one partner. */

import type { Command } from 'commander';
import type { Store } from '../../server/base/store/index.ts';
import { findPartnerByClientId, type Partner } from '../../server/base/store/repositories/partners.ts';
import { requireOption } from '../../shared/cli/command.ts';
import { UsageError } from '../../shared/cli/run.ts';

/** Names the partner. */
export interface PartnerOption {
  readonly clientId: string;
}

export function requirePartner(command: Command): Command {
  return requireOption(command, '--client-id <id>', 'which partner; "list" prints every one');
}

/** @throws {UsageError} if there is none. */
export async function findNamedPartner(store: Store, { clientId }: PartnerOption): Promise<Partner> {
  const partner = await findPartnerByClientId(store.db, clientId);
  if (partner === undefined) throw new UsageError(`There is no partner "${clientId}". "list" prints every one.`);
  return partner;
}
