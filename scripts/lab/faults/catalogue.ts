/** Every fault, in the order of the table. */

import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { findFaketime } from './abilities.ts';
import { FAILOVER } from './failover.ts';
import type { Fault } from './fault.ts';
import type { Violation } from './ledger/judge.ts';
import { checkLimits } from './limits.ts';
import { hasFailed } from './load/course.ts';
import type { Exchange } from './load/wire.ts';
import type { World } from './load/world.ts';
import { SILENT_NAMES } from './silent-names.ts';
import type { Stage } from './stage/index.ts';
import type { Mood } from './stage/upstream.ts';

/** Duration of most faults. */
const LASTING_MS = 5_000;
const SHORT_MS = 1_500;
/** Longer than a node waits for a response. */
const LONG_MS = 27_000;
const SLOW_MS = [50, 250] as const;
const RESET_EVERY_MS = 250;
const SKEWED = 1;
const RELAYED = 2;
const CLOCK_STEPS = ['+3600', '-3600', '+0', '+90', '-90', '+3600', '-3600'];

const noHealing = async (): Promise<void> => {};

async function kill(stage: Stage, { ledger }: World, nodes: readonly number[]): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      await stage.nodes[node]?.stop('SIGKILL');
      ledger.kills.push({ node, at: Date.now() });
    }),
  );
}

async function restart(stage: Stage, nodes: readonly number[]): Promise<void> {
  await Promise.all(nodes.map((node) => stage.nodes[node]?.start()));
}

function stopPostgres(mode: 'fast' | 'immediate'): Fault['strike'] {
  return async ({ postgres }) => {
    await postgres?.stop(mode);
    await delay(LASTING_MS);
    return async () => postgres?.start();
  };
}

function fillDisk(name: string, title: string, store: Fault['store']): Fault {
  return {
    name,
    title,
    store,
    needs: store === 'postgres' ? ['postgres', 'namespaces'] : ['namespaces'],
    async strike({ disk, postgres }) {
      disk?.fill();
      await delay(LASTING_MS);
      return async () => {
        disk?.empty();
        // A database whose disk is full may exit; free the space before starting it again.
        if (postgres !== null && !postgres.isRunning()) await postgres.start();
      };
    },
  };
}

function upsetUpstream(mood: Mood, title: string, check?: Fault['check']): Fault {
  return {
    name: `upstream-${mood}`,
    title,
    store: 'postgres',
    needs: ['postgres'],
    async strike({ upstreams }) {
      upstreams.mailer.mood = mood;
      await delay(LASTING_MS);
      return async () => {
        upstreams.mailer.mood = 'answers';
      };
    },
    ...(check === undefined ? {} : { check }),
  };
}

/** @param struck the nodes that may fail. */
function checkOtherNodes(struck: readonly number[]): NonNullable<Fault['check']> {
  return async (_, __, exchanges) =>
    exchanges
      .filter((exchange) => !struck.includes(exchange.node) && hasFailed(exchange))
      .map(({ node, name, failure, status }) => ({
        check: 'others',
        text: `${name} on node ${node + 1}: ${failure ?? status}`,
      }));
}

async function checkOtherServices(_: Stage, __: World, exchanges: readonly Exchange[]): Promise<Violation[]> {
  const failed = exchanges.filter(({ failure }) => failure?.startsWith('retrieval_') === true);
  return failed.map(({ node, failure }) => ({ check: 'others', text: `node ${node + 1}: ${failure}` }));
}

const onLink = (
  name: string,
  title: string,
  change: (network: NonNullable<Stage['network']>, isBroken: boolean) => Promise<unknown>,
): Fault => ({
  name,
  title,
  store: 'postgres',
  needs: ['postgres', 'namespaces'],
  async strike({ network }) {
    if (network === null) throw new Error('There is no network.');
    await change(network, true);
    await delay(LASTING_MS);
    return async () => void (await change(network, false));
  },
});

