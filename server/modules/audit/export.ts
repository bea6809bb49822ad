/** Reads the whole audit trail in chronological order, a page at a time. */

import type { Executor } from '../../base/store/schema.ts';
import type { AuditEventsTable } from './tables.ts';

/** Times in milliseconds since 1970. */
interface ExportFilter {
  /** Inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
}

const PAGE_ROWS = 500;

export async function* readAuditEvents(executor: Executor, filter: ExportFilter): AsyncGenerator<AuditEventsTable> {
  let last: { readonly created_at: number; readonly id: string } | undefined;
  for (;;) {
    let query = executor.selectFrom('audit_events').selectAll();
    if (filter.since !== undefined) query = query.where('created_at', '>=', filter.since);
    if (filter.until !== undefined) query = query.where('created_at', '<', filter.until);
    const behind = last;
    if (behind !== undefined) {
      query = query
        .where('created_at', '>=', behind.created_at)
        .where(({ or, eb }) => or([eb('created_at', '>', behind.created_at), eb('id', '>', behind.id)]));
    }
    const page = await query.orderBy('created_at').orderBy('id').limit(PAGE_ROWS).execute();
    yield* page;
    last = page.at(-1);
    if (page.length < PAGE_ROWS) return;
  }
}
