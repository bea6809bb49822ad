/**
 * `npm run lab -- bench refresh`: counts failures of parallel calls from both official SDK clients when their access token expires.
 */

import { openStore } from '../../../../server/base/store/index.ts';
import {
  createPostgresDatabase,
  createSqliteDatabase,
  type EmptyDatabase,
  MCP_PATH,
  SHIPPED_TOOLS,
  seedUsers,
  startGatewayProcess,
} from '../gateway/gateway-process.ts';
import type { Section } from '../gateway/report.ts';
import { onStage, type Stage } from '../gateway/stage.ts';
import { type DelayRange, startProxy } from './proxy.ts';
import { CLIENTS, openSession, registerClient, type Session } from './sessions.ts';

interface RefreshPlan {
  /** Per client, in each row. */
  readonly sessions: number;
  /** A server for the benchmark's own databases; null: SQLite only. */
  readonly postgresUrl: string | null;
}

/** One store, one node count, one network. */
interface RefreshSample {
  readonly store: string;
  readonly nodes: number;
  readonly delayed: boolean;
  readonly calls: number;
  readonly failed: number;
  readonly sessions: number;
  readonly lost: number;
}

const PARALLEL_CALLS = 5;
/** Sessions of each client that expire at the same time. */
const BATCH = 2;
const NO_DELAY: DelayRange = [0, 0];
const DELAY_MS: DelayRange = [20, 200];

/** Expires the access tokens of sessions, makes parallel calls in each, and counts the failures. */
export async function measureRefreshes(plan: RefreshPlan): Promise<RefreshSample[]> {
  const samples = await onStage((stage) => measureStore(stage, plan, 'SQLite', createSqliteDatabase(stage.folder)));
  const { postgresUrl } = plan;
  if (postgresUrl === null) return samples;
  const create = () => createPostgresDatabase(postgresUrl);
  return [...samples, ...(await onStage(async (stage) => measureStore(stage, plan, 'PostgreSQL', await create())))];
}

async function measureStore(
  { upstream, atEnd }: Stage,
  { sessions }: RefreshPlan,
  title: string,
  { url, remove }: EmptyDatabase,
): Promise<RefreshSample[]> {
  atEnd(remove);
  const proxy = await startProxy();
  atEnd(() => proxy.close());
  await seedUsers({ databaseUrl: url, publicUrl: proxy.origin, count: 1 });
  const nodes: string[] = [];
  while (nodes.length < 2) {
    const server = await startGatewayProcess(
      url,
      { upstream, tools: SHIPPED_TOOLS, profileFile: null },
      { PUBLIC_URL: proxy.origin, LOG_LEVEL: 'silent' },
    );
    atEnd(() => server.stop());
    nodes.push(server.origin);
  }
  const store = await openStore({ url });
  atEnd(() => store.close());
  const { id: userId } = await store.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  proxy.route(nodes, NO_DELAY);
  const endpoint = proxy.origin + MCP_PATH;
  const registered = await registerClient(endpoint);
  const samples: RefreshSample[] = [];
  for (const count of [1, 2]) {
    for (const delay of [NO_DELAY, DELAY_MS]) {
      const figures = { calls: 0, failed: 0, sessions: 0, lost: 0 };
      for (let left = sessions; left > 0; left -= BATCH) {
        proxy.route(nodes, NO_DELAY);
        const batch = CLIENTS.flatMap((client) => Array.from({ length: Math.min(left, BATCH) }, () => client));
        const opened: Session[] = [];
        for (const client of batch) {
          opened.push(await openSession({ client, registered, store, endpoint, userId }));
        }
        proxy.route(nodes.slice(0, count), delay);
        for (const { calls, failed, lost } of await Promise.all(opened.map(expireAndCall))) {
          figures.calls += calls;
          figures.failed += failed;
          figures.sessions += 1;
          figures.lost += lost ? 1 : 0;
        }
      }
      samples.push({ store: title, nodes: count, delayed: delay !== NO_DELAY, ...figures });
    }
  }
  return samples;
}

async function expireAndCall(session: Session): Promise<{ calls: number; failed: number; lost: boolean }> {
  await session.expire();
  const worked = await Promise.all(Array.from({ length: PARALLEL_CALLS }, () => session.call()));
  const lost = session.isLost();
  await session.close();
  return { calls: worked.length, failed: worked.filter((one) => !one).length, lost };
}

/** The table in `docs/explanations/performance.md`. */
export function toRefreshSection(samples: readonly RefreshSample[]): Section {
  const [least, most] = DELAY_MS;
  return {
    name: 'refresh',
    title: `${PARALLEL_CALLS} parallel calls of each session at the moment when its access token has expired`,
    table: [
      ['store', 'gateways', 'delay each way', 'calls failed', 'sessions lost'],
      ...samples.map((sample) => [
        sample.store,
        String(sample.nodes),
        sample.delayed ? `${least}-${most} ms` : 'none',
        `${sample.failed} of ${sample.calls}`,
        `${sample.lost} of ${sample.sessions}`,
      ]),
    ],
    note: 'Half of the sessions are clients of the v1 SDK, half of the v2 SDK.',
  };
}
