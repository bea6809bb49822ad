/** Sends one node every kind of request. */

import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES } from '../stage/index.ts';
import { byNode, call, connect, isRefused, refresh, register, revoke, signIn } from './flows.ts';
import { attempt } from './load.ts';
import type { World } from './world.ts';

const PAUSE_MS = 100;

/** Each resolves to whether every step succeeded. Users and a client must exist already. */
const PROBES: Readonly<Record<string, (world: World, node: number) => Promise<boolean>>> = {
  registration: async (world, node) => {
    await register(byNode(world, node));
    return true;
  },
  'connect flow': async (world, node) => {
    await connect(byNode(world, node));
    return true;
  },
  'tool calls': async (world, node) => {
    const user = world.random.pick(world.users);
    if (user === undefined) return false;
    const called = SERVICES.map((service) => call(byNode(world, node), { user, access: user.access }, service));
    return (await Promise.all(called)).every(Boolean);
  },
  'sign-in, refresh and revocation': async (world, node) => {
    const user = world.random.pick(world.users);
    const clientId = world.random.pick(world.ledger.registrations);
    if (user === undefined || clientId === undefined) return false;
    const session = await signIn(byNode(world, node), user, clientId);
    return (await refresh(byNode(world, node), session)) && revoke(byNode(world, node), session);
  },
};

/** When everything worked again. */
interface Recovery {
  /** Milliseconds until every kind of request had succeeded on every node; null: not in time. */
  readonly wellAfter: number | null;
  /** Requests that had not succeeded in time. */
  readonly missing: readonly string[];
}

/** Sends every kind of request to every node until each has succeeded or the time is over. */
export async function waitUntilWell(world: World, limitMs: number): Promise<Recovery> {
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  const missing: string[] = [];
  let last = 0;
  const ask = async (node: number, [name, probe]: [string, (typeof PROBES)[string]]): Promise<void> => {
    while (elapsed() < limitMs) {
      if (await attempt(world, () => probe(world, node))) break;
      await delay(PAUSE_MS);
    }
    last = Math.max(last, elapsed());
    if (elapsed() > limitMs) missing.push(`${name} on node ${node + 1}`);
  };
  const nodes = Array.from({ length: world.nodes }, (_, node) => node);
  await Promise.all(nodes.flatMap((node) => Object.entries(PROBES).map((probe) => ask(node, probe))));
  return { wellAfter: missing.length === 0 ? last : null, missing };
}

const SWEPT = 12;

/** Checks on every node that live sessions work and revoked tokens do not. @returns the problems. */
export async function sweep(world: World): Promise<string[]> {
  const nodes = Array.from({ length: world.nodes }, (_, node) => node);
  const live = world.sessions.filter(({ grant }) => grant.state === 'live').slice(-SWEPT);
  const wrong = nodes.flatMap((node) => [
    ...live.map(async (session) =>
      (await attempt(world, () => call(byNode(world, node), session, 'retrieval')))
        ? []
        : [`node ${node + 1} does not serve a session that was acknowledged`],
    ),
    ...world.revoked
      .slice(-SWEPT)
      .map(async (access) =>
        (await isRefused(byNode(world, node), access).catch(() => false))
          ? []
          : [`node ${node + 1} takes a token that was revoked`],
      ),
  ]);
  return (await Promise.all(wrong)).flat();
}
