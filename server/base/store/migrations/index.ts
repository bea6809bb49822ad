/**
 * The tables of the core, and their migrations in order. A released migration is never changed; a new one is added instead.
 *
 * A migration only adds what a gateway of the previous version can ignore, because that gateway keeps serving
 * meanwhile, and may be started again. Removals follow two versions later, when nothing uses the data any more, in a
 * migration called `NNNN-contract-after-MMMM-<what>`: from then on, gateways that do not know migration MMMM refuse to
 * start. The same holds for the migrations of modules.
 *
 * On SQLite, `call_records` and `call_tallies` are in a file of their own: see `../call-file.ts`.
 */

import { baseline } from './0033-baseline.ts';
import { storeKeys } from './0034-store-keys.ts';
import { approvals } from './0035-approvals.ts';
import { accounts } from './0036-accounts.ts';
import { accountIdentity } from './0037-account-identity.ts';
import { standingApprovals } from './0038-standing-approvals.ts';
import { testPartners } from './0039-test-partners.ts';
import { partnerFooter } from './0040-partner-footer.ts';
import { userPrefixes } from './0041-user-prefixes.ts';
import { openConsents } from './0042-open-consents.ts';
import type { TableSet } from './table-set.ts';

export const CORE_TABLES: TableSet = {
  owner: 'core',
  tables: [
    'partners',
    'partner_secrets',
    'users',
    'connections',
    'connection_refreshes',
    'upstream_clients',
    'upstream_slots',
    'upstream_rates',
    'oauth_clients',
    'oauth_grants',
    'tool_facts',
    'oauth_codes',
    'access_tokens',
    'refresh_tokens',
    'single_use_codes',
    'connect_sessions',
    'connection_attempts',
    'attempt_counters',
    'rate_limits',
    'call_records',
    'call_tallies',
    'calls_made_once',
    'approvals',
    'store_keys',
    'switches',
  ],
  migrations: {
    '0033-baseline': baseline,
    '0034-store-keys': storeKeys,
    '0035-approvals': approvals,
    '0036-accounts': accounts,
    '0037-account-identity': accountIdentity,
    '0038-standing-approvals': standingApprovals,
    '0039-test-partners': testPartners,
    '0040-partner-footer': partnerFooter,
    '0041-user-prefixes': userPrefixes,
    '0042-open-consents': openConsents,
  },
};
