/** PostgreSQL refuses writes, as a server does that is being replaced; then its standby takes over. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import type { Violation } from './ledger/judge.ts';
import type { Stage } from './stage/index.ts';

const LASTING_MS = 5_000;
const UNAVAILABLE = 503;
const REGISTRATION = 'POST /api/mcp/oauth/register';

export const FAILOVER: Fault = {
  name: 'failover',
  title: 'PostgreSQL read-only, then replaced by its standby',
  store: 'standby',
  needs: ['postgres'],
  async strike(stage, { problems }) {
    const { postgres, standby, relay } = stage;
    if (postgres === null || standby === undefined) throw new Error('There is no standby.');
    await postgres.ask('alter system set default_transaction_read_only = on');
    await postgres.ask('select pg_reload_conf()');
    await delay(LASTING_MS);
    problems.push(...(await checkReadiness(stage, UNAVAILABLE)));
    return async () => {
      await standby.ask('select pg_promote()');
      relay?.move(standby.port);
      // Reads of a server that was replaced would be out of date.
      await postgres.stop('immediate');
    };
  },
  async check(stage, _, exchanges) {
    const refused = exchanges.filter(({ name, status }) => name === REGISTRATION && status === UNAVAILABLE);
    const unready = await checkReadiness(stage, 200);
    return refused.length > 0 ? unready : [...unready, { check: 'ready', text: 'no write was refused' }];
  },
};

/** @param expected status of every node's `/readyz`. */
async function checkReadiness({ nodes }: Stage, expected: number): Promise<Violation[]> {
  const ask = (port: number) => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status);
  const statuses = await Promise.all(nodes.map(({ port }) => ask(port).catch(() => null)));
  const isWrong = statuses.some((status) => status !== expected);
  return isWrong ? [{ check: 'ready', text: `/readyz of the nodes: ${statuses.join(', ')}; not ${expected}` }] : [];
}
