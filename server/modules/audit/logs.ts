/** Sends committed events of the audit trail as log records, off the request path. */

import type { SendLog } from '../../base/log-record.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { Core } from '../../module.ts';
import { ocsfClassOf } from './ocsf.ts';
import { listenToAuditEvents } from './record.ts';
import type { AuditEvent } from './tables.ts';

/** Events that wait at most. Later ones are not sent. */
const MAX_WAITING = 10_000;
const EVENTS_PER_READ = 500;
const INTERVAL_MS = 1_000;
/** Reads without finding an event, after which its transaction counts as rolled back. */
const MAX_READS = 120;

interface Waiting {
  /** The event in one sentence. */
  readonly text: string;
  reads: number;
}

/** The sender of a gateway. It does nothing before `start`. */
interface AuditLogs {
  readonly start: (send: SendLog) => void;
  /** Events that were not sent, because too many waited. */
  readonly lost: number;
  close(): Promise<void>;
}

/**
 * Creates the sender. An event is announced inside its transaction, which may be rolled back. So its row is read afterwards, and only what the
 * trail holds is sent. The announcements of a process that crashes are lost.
 */
export function createAuditLogs({ store: { db }, log }: Core): AuditLogs {
  const waiting = new Map<string, Waiting>();
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let send: SendLog | null = null;
  let sending: Promise<void> | null = null;

  const flush = (): Promise<void> => {
    sending ??= sendCommitted(db, waiting, send)
      .catch((error) => log.warn({ err: error }, 'audit events could not be read for log records'))
      .finally(() => {
        sending = null;
      });
    return sending;
  };
  return {
    start(sendLog) {
      send = sendLog;
      timer = setInterval(flush, INTERVAL_MS).unref();
      listenToAuditEvents(db, (id, text) => {
        if (waiting.size < MAX_WAITING) waiting.set(id, { text, reads: 0 });
        else lost += 1;
      });
    },
    get lost() {
      return lost;
    },
    async close() {
      clearInterval(timer);
      await sending;
      await flush();
    },
  };
}

async function sendCommitted(db: Executor, waiting: Map<string, Waiting>, send: SendLog | null): Promise<void> {
  if (send === null) return;
  const ids = [...waiting.keys()];
  for (let from = 0; from < ids.length; from += EVENTS_PER_READ) {
    const some = ids.slice(from, from + EVENTS_PER_READ);
    const rows = await db.selectFrom('audit_events').selectAll().where('id', 'in', some).orderBy('id').execute();
    for (const row of rows) {
      const text = waiting.get(row.id)?.text;
      waiting.delete(row.id);
      if (text !== undefined) send(toLogRecord(row, text));
    }
    for (const id of some) {
      const entry = waiting.get(id);
      if (entry === undefined) continue;
      entry.reads += 1;
      if (entry.reads >= MAX_READS) waiting.delete(id);
    }
  }
}

/** Attributes have the names of OpenTelemetry's conventions where there are some. */
function toLogRecord(event: AuditEvent, text: string): Parameters<SendLog>[0] {
  const { class_uid, activity_id, severity_id, status_id } = ocsfClassOf(event.type);
  const optional = {
    'user.id': event.user_id,
    'client.address': event.address,
    'gateway.partner.id': event.partner_id,
    'gateway.client.id': event.client_id,
    'gateway.grant.id': event.grant_id,
    'gateway.request.id': event.request_id,
  };
  const known = Object.entries(optional).filter((entry): entry is [string, string] => entry[1] !== null);
  return {
    name: `gateway.audit.${event.type}`,
    at: event.created_at,
    severity: status_id === 2 ? 'warning' : 'info',
    text,
    attributes: {
      ...Object.fromEntries(known),
      'gateway.audit.id': event.id,
      'gateway.audit.details': event.details,
      'ocsf.class_uid': class_uid,
      'ocsf.activity_id': activity_id,
      'ocsf.type_uid': class_uid * 100 + activity_id,
      'ocsf.severity_id': severity_id,
      'ocsf.status_id': status_id,
    },
  };
}
