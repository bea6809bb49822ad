/** The audit trail: who did what, from where, in signed events. */

import { setting } from '../../config/setting.ts';
import { wholeNumber } from '../../config/values.ts';
import { type Core, defineModule, KeysMissingError } from '../../module.ts';
import { countAnonymousEvent } from './anonymous-events.ts';
import { signChainedEvents } from './chained-events.ts';
import { keepAuditKeys, loadAuditKeys } from './keys.ts';
import { createAuditLogs } from './logs.ts';
import { auditKeysOf, recordEvents, signAuditEvents } from './record.ts';
import { AUDIT_TABLES } from './tables.ts';

const DAY_MS = 86_400_000;
const LOST_KEY =
  'events of the audit trail were signed with a key that ENCRYPTION_KEYS does not hold: they cannot be verified without it';
const OTHER_KEYS =
  'This would be recorded in the audit trail, which the gateway signs with keys that are not here. ' +
  'Set ENCRYPTION_KEYS as the gateway has it.';

export const audit = defineModule({
  name: 'audit',
  summary: 'Records security events, each with a signature that shows a change.',
  commands: {
    'Run the gateway': {
      audit: {
        summary: 'verify and export the audit trail',
        after: 'keys',
        load: async (modules) => (await import('./command.ts')).createAuditCommand(modules),
      },
    },
  },
  settings: {
    anonymousEventRetentionDays: setting({
      variable: 'ANONYMOUS_EVENT_RETENTION_DAYS',
      group: 'Records and logs',
      read: wholeNumber(1, 365),
      default: 7,
      meaning: 'Days after which counts of events by callers without credentials are removed.',
      example: '30',
    }),
  },
  storage: {
    tables: AUDIT_TABLES,
    retention: ({ anonymousEventRetentionDays }) => [
      {
        table: 'audit_events',
        key: 'id',
        column: 'created_at',
        keepMs: 365 * DAY_MS,
        why: 'anyone who looks into an incident may ask about the year before it',
      },
      {
        table: 'anonymous_events',
        key: 'key',
        column: 'created_at',
        keepMs: anonymousEventRetentionDays * DAY_MS,
        why: 'set by ANONYMOUS_EVENT_RETENTION_DAYS',
      },
    ],
  },
  checks: async (context) => (await import('./checks.ts')).checksOfAudit(context),
  events: {
    onEvents: recordEvents,
    countAnonymous: countAnonymousEvent,
    async prepare({ db, findKeys, log }) {
      const storedKey = await db.selectFrom('audit_keys').select('id').limit(1).executeTakeFirst();
      const keys = findKeys({ isNew: storedKey === undefined });
      const loaded = keys === null ? null : await loadAuditKeys(db, keys);
      if (keys === null || loaded === null || (log === null && loaded.isForeign)) {
        return signAuditEvents(db, new KeysMissingError(OTHER_KEYS));
      }
      if (log !== null && loaded.lost.length > 0) log.error({ keyIds: loaded.lost }, LOST_KEY);
      await keepAuditKeys(db, keys);
      signAuditEvents(db, loaded.keys);
    },
  },
  async open(core) {
    const { auditParts } = await import('./dashboard.ts');
    const stopSigning = startSigningChainedEvents(core);
    const logs = createAuditLogs(core);
    return {
      dashboard: auditParts(core.store.db),
      onLogs: logs.start,
      metrics: [
        {
          name: 'gateway.audit.unsent_logs',
          description: 'Events of the audit trail that were not queued as log records, because too many waited.',
          kind: 'counter',
          read: () => logs.lost,
        },
      ],
      async close() {
        await Promise.all([stopSigning(), logs.close()]);
      },
    };
  },
});

/** Signs events of earlier versions while the gateway serves. @returns a function that stops it. */
function startSigningChainedEvents({ store: { db }, log }: Core): () => Promise<void> {
  const stopping = new AbortController();
  const sign = async () => {
    const keys = auditKeysOf(db);
    const events = keys === undefined ? 0 : await signChainedEvents(db, keys, stopping.signal);
    if (events > 0) log.info({ events }, 'audit events of an earlier version were verified and signed again');
  };
  const signing = sign().catch((error) => log.warn({ err: error }, 'audit events of earlier versions were not signed'));
  return () => {
    stopping.abort();
    return signing;
  };
}
