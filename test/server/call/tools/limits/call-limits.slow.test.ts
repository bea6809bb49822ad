import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  addToCallCounts,
  takeFromCallCounts,
} from '../../../../../server/base/store/repositories/limits/call-counts.ts';
import { findUsersByExternalId } from '../../../../../server/base/store/repositories/users.ts';
import { type RunningGateway, startGateway } from '../../../../support/gateway.ts';
import { type Recorder, startRecorder } from '../../../../support/recorder.ts';
import { describePostgres, describeStore } from '../../../base/store/dialects.ts';
import { callTool, LIBRARY } from './support.ts';

describePostgres('two gateways with one database', (given) => {
  let upstream: Recorder;
  let gateways: RunningGateway[];

  beforeEach(async () => {
    upstream = await startRecorder();
    const env = {
      DATABASE_URL: given.url,
      LIBRARY_BASE_URL: upstream.origin,
      CALL_LIMITS: 'tool:library_list 37/day/user, service:library 60/day/partner, destroy 20/day/client',
    };
    const options = { alone: false, connectors: [LIBRARY], secretOf: () => '', env };
    gateways = [await startGateway(options), await startGateway(options)];
  });
  afterEach(async () => {
    for (const gateway of gateways) await gateway.close();
    await upstream.close();
  });

  test('let exactly as many of 100 parallel calls pass as the rules say', async () => {
    const calls = Array.from({ length: 100 }, (_, index) => callTool(gateways[index % 2]!, 'library_list'));
    const errors = (await Promise.all(calls)).map(({ error }) => error?.code ?? 'ok');
    expect(errors.filter((code) => code === 'ok')).toHaveLength(37);
    expect(new Set(errors)).toEqual(new Set(['ok', 'call_limit_reached']));
    expect(upstream.calls()).toHaveLength(37);
    const purges = Array.from({ length: 60 }, (_, index) =>
      callTool(gateways[index % 2]!, 'library_purge', { id: `${index}` }),
    );
    expect((await Promise.all(purges)).filter(({ error }) => error === null)).toHaveLength(20);
    expect(upstream.calls()).toHaveLength(57);
    const rows = await given.store.db.selectFrom('rule_counts').select(['rule', 'calls']).orderBy('rule').execute();
    expect(rows.map(({ rule, calls: count }) => [rule, Number(count)])).toEqual([
      ['destroy day/client', 20],
      ['service:library day/partner', 57],
      ['tool:library_list day/user', 37],
    ]);
  }, 60_000);

  test('give back calls that were never sent, and keep the counts of others', async () => {
    await upstream.close();
    for (let index = 0; index < 12; index += 1) await callTool(gateways[0]!, 'library_list');
    const open = await callTool(gateways[0]!, 'library_list');
    expect(open.error?.code).toBe('upstream_circuit_open');
    const before = await given.store.db.selectFrom('rule_counts').select(['calls']).execute();
    await callTool(gateways[0]!, 'library_list');
    expect(await given.store.db.selectFrom('rule_counts').select(['calls']).execute()).toEqual(before);
  });
});

describeStore('counts of calls', (given) => {
  test('add to all or to none, and go with their user', async () => {
    const upstream = await startRecorder();
    const env = { DATABASE_URL: given.url, LIBRARY_BASE_URL: upstream.origin };
    const gateway = await startGateway({ alone: false, connectors: [LIBRARY], secretOf: () => '', env });
    const { db } = gateway.store;
    const [user] = await findUsersByExternalId(db, 'ada');
    const { id: userId, partnerId } = user!;
    const count = (key: string, limit: number) => ({ key, rule: key, partnerId, userId, endsAt: Date.now(), limit });
    expect(await addToCallCounts(db, [count('b', 1), count('a', 5)])).toBeNull();
    expect(await addToCallCounts(db, [count('b', 1), count('a', 5)])).toBe('b');
    const read = () => db.selectFrom('rule_counts').select(['key', 'calls']).orderBy('key').execute();
    const numbers = async () => (await read()).map(({ key, calls }) => [key, Number(calls)]);
    expect(await numbers()).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    await takeFromCallCounts(db, ['a', 'b']);
    await takeFromCallCounts(db, ['a', 'b']);
    expect(await numbers()).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
    await db.deleteFrom('users').where('id', '=', userId).execute();
    expect(await numbers()).toEqual([]);
    await gateway.close();
    await upstream.close();
  });
});
