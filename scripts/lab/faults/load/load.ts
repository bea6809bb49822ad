/** The bounded load that runs during a fault: everything that users, clients and the partner do, at a fixed rate. */

import { randomInt } from 'node:crypto';
import { SERVICES } from '../stage/index.ts';
import { call, connect, refresh, register, revoke, signIn } from './flows.ts';
import { FailedStepError } from './visitor.ts';
import { pick, type World } from './world.ts';

/** Per actor; beyond this, its turns are skipped. */
const MAX_OPEN = 25;
/** With fewer sessions, none is revoked. */
const MIN_SESSIONS = 15;
/** Enough for calls of many users; older ones are still judged, but no longer used in calls. */
const MAX_USERS = 60;

const ACTORS: readonly { readonly perSecond: number; readonly act: (world: World) => Promise<unknown> }[] = [
  { perSecond: 12, act: callTool },
  { perSecond: 1, act: (world) => register(world) },
  { perSecond: 0.6, act: (world) => connect(world, concurrency()) },
  { perSecond: 1, act: openSession },
  { perSecond: 2, act: refreshSession },
  { perSecond: 0.5, act: revokeSession },
];

/**
 * Starts the load. A defect of the load itself is added to the world's problems.
 *
 * @returns a function that starts nothing more, and waits for open requests.
 */
export function startLoad(world: World): () => Promise<void> {
  const timers: NodeJS.Timeout[] = [];
  const open = new Set<Promise<unknown>>();
  for (const { perSecond, act } of ACTORS) {
    let count = 0;
    const begin = (): void => {
      if (count >= MAX_OPEN) return;
      count += 1;
      const pending = attempt(world, () => act(world)).then(() => {
        count -= 1;
        open.delete(pending);
      });
      open.add(pending);
    };
    begin();
    timers.push(setInterval(begin, 1000 / perSecond));
  }
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(open);
  };
}

/** @returns true if it succeeded. */
export async function attempt(world: World, act: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await act()) !== false;
  } catch (error) {
    if (!(error instanceof FailedStepError)) {
      const text = error instanceof Error ? error.stack : error;
      world.problems.push({ check: 'form', text: `the load does not understand an answer: ${text}` });
    }
    return false;
  }
}

/** Gives a stage its first users and sessions. @throws if a gateway without any fault cannot do it. */
export async function populate(world: World, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => connect(world)));
  await Promise.all(Array.from({ length: count }, () => openSession(world)));
}

async function callTool(world: World): Promise<unknown> {
  const session = pick(world.sessions);
  const user = pick(world.users.slice(-MAX_USERS));
  const caller = session !== undefined && randomInt(2) === 0 ? session : user && { user, access: user.access };
  return caller && call(world, caller, pick(SERVICES) ?? SERVICES[0]);
}

async function openSession(world: World): Promise<void> {
  const user = pick(world.users.slice(-MAX_USERS));
  if (user === undefined) return;
  const existingClientId = randomInt(2) === 0 ? pick(world.sessions)?.clientId : undefined;
  const session = await signIn(world, user, existingClientId ?? (await register(world)), concurrency());
  if (session.grant.state === 'live') world.sessions.push(session);
}

async function refreshSession(world: World): Promise<unknown> {
  const session = pick(world.sessions.filter(({ isRefreshing }) => !isRefreshing));
  return session && refresh(world, session, concurrency());
}

async function revokeSession(world: World): Promise<void> {
  if (world.sessions.length < MIN_SESSIONS) return;
  const session = pick(world.sessions.filter(({ isRefreshing, grant }) => !isRefreshing && grant.state === 'live'));
  if (session === undefined) return;
  world.sessions = world.sessions.filter((other) => other !== session);
  await revoke(world, session);
}

/** One use in four is two concurrent ones on two nodes. */
function concurrency(): number {
  return randomInt(4) === 0 ? 2 : 1;
}
