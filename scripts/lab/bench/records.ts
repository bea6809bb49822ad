/** Measures what call records cost on SQLite: CPU time and bytes on disk. */

import path from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { toCallsPath } from '../../../server/base/store/call-file.ts';
import { openStore } from '../../../server/base/store/index.ts';
import { newId } from '../../../server/base/store/rows.ts';

const DAYS_MS = 30 * 86_400_000;
const USERS = 2000;
const TOOLS = 68;

/** The cost of one record, with its share of the indexes. */
interface RecordCost {
  /** Of all threads of the process. */
  readonly cpuMicroseconds: number;
  readonly bytes: number;
}

/** Writes records of 30 days, of 2,000 users with a grant each, in batches. @param folder for the files. */
export async function measureRecords(folder: string, count: number, batchSize: number): Promise<RecordCost> {
  const file = path.join(folder, `records-${batchSize}.sqlite`);
  const store = await openStore({ url: `sqlite:${file}` });
  const startsAt = Date.now() - DAYS_MS;
  const users = Array.from({ length: USERS }, () => ({ userId: newId(startsAt), grantId: newId(startsAt) }));
  const toRecord = (index: number) => {
    const createdAt = Math.floor(startsAt + (DAYS_MS * index) / count);
    // The step has no factor in common with the number of users, so that they call in turn, but not in the order of their ids.
    const user = users[(index * 787) % USERS] ?? { userId: '', grantId: '' };
    return {
      ...user,
      createdAt,
      partnerId: users[0]?.userId ?? '',
      tokenId: user.grantId,
      service: 'retrieval',
      tool: `retrieval_list_of_things_${index % TOOLS}`,
      outcome: 'ok',
      upstreamCode: null,
      upstreamStatus: 200,
      durationMs: 45 + (index % 60),
      requestBytes: 120,
      responseBytes: 1200 + (index % 3000),
      requestId: newId(createdAt),
      definition: '0123456789abcdef',
    };
  };
  let microseconds = 0;
  for (let written = 0; written < count; written += batchSize) {
    const records = Array.from({ length: Math.min(batchSize, count - written) }, (_, index) =>
      toRecord(written + index),
    );
    const before = process.cpuUsage();
    await store.insertCallRecords(records);
    const { user, system } = process.cpuUsage(before);
    microseconds += user + system;
  }
  await store.close();
  const database = new SqliteDatabase(toCallsPath(file), { readonly: true });
  const pages = database.prepare<[], number>("select sum(pgsize) from dbstat where name not like 'call_tallies%'");
  const bytes = pages.pluck().get() ?? Number.NaN;
  database.close();
  return { cpuMicroseconds: microseconds / count, bytes: bytes / count };
}
