/** The audit trail: who did what, from where, in signed chains. */

import { hostname } from 'node:os';
import { defineModule, KeysMissingError } from '../../module.ts';
import { recordEvents, signAuditEvents } from './append.ts';
import { keepAuditKeys, loadAuditKeys } from './keys.ts';
import { removeAuditEvents } from './retention.ts';

const DAY_MS = 86_400_000;
const LOST_KEY =
  'events of the audit trail were signed with a key that ENCRYPTION_KEYS does not hold: they cannot be verified without it';
const OTHER_KEYS =
  'This would be recorded in the audit trail, which the gateway signs with keys that are not here. ' +
  'Set ENCRYPTION_KEYS as the gateway has it.';

export const audit = defineModule({
  name: 'audit',
  summary: 'Records security events in signed chains, where a change or a removal shows.',
  commands: {
    'Run the gateway': {
      audit: {
        summary: 'verify and export the audit trail',
        after: 'keys',
        load: async (modules) => (await import('./command.ts')).createAuditCommand(modules),
      },
    },
  },
  listen: recordEvents,
  retention: [
    {
      table: 'audit_events',
      key: 'id',
      column: 'created_at',
      keepMs: 365 * DAY_MS,
      remove: removeAuditEvents,
      why: 'anyone who looks into an incident may ask about the year before it',
    },
  ],
  checks: async (context) => (await import('./checks.ts')).checksOfAudit(context),
  async prepare({ db, findKeys, log }) {
    const known = await db.selectFrom('audit_keys').select('id').limit(1).executeTakeFirst();
    const keys = findKeys({ isNew: known === undefined });
    const loaded = keys === null ? null : await loadAuditKeys(db, keys);
    if (keys === null || loaded === null || (log === null && loaded.isForeign)) {
      return signAuditEvents(db, { keys: new KeysMissingError(OTHER_KEYS), node: hostname() });
    }
    if (log !== null && loaded.lost.length > 0) log.error({ keyIds: loaded.lost }, LOST_KEY);
    await keepAuditKeys(db, keys);
    signAuditEvents(db, { keys: loaded.keys, node: hostname() });
  },
});
