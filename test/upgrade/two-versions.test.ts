import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listMigrations } from '../../server/base/store/migrate.ts';
import { namedMigrations } from '../../server/base/store/tables/table-set.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { describePostgres, emptyDatabase } from '../server/base/store/dialects.ts';
import { startUpstream, UPSTREAM_SECRET, type Upstream } from '../support/called-gateway.ts';
import { skipBecause } from '../support/fuller-checks.ts';
import { type GatewayProcesses, startGatewayProcesses } from '../support/gateway-processes.ts';
import { TABLE_SETS } from '../support/listening.ts';
import { runScript } from '../support/run-script.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Load, type Seeded, startLoad } from './load.ts';
import {
  buildNextVersion,
  checkOutPreviousVersion,
  findPreviousVersion,
  NEXT_MIGRATION,
  PRESENT,
  type Version,
} from './versions.ts';

const PATIENCE_MS = 120_000;
const ROUNDS = 3;
const SLOW_MACHINE = /Connection terminated due to connection timeout/;

const OURS = Object.keys(namedMigrations(TABLE_SETS));

const hasHistory = (await findPreviousVersion()) !== null;
if (!hasHistory) skipBecause('an upgrade from the version before: this clone has no history (git fetch --unshallow)');

describePostgres('two versions on one database', (given) => {
  let upstream: Upstream;
  let balancer: Balancer;
  let load: Load | undefined;
  const running: GatewayProcesses[] = [];
  const versions: Version[] = [];

  beforeEach(async () => {
    upstream = await startUpstream();
    balancer = await startBalancer();
    await emptyDatabase(given);
  });
  afterEach(async () => {
    await load?.stop();
    await Promise.all(running.splice(0).map((node) => node.stop()));
    await balancer.close();
    await upstream.close();
    await Promise.all(versions.splice(0).map((version) => version.remove()));
  }, PATIENCE_MS);

  const keep = (version: Version): Version => {
    versions.push(version);
    return version;
  };

  async function start({ root }: Version): Promise<GatewayProcesses> {
    const plenty = { TOOL_CALLS_PER_MINUTE: '100000', REGISTRATIONS_PER_MINUTE: '100000', REFRESH_HOLD_MS: '50' };
    const env = { ...upstream.environment, ...plenty, PUBLIC_URL: balancer.origin };
    const node = await startGatewayProcesses({ count: 1, databaseUrl: given.url, env, root });
    running.push(node);
    return node;
  }

  async function stop(node: GatewayProcesses): Promise<void> {
    expect(await node.stop()).toEqual([0]);
    expect(
      node
        .log()
        .split('\n')
        .filter((line) => /"level":"(error|fatal)"/.test(line) && !SLOW_MACHINE.test(line)),
    ).toEqual([]);
    running.splice(running.indexOf(node), 1);
  }

  async function seed({ root }: Version): Promise<Seeded> {
    const args = [root, given.url, balancer.origin + MCP_PATH, UPSTREAM_SECRET];
    const script = runScript(join(root, 'test/upgrade/seed-process.ts'), args);
    expect([await script.ended(), script.output()]).toEqual([0, expect.stringMatching(/^\{.*\}$/)]);
    return JSON.parse(script.output()) as Seeded;
  }

  /** Resolves after every action has happened a few more times. */
  async function letPass({ done, failures }: Load): Promise<void> {
    const goals = Object.entries(done).map(([name, count]) => [name, count + ROUNDS] as const);
    const isDone = () => failures.length > 0 || goals.every(([name, goal]) => done[name as keyof typeof done] >= goal);
    await expect.poll(isDone, { timeout: PATIENCE_MS, interval: 50 }).toBe(true);
    expect(failures).toEqual([]);
  }

  async function expectNothingLost({ done, clients }: Load): Promise<void> {
    const { db } = given.store;
    const calls = await db.selectFrom('call_records').select('outcome').execute();
    expect(calls.length).toBe(done.calls);
    const allowed = await db.selectFrom('oauth_grants').select('client_id').where('revoked_at', 'is', null).execute();
    expect(allowed.map(({ client_id: id }) => id).toSorted()).toEqual(clients.toSorted());
    const used = await db.selectFrom('refresh_tokens').select('id').where('used_at', 'is not', null).execute();
    expect(used.length).toBe(done.refreshes);
  }

  async function upgrade(older: Version, newer: Version): Promise<{ load: Load; last: GatewayProcesses }> {
    const before = await start(older);
    const seeded = await seed(older);
    await balancer.use(before.origins);
    load = startLoad(balancer.origin, seeded);
    await letPass(load);

    const after = await start(newer);
    await balancer.use([...before.origins, ...after.origins]);
    await letPass(load);

    await balancer.use(after.origins);
    await stop(before);
    await letPass(load);
    return { load, last: after };
  }

  test.skipIf(!hasHistory)(
    'the version before the newest migration is replaced under load, and nothing is lost',
    { timeout: 3 * PATIENCE_MS },
    async () => {
      const older = keep(await checkOutPreviousVersion());
      const { load, last } = await upgrade(older, PRESENT);
      expect(await listMigrations(given.store.db)).toEqual(expect.arrayContaining(OURS));
      await load.stop();
      await stop(last);
      await expectNothingLost(load);
    },
  );

  test('a next version replaces this one under load, and this one replaces it again', {
    timeout: 3 * PATIENCE_MS,
  }, async () => {
    const { load, last } = await upgrade(PRESENT, keep(await buildNextVersion()));
    expect(await listMigrations(given.store.db)).toEqual([...OURS, NEXT_MIGRATION].toSorted());

    const again = await start(PRESENT);
    await balancer.use([...last.origins, ...again.origins]);
    await letPass(load);
    await balancer.use(again.origins);
    await stop(last);
    await letPass(load);
    await load.stop();
    await stop(again);
    await expectNothingLost(load);
  });
});
