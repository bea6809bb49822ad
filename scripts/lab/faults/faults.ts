/** The table of faults: what each breaks, and what must hold in addition to the checks after every fault. */

import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Violation } from './ledger/judge.ts';
import { checkLimits } from './load/probes.ts';
import type { Exchange } from './load/visitor.ts';
import { newVisitor, type World } from './load/world.ts';
import { KNOWN_NAME, SILENT_SUFFIX, type Stage, type StoreKind } from './stage/index.ts';
import { FAKETIME, type Network } from './stage/machine.ts';
import type { Behavior } from './stage/upstream.ts';

export interface Fault {
  readonly name: string;
  /** One line for the help. */
  readonly title: string;
  /** Default: `postgres`. */
  readonly store?: StoreKind;
  /** Tools that a machine may lack, in addition to PostgreSQL. Default: none. */
  readonly needs?: 'namespaces' | 'faketime';
  /** Runs before the load begins. */
  prepare?(stage: Stage): Promise<void>;
  /** Breaks something. */
  strike?(stage: Stage, world: World): unknown;
  /** Milliseconds from then until it is healed. Default: 5,000. */
  readonly lastsMs?: number;
  /** Ends the fault. */
  heal?(stage: Stage, world: World): unknown;
  /** @param exchanges that began before everything worked again. */
  check?(stage: Stage, world: World, exchanges: readonly Exchange[]): Violation[] | Promise<Violation[]>;
  /** Runs after everything else. */
  tidy?(stage: Stage): Promise<void>;
}

const ALL_NODES = [0, 1, 2];
const SKEWED_NODE = 1;
const RELAYED_NODE = 2;
const SHORT_MS = 1_500;
/** Longer than a node waits for a response. */
const LONG_MS = 27_000;
const SLOW_MS = 250;
const UNAVAILABLE = 503;
/** Less than a gateway waits for a name server. */
const MAX_P99_MS = 1_900;