export const FAULTS: readonly Fault[] = [
  {
    name: 'none',
    title: 'nothing, to see that the checks pass',
    store: 'postgres',
    needs: ['postgres'],
    async strike() {
      await delay(LASTING_MS);
      return noHealing;
    },
  },
  {
    name: 'kill-nodes',
    title: 'kill -9 of two nodes, one after the other, which are started again',
    store: 'postgres',
    needs: ['postgres'],
    async strike(stage, world) {
      for (const node of [0, 1]) {
        await kill(stage, world, [node]);
        await delay(SHORT_MS);
      }
      return () => restart(stage, [0, 1]);
    },
    check: checkOtherNodes([0, 1]),
  },
  {
    name: 'kill-all',
    title: 'kill -9 of all nodes at once, which are started again',
    store: 'postgres',
    needs: ['postgres'],
    async strike(stage, world) {
      await kill(stage, world, [0, 1, 2]);
      await delay(SHORT_MS);
      return () => restart(stage, [0, 1, 2]);
    },
  },
  {
    name: 'postgres-fast',
    title: 'PostgreSQL stopped (fast) and started',
    store: 'postgres',
    needs: ['postgres'],
    strike: stopPostgres('fast'),
  },
  {
    name: 'postgres-immediate',
    title: 'PostgreSQL stopped as by a crash (immediate) and started',
    store: 'postgres',
    needs: ['postgres'],
    strike: stopPostgres('immediate'),
  },
  {
    name: 'network-one',
    title: 'the network between one node and PostgreSQL slow, then cut for long',
    store: 'postgres',
    needs: ['postgres', 'namespaces'],
    async strike({ relay, network, postgres }, { problems }) {
      // Slow, so that connections break in the middle of transactions.
      relay?.slow(SLOW_MS);
      await delay(SHORT_MS);
      await network?.cut(RELAYED, true);
      relay?.slow([0, 0]);
      await delay(LONG_MS);
      const forgotten = (await postgres?.countForgotten()) ?? 0;
      if (forgotten > 0)
        problems.push({ check: 'others', text: `${forgotten} transactions of the node keep their locks` });
      return async () => network?.cut(RELAYED, false);
    },
    check: checkOtherNodes([RELAYED]),
  },
  onLink('network-all', 'the network between all nodes and PostgreSQL cut', (network, isBroken) =>
    Promise.all([0, 1, 2].map((node) => network.cut(node, isBroken))),
  ),
  onLink(
    'network-silent',
    "PostgreSQL's answers to all nodes lost, after it did what they asked",
    (network, isBroken) => Promise.all([0, 1, 2].map((node) => network.silence(node, isBroken))),
  ),
  {
    name: 'network-slow',
    title: `the network between one node and PostgreSQL slow (${SLOW_MS.join(' to ')} ms each way)`,
    store: 'postgres',
    needs: ['postgres'],
    async strike({ relay }) {
      relay?.slow(SLOW_MS);
      await delay(LASTING_MS);
      return async () => relay?.slow([0, 0]);
    },
    check: checkOtherNodes([RELAYED]),
  },
  {
    name: 'network-resets',
    title: 'connections of one node to PostgreSQL reset, again and again',
    store: 'postgres',
    needs: ['postgres'],
    async strike({ relay }) {
      for (let left = LASTING_MS; left > 0; left -= RESET_EVERY_MS) {
        relay?.reset();
        await delay(RESET_EVERY_MS);
      }
      return noHealing;
    },
    check: checkOtherNodes([RELAYED]),
  },
  FAILOVER,
  fillDisk('disk-postgres', "PostgreSQL's disk full", 'postgres'),
  {
    name: 'clock',
    title: "one node's clock an hour ahead, an hour behind, and jumping",
    store: 'postgres',
    needs: ['postgres', 'faketime'],
    async prepare(stage) {
      await stage.nodes[SKEWED]?.stop('SIGTERM');
      await writeFile(stage.clockFile, '+0\n');
      const environment = {
        LD_PRELOAD: findFaketime() ?? '',
        FAKETIME_TIMESTAMP_FILE: stage.clockFile,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      };
      await stage.nodes[SKEWED]?.start(environment);
    },
    async strike(stage, world) {
      world.clockIsWrong = true;
      const known = new Map(world.sessions.map((session) => [session, session.access]));
      const users = world.users.length;
      for (const step of CLOCK_STEPS) {
        await writeFile(stage.clockFile, `${step}\n`);
        await delay(SHORT_MS);
      }
      return async () => {
        await writeFile(stage.clockFile, '+0\n');
        await delay(2 * SHORT_MS);
        // Tokens issued with a wrong clock expire at the wrong time, so their users are removed.
        const kept = world.sessions.filter((session) => known.get(session) === session.access);
        world.sessions.splice(0, world.sessions.length, ...kept);
        world.users.length = Math.min(world.users.length, users);
        world.clockIsWrong = false;
      };
    },
    async tidy(stage) {
      await stage.nodes[SKEWED]?.stop('SIGTERM');
      await stage.nodes[SKEWED]?.start();
    },
  },
  upsetUpstream('hangs', 'one upstream takes requests and never answers', checkOtherServices),
  upsetUpstream('garbage', 'one upstream answers garbage', checkOtherServices),
  upsetUpstream('resets', 'one upstream resets every connection', checkOtherServices),
  SILENT_NAMES,
  {
    name: 'limits',
    title: 'guesses and registrations beyond their limits, on all nodes in turn',
    store: 'postgres',
    needs: ['postgres'],
    async strike() {
      return noHealing;
    },
    check: (_, world) => checkLimits(world),
  },
  fillDisk('disk-sqlite', "the disk of a single node's SQLite store full", 'sqlite'),
];
