/** Checks of each node: that every kind of request succeeds again, that sessions work and revoked tokens do not, and that limits hold. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Violation } from '../ledger/judge.ts';
import { SERVICES } from '../stage/index.ts';
import { authorizationPath, call, connect, postMessage, refresh, register, revoke, signIn } from './flows.ts';
import { attempt } from './load.ts';
import type { Visitor } from './visitor.ts';
import { newVisitor, pick, type World } from './world.ts';

const PAUSE_MS = 100;

/** Each resolves to false, or fails, if a step does not succeed. Users and a client must exist already. */
const PROBES: Readonly<Record<string, (world: World, onNode: () => Visitor) => Promise<unknown>>> = {
  registration: (world, onNode) => register(world, onNode()),
  'connect flow': (world, onNode) => connect(world, 1, onNode()),
  'tool calls': async (world, onNode) => {
    const user = pick(world.users);
    if (user === undefined) return false;
    const calls = SERVICES.map((service) => call(world, { user, access: user.access }, service, onNode()));
    return (await Promise.all(calls)).every(Boolean);
  },
  'sign-in, refresh and revocation': async (world, onNode) => {
    const user = pick(world.users);
    const clientId = pick(world.ledger.registrations);
    if (user === undefined || clientId === undefined) return false;
    const session = await signIn(world, user, clientId, 1, onNode());
    return (await refresh(world, session, 1, onNode())) && revoke(world, session, onNode());
  },
};

/** Sends every kind of request to every node until each has succeeded or the time is over. @returns those that have not succeeded. */
export async function waitUntilHealthy(world: World, limitMs: number): Promise<string[]> {
  const endsAt = performance.now() + limitMs;
  const missing: string[] = [];
  const repeat = async (node: number, [name, probe]: [string, (typeof PROBES)[string]]): Promise<void> => {
    const onNode = (): Visitor => newVisitor(world, () => node);
    while (performance.now() < endsAt) {
      if (await attempt(world, () => probe(world, onNode))) break;
      await delay(PAUSE_MS);
    }
    if (performance.now() > endsAt) missing.push(`${name} on node ${node + 1}`);
  };
  await Promise.all(
    [...world.ports.keys()].flatMap((node) => Object.entries(PROBES).map((probe) => repeat(node, probe))),
  );
  return missing;
}

const MAX_CHECKED_TOKENS = 12;

/** Checks on every node that live sessions work and revoked tokens do not. */
export async function checkTokens(world: World): Promise<Violation[]> {
  const violations: Violation[] = [];
  const live = world.sessions.filter(({ grant }) => grant.state === 'live').slice(-MAX_CHECKED_TOKENS);
  const revoked = world.revoked.slice(-MAX_CHECKED_TOKENS);
  const checks = [...world.ports.keys()].flatMap((node) => {
    const onNode = (): Visitor => newVisitor(world, () => node);
    const served = live.map(async (session) => {
      if (await attempt(world, () => call(world, session, 'retrieval', onNode()))) return;
      violations.push({
        check: 'writes',
        text: `node ${node + 1} does not serve a session that was acknowledged`,
      });
    });
    const refused = revoked.map(async (access) => {
      const answer = await postMessage(onNode(), access, { method: 'tools/list' }).catch(() => undefined);
      if (answer?.status === 401) return;
      violations.push({ check: 'writes', text: `node ${node + 1} takes a token that was revoked` });
    });
    return [...served, ...refused];
  });
  await Promise.all(checks);
  return violations;
}

/** As documented in docs/guides/limits.md. */
const MAX_REGISTRATIONS = 60;
const MAX_WRONG_CODES = 20;
const WRONG_CODES_PER_REQUEST = 5;

/** Exceeds limits from one address on all nodes in turn: all nodes together must allow only as much as one. */
export async function checkLimits(world: World): Promise<Violation[]> {
  const counts = [
    ['registrations of one address in a minute', await countRegistrations(world), MAX_REGISTRATIONS],
    ['wrong connection codes of one address', await countWrongCodes(world), MAX_WRONG_CODES],
  ] as const;
  return counts
    .filter(([, count, limit]) => count !== limit)
    .map(([name, count, limit]) => ({ check: 'limits', text: `${count} ${name} were taken; the limit is ${limit}` }));
}

/** Creates a visitor whose requests go to the nodes in turn. */
function onNodesInTurn(world: World): Visitor {
  let requestCount = 0;
  return newVisitor(world, () => {
    requestCount += 1;
    return requestCount % world.ports.length;
  });
}

async function countRegistrations(world: World): Promise<number> {
  const visitor = onNodesInTurn(world);
  let registrationCount = 0;
  while (registrationCount <= 2 * world.ports.length * MAX_REGISTRATIONS) {
    const attempts = world.ports.map(() => register(world, visitor).then(Boolean, () => false));
    const successes = (await Promise.all(attempts)).filter(Boolean).length;
    if (successes === 0) break;
    registrationCount += successes;
  }
  return registrationCount;
}

async function countWrongCodes(world: World): Promise<number> {
  const path = authorizationPath(await register(world), 'a'.repeat(43));
  const visitor = onNodesInTurn(world);
  let wrongCodeCount = 0;
  for (let remaining = 2 * MAX_WRONG_CODES; remaining > 0; remaining -= WRONG_CODES_PER_REQUEST) {
    let page = await visitor.open(path);
    for (let codeIndex = 0; codeIndex < WRONG_CODES_PER_REQUEST; codeIndex += 1) {
      const form = new URLSearchParams(page.fields ?? '');
      form.set('connection_code', 'ZZZZ-ZZZZ-ZZZZ');
      form.set('decision', 'continue');
      page = await visitor.open('/api/mcp/oauth/authorize', form);
      if (page.answer.status === 429) return wrongCodeCount;
      if (page.textFields.includes('connection_code')) wrongCodeCount += 1;
    }
  }
  return wrongCodeCount;
}