export const FAULTS: readonly Fault[] = [
  { name: 'none', title: 'nothing, to see that the checks pass' },
  {
    name: 'kill-nodes',
    title: 'kill -9 of two nodes, one after the other, which are started again',
    async strike(stage, world) {
      await kill(stage, world, [0]);
      await delay(SHORT_MS);
      await kill(stage, world, [1]);
    },
    lastsMs: SHORT_MS,
    heal: (stage) => restart(stage, [0, 1]),
    check: othersAreServed([0, 1]),
  },
  {
    name: 'kill-all',
    title: 'kill -9 of all nodes at once, which are started again',
    strike: (stage, world) => kill(stage, world, ALL_NODES),
    lastsMs: SHORT_MS,
    heal: (stage) => restart(stage, ALL_NODES),
  },
  {
    name: 'postgres-fast',
    title: 'PostgreSQL stopped (fast) and started',
    strike: ({ postgres }) => postgres?.stop('fast'),
    heal: ({ postgres }) => postgres?.start(),
  },
  {
    name: 'postgres-immediate',
    title: 'PostgreSQL stopped as by a crash (immediate) and started',
    strike: ({ postgres }) => postgres?.stop('immediate'),
    heal: ({ postgres }) => postgres?.start(),
  },
  {
    name: 'network-one',
    title: 'the network between one node and PostgreSQL slow, then cut for long',
    needs: 'namespaces',
    async strike({ relay, network }) {
      // Slow, so that connections break in the middle of transactions.
      if (relay) relay.maxDelayMs = SLOW_MS;
      await delay(SHORT_MS);
      await network?.cut(RELAYED_NODE, true);
      if (relay) relay.maxDelayMs = 0;
    },
    lastsMs: LONG_MS,
    async heal({ network, postgres }, { problems }) {
      const locking = await postgres?.query(
        "select 1 from pg_stat_activity where state = 'idle in transaction' and state_change < now() - interval '10 s'",
      );
      if (locking === undefined || locking.length > 0)
        problems.push({ check: 'others', text: `${locking?.length} transactions of the node keep their locks` });
      await network?.cut(RELAYED_NODE, false);
    },
    check: othersAreServed([RELAYED_NODE]),
  },
  {
    name: 'network-all',
    title: 'the network between all nodes and PostgreSQL cut',
    needs: 'namespaces',
    strike: (stage) => onEveryLink(stage, (network, node) => network.cut(node, true)),
    heal: (stage) => onEveryLink(stage, (network, node) => network.cut(node, false)),
  },
  {
    name: 'network-silent',
    title: "PostgreSQL's answers to all nodes lost, after it did what they asked",
    needs: 'namespaces',
    strike: (stage) => onEveryLink(stage, (network, node) => network.silence(node, true)),
    heal: (stage) => onEveryLink(stage, (network, node) => network.silence(node, false)),
  },
  {
    name: 'network-slow',
    title: 'the network between one node and PostgreSQL slow (50 to 250 ms each way)',
    strike({ relay }) {
      if (relay) relay.maxDelayMs = SLOW_MS;
    },
    heal({ relay }) {
      if (relay) relay.maxDelayMs = 0;
    },
    check: othersAreServed([RELAYED_NODE]),
  },
  {
    name: 'network-resets',
    title: 'connections of one node to PostgreSQL reset, again and again',
    async strike({ relay }) {
      for (let reset = 0; reset < 20; reset += 1) {
        relay?.reset();
        await delay(250);
      }
    },
    lastsMs: 0,
    check: othersAreServed([RELAYED_NODE]),
  },
  {
    name: 'failover',
    title: 'PostgreSQL read-only, then replaced by its standby',
    store: 'standby',
    async strike({ postgres }) {
      await postgres?.query('alter system set default_transaction_read_only = on');
      await postgres?.query('select pg_reload_conf()');
    },
    async heal(stage, { problems }) {
      const { postgres, standby, relay } = stage;
      if (postgres === undefined || standby === undefined || relay === undefined) throw new Error('no standby');
      problems.push(...(await checkReadiness(stage, UNAVAILABLE)));
      await standby.query('select pg_promote()');
      relay.target = { host: '127.0.0.1', port: standby.port };
      // Reads of a server that was replaced would be out of date.
      await postgres.stop('immediate');
    },
    async check(stage, _, exchanges) {
      const violations = await checkReadiness(stage, 200);
      const isRefused = ({ name, status }: Exchange): boolean =>
        name === 'POST /api/mcp/oauth/register' && status === UNAVAILABLE;
      if (!exchanges.some(isRefused)) violations.push({ check: 'ready', text: 'no write was refused' });
      return violations;
    },
  },
  fillDisk('disk-postgres', "PostgreSQL's disk full", 'postgres'),
  {
    name: 'clock',
    title: "one node's clock an hour ahead, an hour behind, and jumping",
    needs: 'faketime',
    async prepare({ nodes, clockFile }) {
      await writeFile(clockFile, '+0\n');
      await nodes[SKEWED_NODE]?.stop('SIGTERM');
      await nodes[SKEWED_NODE]?.start({
        LD_PRELOAD: FAKETIME ?? '',
        FAKETIME_TIMESTAMP_FILE: clockFile,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      });
    },
    async strike({ clockFile }, world) {
      world.clockIsWrong = true;
      for (const step of ['+3600', '-3600', '+0', '+90', '-90', '+3600', '-3600']) {
        await writeFile(clockFile, `${step}\n`);
        await delay(SHORT_MS);
      }
    },
    lastsMs: 0,
    async heal({ clockFile }, world) {
      await writeFile(clockFile, '+0\n');
      await delay(2 * SHORT_MS);
      world.sessions = world.sessions.filter(({ hasWrongExpiry }) => !hasWrongExpiry);
      world.users = world.users.filter(({ hasWrongExpiry }) => !hasWrongExpiry);
      world.clockIsWrong = false;
    },
    async tidy({ nodes }) {
      await nodes[SKEWED_NODE]?.stop('SIGTERM');
      await nodes[SKEWED_NODE]?.start();
    },
  },
  upsetUpstream('hangs', 'one upstream takes requests and never answers'),
  upsetUpstream('garbage', 'one upstream answers garbage'),
  upsetUpstream('resets', 'one upstream resets every connection'),
  {
    name: 'silent-names',
    title: "clients' documents at names that the name server is silent about",
    needs: 'namespaces',
    async prepare(stage) {
      const { retrieval } = stage.upstreams;
      // So that every call needs the name server.
      retrieval.behavior = 'closes';
      await restart(stage, ALL_NODES, {
        CLIENT_ID_METADATA_DOCUMENTS: 'on',
        PLAIN_HTTP_UPSTREAMS: KNOWN_NAME,
        RETRIEVAL_BASE_URL: `http://${KNOWN_NAME}:${new URL(retrieval.origin).port}`,
      });
    },
    async strike(_, world) {
      const requests: Promise<unknown>[] = [];
      while (requests.length < 60) {
        const query = new URLSearchParams({ client_id: `https://h${requests.length}${SILENT_SUFFIX}/c.json` });
        const opened = newVisitor(world).open(`/api/mcp/oauth/authorize?${query}`);
        requests.push(opened.catch(() => {}));
        await delay(80);
      }
      await Promise.all(requests);
    },
    lastsMs: 0,
    check({ unansweredNames }, _, exchanges) {
      const calls = exchanges.filter(({ name }) => name === 'POST /api/mcp/unified');
      const violations = calls
        .filter(hasFailed)
        .map(({ failure, status }): Violation => ({ check: 'others', text: `a call failed: ${failure ?? status}` }));
      const times = calls.map(({ startedAt, endedAt }) => endedAt - startedAt).sort((a, b) => a - b);
      const p99 = Math.round(times[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY);
      if (p99 > MAX_P99_MS)
        violations.push({ check: 'others', text: `of ${calls.length} calls, one percent took at least ${p99} ms` });
      if (!unansweredNames?.size) violations.push({ check: 'others', text: 'no silent name was asked for' });
      return violations;
    },
    async tidy(stage) {
      stage.upstreams.retrieval.behavior = 'answers';
      await restart(stage, ALL_NODES);
    },
  },
  {
    name: 'limits',
    title: 'guesses and registrations beyond their limits, on all nodes in turn',
    lastsMs: 0,
    check: (_, world) => checkLimits(world),
  },
  fillDisk('disk-sqlite', "the disk of a single node's SQLite store full", 'sqlite'),
];

async function kill(stage: Stage, { ledger }: World, nodes: readonly number[]): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      await stage.nodes[node]?.stop('SIGKILL');
      ledger.kills.push({ node, at: Date.now() });
    }),
  );
}

