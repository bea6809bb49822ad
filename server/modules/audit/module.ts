/** The audit trail: who did what, from where, in signed chains. */

import { hostname } from 'node:os';
import { setting } from '../../config/setting.ts';
import { wholeNumber } from '../../config/values.ts';
import { type Core, defineModule, KeysMissingError } from '../../module.ts';
import { countAnonymousEvent } from './anonymous-events.ts';
import { REGISTER, recordEvents, signAuditEvents } from './append.ts';
import { keepAuditKeys, loadAuditKeys } from './keys.ts';
import { removeAuditEvents } from './retention.ts';
import { AUDIT_TABLES } from './tables.ts';

const DAY_MS = 86_400_000;
const HEADS_INTERVAL_MS = 60_000;
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
  tables: AUDIT_TABLES,
  listen: recordEvents,
  countAnonymous: countAnonymousEvent,
  retention: ({ anonymousEventRetentionDays }) => [
    {
      table: 'audit_events',
      key: 'id',
      column: 'created_at',
      keepMs: 365 * DAY_MS,
      remove: removeAuditEvents,
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
  async open(core) {
    const { auditParts } = await import('./dashboard.ts');
    return { dashboard: auditParts(core.store.db), close: startLoggingHeads(core) };
  },
});

/** Logs the end of each chain that moved, for `utg audit verify --heads`: a line that has left the machine cannot be taken back. */
function startLoggingHeads({ store: { db }, log }: Core): () => Promise<void> {
  const logged = new Map<number, string>();
  let logging = Promise.resolve();
  const logMoved = async () => {
    const heads = await db
      .selectFrom('audit_chains')
      .select(['number as chain', 'head_seq as seq', 'head_mac as mac'])
      .where('number', '>', REGISTER)
      .orderBy('number')
      .execute();
    for (const head of heads) {
      if (logged.get(head.chain) === head.mac) continue;
      log.info(head, 'end of an audit chain');
      logged.set(head.chain, head.mac);
    }
  };
  const logAgain = () => {
    logging = logging.then(logMoved).catch((error) => log.warn({ err: error }, 'the audit chains could not be read'));
    return logging;
  };
  const timer = setInterval(logAgain, HEADS_INTERVAL_MS).unref();
  return () => {
    clearInterval(timer);
    return logAgain();
  };
}
