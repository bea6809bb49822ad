/** Another process for the store's tests: opens the database of its first argument and runs the task of its second. */

import { createInterface } from 'node:readline/promises';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { consumeSingleUseCode } from '../../../../server/base/store/repositories/single-use-codes.ts';
import { createCallRecorder } from '../../../../server/call/tools/call-records.ts';
import { openListeningStore } from '../../../support/listening.ts';

const [url = '', task = '', detail = ''] = process.argv.slice(2);
const store = await openListeningStore({ url });

async function transact(name: string, rounds: number): Promise<number> {
  for (let round = 0; round < rounds; round += 1) {
    await store.db.transaction().execute(async (transaction) => {
      await transaction.selectFrom('partners').select('id').execute();
      await insertPartner(transaction, { clientId: `${name}-${round}`, name, now: round });
    });
  }
  return rounds;
}

async function consume(codeHash: string): Promise<number> {
  const tries = Array.from({ length: 50 }, () => consumeSingleUseCode(store.db, { codeHash, purpose: 'test', now: 1 }));
  return (await Promise.all(tries)).filter((code) => code !== undefined).length;
}

async function revoke(): Promise<number> {
  let revoked = 0;
  for await (const tokenHash of createInterface({ input: process.stdin })) {
    await store.db.updateTable('access_tokens').set({ revoked_at: 1 }).where('token_hash', '=', tokenHash).execute();
    process.stdout.write(`${tokenHash}\n`);
    revoked += 1;
  }
  return revoked;
}

/** Records calls as a gateway does, and as many again for each line of its input, until it is killed. */
async function record(count: number): Promise<number> {
  const recorder = createCallRecorder({ write: store.insertCallRecords, onProblem: () => {} });
  const call = {
    ...{ partnerId: 'p', userId: 'u', tokenId: 't', service: 's', tool: 't', outcome: 'ok', upstreamCode: null },
    ...{ upstreamStatus: 200, durationMs: 1, requestBytes: 1, responseBytes: 1, requestId: 'r' },
  };
  const recordAll = () => {
    for (let index = 0; index < count; index += 1) recorder.record({ ...call, createdAt: Date.now() });
    process.stdout.write('recorded\n');
  };
  recordAll();
  for await (const _ of process.stdin) recordAll();
  return count;
}

const TASKS: Record<string, () => Promise<number>> = {
  open: async () => 1,
  transact: () => transact(detail, 100),
  consume: () => consume(detail),
  revoke,
  record: () => record(Number(detail)),
};

const result = await TASKS[task]!();
await store.close();
process.stdout.write(String(result));
