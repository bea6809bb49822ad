/** The bounded load that runs during a fault: everything that users, clients and the partner do, at a fixed rate. */

import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES } from '../stage/index.ts';
import { anyWay, call, connect, refresh, register, revoke, signIn } from './flows.ts';
import { StepFailedError } from './visitor.ts';
import { NoAnswerError } from './wire.ts';
import type { World } from './world.ts';

interface Load {
  /** Starts nothing more, and waits for open requests. */
  stop(): Promise<void>;
}

interface Actor {
  readonly perSecond: number;
  act(world: World): Promise<unknown>;
}

const TICK_MS = 20;
/** Per actor; beyond this, its turns are skipped. */
const MAX_OPEN = 25;
const MAX_SESSIONS = 30;
/** Enough for calls of many users; older ones are still judged, but no longer used in calls. */
const MAX_USERS = 60;
/** One use in this many is two concurrent ones on two nodes. */
const ONE_IN = 4;

const ACTORS: readonly Actor[] = [
  { perSecond: 12, act: callTool },
  { perSecond: 1, act: (world) => register(anyWay(world)) },
  { perSecond: 0.6, act: (world) => connect(anyWay(world), atOnce(world)) },
  { perSecond: 1, act: openSession },
  { perSecond: 2, act: refreshSession },
  { perSecond: 0.5, act: revokeSession },
];

/** Starts the load. The wire records failures; a defect of the load itself is added to the world's problems. */
export function startLoad(world: World): Load {
  let isStopping = false;
  const open = new Map<Actor, Set<Promise<void>>>(ACTORS.map((actor) => [actor, new Set()]));
  const began = performance.now();
  const due = new Map<Actor, number>(ACTORS.map((actor) => [actor, 0]));
  const begin = (actor: Actor): void => {
    const own = open.get(actor);
    if (own === undefined || own.size >= MAX_OPEN) return;
    const acting = attempt(world, () => actor.act(world)).then(() => void own.delete(acting));
    own.add(acting);
  };
  const running = (async () => {
    while (!isStopping) {
      const elapsed = (performance.now() - began) / 1000;
      for (const actor of ACTORS) {
        for (let count = due.get(actor) ?? 0; count < elapsed * actor.perSecond; count += 1) {
          due.set(actor, count + 1);
          begin(actor);
        }
      }
      await delay(TICK_MS);
    }
  })();
  return {
    async stop() {
      isStopping = true;
      await running;
      await Promise.all([...open.values()].flatMap((own) => [...own]));
    },
  };
}

/** @returns whether it succeeded. */
export async function attempt(world: World, act: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await act()) !== false;
  } catch (error) {
    if (!(error instanceof StepFailedError || error instanceof NoAnswerError)) {
      const text = error instanceof Error ? error.stack : error;
      world.problems.push({ check: 'form', text: `the load does not understand an answer: ${text}` });
    }
    return false;
  }
}

/** Gives a stage its first users and sessions. @throws if a gateway without any fault cannot do it. */
export async function populate(world: World, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => connect(anyWay(world))));
  await Promise.all(Array.from({ length: count }, () => openSession(world)));
}

async function callTool(world: World): Promise<unknown> {
  const { random, users, sessions } = world;
  const service = random.pick(SERVICES) ?? SERVICES[0];
  const session = random.pick(sessions);
  const user = random.pick(users.slice(-MAX_USERS));
  const who = session !== undefined && random.below(2) === 0 ? session : user && { user, access: user.access };
  return who === undefined ? null : call(anyWay(world), who, service);
}

async function openSession(world: World): Promise<void> {
  const { random, users, sessions } = world;
  const user = random.pick(users.slice(-MAX_USERS));
  if (user === undefined) return;
  const known = random.below(2) === 0 ? random.pick(sessions)?.clientId : undefined;
  const clientId = known ?? (await register(anyWay(world)));
  const session = await signIn(anyWay(world), user, clientId, atOnce(world));
  if (session.grant.state === 'live') sessions.push(session);
}

async function refreshSession(world: World): Promise<unknown> {
  const session = world.random.pick(world.sessions.filter(({ busy }) => !busy));
  return session === undefined ? null : refresh(anyWay(world), session, atOnce(world));
}

async function revokeSession(world: World): Promise<unknown> {
  const { random, sessions } = world;
  if (sessions.length < MAX_SESSIONS / 2) return null;
  const session = random.pick(sessions.filter(({ busy, grant }) => !busy && grant.state === 'live'));
  if (session === undefined) return null;
  sessions.splice(sessions.indexOf(session), 1);
  return revoke(anyWay(world), session);
}

function atOnce({ random }: World): number {
  return random.below(ONE_IN) === 0 ? 2 : 1;
}