/** Stops nodes that run, and starts them. @param env in addition to their settings. Default: none. */
async function restart(stage: Stage, nodes: readonly number[], env?: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      await stage.nodes[node]?.stop('SIGTERM');
      await stage.nodes[node]?.start(env);
    }),
  );
}

async function onEveryLink(
  { network }: Stage,
  change: (network: Network, node: number) => Promise<void>,
): Promise<void> {
  if (network === undefined) throw new Error('There is no network.');
  await Promise.all(ALL_NODES.map((node) => change(network, node)));
}

function fillDisk(name: string, title: string, store: StoreKind): Fault {
  return {
    name,
    title,
    store,
    needs: 'namespaces',
    strike: ({ disk }) => disk?.fill(),
    async heal({ disk, postgres }) {
      disk?.empty();
      // A database whose disk is full may exit; free the space before starting it again.
      await postgres?.start();
    },
  };
}

function upsetUpstream(behavior: Behavior, title: string): Fault {
  return {
    name: `upstream-${behavior}`,
    title,
    strike({ upstreams }) {
      upstreams.mailer.behavior = behavior;
    },
    heal({ upstreams }) {
      upstreams.mailer.behavior = 'answers';
    },
    check: (_, __, exchanges) =>
      exchanges
        .filter(({ failure }) => failure?.startsWith('retrieval_'))
        .map(({ node, failure }) => ({ check: 'others', text: `node ${node + 1}: ${failure}` })),
  };
}

/** @param struck the nodes that may fail. */
function othersAreServed(struck: readonly number[]): NonNullable<Fault['check']> {
  return (_, __, exchanges) =>
    exchanges
      .filter((exchange) => !struck.includes(exchange.node) && hasFailed(exchange))
      .map(({ node, name, failure, status }) => ({
        check: 'others',
        text: `${name} on node ${node + 1}: ${failure ?? status}`,
      }));
}

/** @param expected status of every node's `/readyz`. */
async function checkReadiness({ nodes }: Stage, expected: number): Promise<Violation[]> {
  const statusOf = (port: number): Promise<number | null> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status,
      () => null,
    );
  const statuses = await Promise.all(nodes.map(({ port }) => statusOf(port)));
  if (statuses.every((status) => status === expected)) return [];
  return [{ check: 'ready', text: `/readyz of the nodes: ${statuses.join(', ')}; not ${expected}` }];
}

/** Returns true for a request that did not get what it asked for. */
export function hasFailed({ status, failure }: Exchange): boolean {
  return failure !== null || status === null || status >= UNAVAILABLE || status === 429;
}
