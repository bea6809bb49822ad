import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPartnerCommand } from '../../scripts/partner/command.ts';
import { createLog } from '../../server/base/http/log.ts';
import { createGateway } from '../../server/gateway.ts';
import { loadConfig } from '../../server/index.ts';
import { createAuditCommand } from '../../server/modules/audit/command.ts';
import { MODULES } from '../../server/modules/index.ts';
import { CONNECTORS, describeConnect, KEYS } from '../server/connect/support.ts';
import { RECORDING } from '../support/listening.ts';
import { runInProcess } from '../support/run-command.ts';

describeConnect('an attacker who rewrites the audit trail in the database', (given) => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'utg-heads-'));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    return rm(folder, { recursive: true });
  });

  async function audit(...args: string[]): Promise<{ code: number; output: string }> {
    vi.stubEnv('DATABASE_URL', given.databaseUrl);
    vi.stubEnv('ENCRYPTION_KEYS', `k1:${KEYS.k1}`);
    const { code, out, err } = await runInProcess((output) => createAuditCommand(MODULES, output), args);
    return { code, output: out + err };
  }

  test('is found by audit verify, which names the first broken event', async () => {
    await given.connected('library', 'ada', { 'credential-0': 'good-key-1' });
    const heads = join(folder, 'heads');
    const intact = await audit('verify', '--heads', heads);
    expect(intact.output).toMatch(/^chain 1 {2}\S+ {2}intact events: \d+ {2}head: \d+ k1\.[\w-]+\n/);
    expect(intact.output).toContain('The audit trail is intact.');
    expect(intact.code).toBe(0);
    const kept = await readFile(heads, 'utf8');

    const second = sql`(select id from audit_events where chain = 1 and chain_seq = 2)`;
    const { id, type } = await given.store.db
      .selectFrom('audit_events')
      .select(['id', 'type'])
      .where('id', '=', second as never)
      .executeTakeFirstOrThrow();
    await sql`update audit_events set address = '192.0.2.66' where id = ${id}`.execute(given.store.db);
    const changed = await audit('verify', '--heads', heads);
    expect([changed.code, changed.output]).toEqual([
      1,
      expect.stringContaining(`BROKEN chain 1: event ${id} (${type}, `),
    ]);

    await sql`delete from audit_events`.execute(given.store.db);
    expect((await audit('verify')).output).toContain('BROKEN chain 1: its newest events are missing: 1 to ');
    expect(await readFile(heads, 'utf8')).toBe(kept);
  });

  test('is found where rows of an earlier time were put back, with lines of the log that left the machine', async () => {
    await given.connected('library', 'ada', { 'credential-0': 'good-key-1' });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const lines: string[] = [];
    const gateway = await createGateway({
      config: loadConfig({
        modules: RECORDING,
        connectors: CONNECTORS,
        env: { DATABASE_URL: given.databaseUrl, ENCRYPTION_KEYS: `k1:${KEYS.k1}` },
      }),
      connectors: CONNECTORS,
      log: createLog({ level: 'info', destination: { write: (line) => lines.push(line) } }),
      alone: false,
    });
    const file = join(folder, 'log');
    const ends = () => lines.filter((line) => line.includes('end of an audit chain'));
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(ends()).not.toEqual([]));
    const earlier = await given.store.db.selectFrom('audit_chains').selectAll().where('number', '=', 1).execute();
    await given.connected('library', 'bob', { 'credential-0': 'good-key-1' });
    await gateway.close();
    expect(ends()).toHaveLength(2);

    await given.store.db.updateTable('audit_chains').set(earlier[0]!).where('number', '=', 1).execute();
    await sql`delete from audit_events where chain_seq > ${earlier[0]!.head_seq}`.execute(given.store.db);
    expect((await audit('verify')).code).toBe(0);
    await writeFile(file, ends().join(''));
    const found = await audit('verify', '--heads', file);
    expect([found.code, found.output]).toEqual([
      1,
      expect.stringMatching(/BROKEN chain 1: it went on to event number/),
    ]);
    await writeFile(file, ends()[0]!);
    expect((await audit('verify', '--heads', file)).code).toBe(0);
  });

  test('cannot keep the trail from being exported as JSON lines', async () => {
    await given.connected('library', 'ada', { 'credential-0': 'good-key-1' });
    const lines = async (...args: string[]) =>
      (await audit('export', ...args)).output
        .trim()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const all = await lines();
    expect(all.map(({ type }) => type)).toContain('connection_activated');
    expect(all[0]).toMatchObject({ time: '2023-11-14T22:13:20.000Z', chain: 1, details: {} });
    expect(await lines('--since', '2023-11-15')).toEqual([]);
    expect(await lines('--until', '2023-11-15')).toEqual(all);
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
