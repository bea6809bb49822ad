import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { createPartnerCommand } from '../../scripts/partner/command.ts';
import { createAuditCommand } from '../../server/modules/audit/command.ts';
import { loadAuditKeys } from '../../server/modules/audit/keys.ts';
import { readAuditEvents } from '../../server/modules/audit/read.ts';
import { signEvent } from '../../server/modules/audit/signing.ts';
import { MODULES } from '../../server/modules/index.ts';
import { describeConnect, KEYS } from '../server/connect/support.ts';
import { keyBytes } from '../support/keys.ts';
import { runInProcess } from '../support/run-command.ts';

describeConnect('an attacker who rewrites the audit trail in the database', (given) => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  async function audit(...args: string[]): Promise<{ code: number; output: string }> {
    vi.stubEnv('DATABASE_URL', given.databaseUrl);
    vi.stubEnv('ENCRYPTION_KEYS', `k1:${KEYS.k1}`);
    const { code, out, err } = await runInProcess((output) => createAuditCommand(MODULES, output), args);
    return { code, output: out + err };
  }

  async function exportLines(...args: string[]): Promise<string[]> {
    const { output } = await audit('export', ...args);
    return output.split('\n').filter((line) => line !== '');
  }

  const COLUMNS = sql.raw(
    'created_at, type, partner_id, user_id, client_id, grant_id, address, request_id, details, mac',
  );

  test.each([
    ['changes an event', sql`update audit_events set address = '192.0.2.66' where type = 'connection_activated'`],
    [
      'invents an event',
      sql`insert into audit_events (id, created_at, type, details) values ('x', 1, 'grant_revoked', '{}')`,
    ],
    [
      'copies an event under another id',
      sql`insert into audit_events (id, ${COLUMNS})
          select 'x', ${COLUMNS} from audit_events where type = 'connection_activated'`,
    ],
    [
      'moves an event to another partner',
      sql`update audit_events set partner_id = 'x' where type = 'connection_activated'`,
    ],
    ['moves an event to another time', sql`update audit_events set created_at = 1 where type = 'connection_activated'`],
  ])('who %s is found by audit verify, which names the event', async (_, statement) => {
    await given.connected('library', 'ada', { 'credential-0': 'good-key-1' });
    const untouched = await audit('verify');
    expect([untouched.code, untouched.output]).toEqual([0, expect.stringContaining('None was changed or invented.')]);
    const before = await exportLines();
    await statement.execute(given.store.db);
    const { code, output } = await audit('verify');
    const broken = output.split('\n').filter((line) => line.startsWith('BROKEN'));
    const changed = (await exportLines()).filter((line) => !before.includes(line)).map((line) => JSON.parse(line));
    expect(changed).toHaveLength(1);
    const [{ id, type, time }] = changed;
    expect([code, broken]).toEqual([
      1,
      [`BROKEN event ${id} (${type}, ${time}) was changed, or no gateway recorded it.`],
    ]);
  });

  test('cannot sign an event with a key of their own', async () => {
    await given.connected('library', 'ada', { 'credential-0': 'good-key-1' });
    const { db } = given.store;
    for (const id of ['k1', 'k9']) {
      const { keys } = await loadAuditKeys(db, [{ id, key: keyBytes(66) }]);
      for await (const { mac: _, ...event } of readAuditEvents(db)) {
        await db
          .updateTable('audit_events')
          .set({ mac: signEvent(keys, event) })
          .where('id', '=', event.id)
          .execute();
      }
      const { code, output } = await audit('verify');
      expect([code, output]).toEqual([1, expect.stringContaining('Events as a gateway recorded them: 0\n')]);
    }
  });

  test('can remove events, which only a copy shows that is kept elsewhere', async () => {
    await given.connected('library', 'ada', { 'credential-0': 'good-key-1' });
    const kept = await exportLines();
    await sql`delete from audit_events where type = 'connection_activated'`.execute(given.store.db);
    expect((await audit('verify')).code).toBe(0);
    const now = await exportLines();
    const gone = kept.filter((line) => !now.includes(line)).map((line) => JSON.parse(line).type);
    expect(gone).toEqual(['connection_activated']);
  });

  test('cannot keep the trail from being exported as JSON lines', async () => {
    await given.connected('library', 'ada', { 'credential-0': 'good-key-1' });
    const all = await exportLines();
    const events = all.map((line) => JSON.parse(line));
    expect(events.find(({ type }) => type === 'connection_activated')).toEqual({
      time: '2023-11-14T22:13:20.000Z',
      id: expect.any(String),
      type: 'connection_activated',
      partner_id: expect.any(String),
      user_id: expect.any(String),
      client_id: null,
      grant_id: expect.any(String),
      address: '127.0.0.1',
      request_id: expect.any(String),
      details: { connectionId: expect.any(String), service: 'library' },
      mac: expect.stringMatching(/^k1\.[\w-]{43}$/),
    });
    expect(await exportLines('--since', '2023-11-15')).toEqual([]);
    expect(await exportLines('--until', '2023-11-15')).toEqual(all);
    await sql`update audit_events set created_at = 9007199254740991, details = 'no JSON'`.execute(given.store.db);
    expect((await exportLines()).map((line) => JSON.parse(line))).toEqual(
      events.map(({ id }) => expect.objectContaining({ id, time: '9007199254740991', details: 'no JSON' })),
    );
    const wrong = await audit('export', '--since', 'yesterday');
    expect([wrong.code, wrong.output]).toEqual([2, expect.stringContaining('Use a date, or a time with a time zone.')]);
  });

  test('cannot continue the trail by a command with other keys', async () => {
    await audit('verify');
    vi.stubEnv('ENCRYPTION_KEYS', `k1:${KEYS.k2}`);
    const { code, err } = await runInProcess(createPartnerCommand, ['add', '--name', 'Other']);
    expect([code, err]).toEqual([1, expect.stringContaining('Set ENCRYPTION_KEYS as the gateway has it.')]);
    expect((await audit('verify')).code).toBe(0);
  });
});
