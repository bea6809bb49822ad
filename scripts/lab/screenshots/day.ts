/** Simulates a day of sample users who connect services and call tools, so that the dashboard has data to show. */

import { exampleOf } from '../../../server/call/tools/call/argument-rules.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { connectUser } from '../../demo/connect.ts';
import { type DemoFacts, type ToolCall, toCallRequest } from '../../demo/text.ts';
import type { MovedClock } from './clock.ts';

const HOUR_MS = 3_600_000;

/** Calls in each of the 24 hours, starting at 14:30: few at night. */
const CALLS = [17, 15, 12, 9, 7, 6, 4, 3, 2, 1, 1, 0, 1, 2, 4, 6, 9, 13, 18, 22, 24, 21, 19, 23];
const USERS = ['ines', 'omar', 'yuki', 'paul', 'lena', 'tomas', 'nora'];

/** Intervals, in calls, at which the upstream fails or the arguments are wrong. */
const EVERY = { failure: 31, wrong: 23 };

/** @param end milliseconds since 1970, when the day ends. */
export async function liveADay(facts: DemoFacts, clock: MovedClock, end: number): Promise<void> {
  const services = facts.connectors.map(({ name }) => name);
  const everyCall = facts.connectors.flatMap(callsOf);
  let count = 0;
  for (const [hour, calls] of CALLS.entries()) {
    const start = end - (CALLS.length - hour) * HOUR_MS;
    clock.set(start);
    const user = USERS[hour % USERS.length] ?? facts.user;
    const connected = services.slice(0, 1 + (hour % services.length));
    const token = await connect(facts, user, connected);
    const possible = everyCall.filter(({ service }) => connected.includes(service));
    for (let call = 0; call < calls; call += 1) {
      clock.set(start + ((call + 1) * HOUR_MS) / (calls + 2));
      count += 1;
      // Squares, so that some tools are called more than others.
      const chosen = possible[(count * count) % possible.length];
      if (chosen === undefined) throw new Error(`${user} has no tool to call`);
      if (count % EVERY.failure === 0) await failOnce(facts, chosen.operationId);
      const asked = count % EVERY.wrong === 0 ? { ...chosen.call, arguments: { unknown: true } } : chosen.call;
      await post(facts.url, { Authorization: `Bearer ${token}` }, toCallRequest(asked));
    }
  }
  clock.set(end);
}

interface PossibleCall {
  readonly service: string;
  readonly operationId: string | null;
  readonly call: ToolCall;
}

/** The reading tools with example arguments, except tools that need something existing: an id, or a name instead of `text`. */
function callsOf({ name: service, tools }: Connector): PossibleCall[] {
  return tools.flatMap(({ name, annotations, inputSchema, operation }) => {
    const example = exampleOf(inputSchema, inputSchema) as Record<string, unknown>;
    const needsExisting =
      Object.values(example).includes('text') || Object.keys(example).some((name) => /id$/i.test(name));
    if (!annotations.readOnlyHint || needsExisting) return [];
    return [{ service, operationId: operation.id, call: { name, arguments: example } }];
  });
}

/** Connects the user as the demo's partner. @returns the user's access token. */
async function connect(facts: DemoFacts, user: string, services: readonly string[]): Promise<string> {
  const { token } = await connectUser({
    origin: new URL(facts.url).origin,
    partner: { clientId: facts.partner, secret: facts.partnerSecret, redirectUri: `${facts.appOrigin}/connected` },
    user,
    services,
    credential: facts.sandboxKey,
  });
  return token;
}

async function failOnce({ sandboxOrigin }: DemoFacts, operationId: string | null): Promise<void> {
  await post(`${sandboxOrigin}/__sandbox/misbehave`, {}, { kind: 'server-error', operationId });
}

async function post(url: string, headers: Readonly<Record<string, string>>, body: object): Promise<void> {
  const json = { 'Content-Type': 'application/json', ...headers };
  const response = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
