/** Simulates a day of sample users who connect services and call tools, so that the dashboard has data to show. */

import { exampleOf } from '../../../server/call/tools/call/argument-rules.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { connectUser } from '../../demo/connect.ts';
import { type DemoFacts, type ToolCall, toCallRequest } from '../../demo/text.ts';
import { setClock } from './clock.ts';

const HOUR_MS = 3_600_000;

/** Calls in each of the 24 hours, starting at 14:30: few at night. */
const CALLS = [17, 15, 12, 9, 7, 6, 4, 3, 2, 1, 1, 0, 1, 2, 4, 6, 9, 13, 18, 22, 24, 21, 19, 23];
const USERS = ['ines', 'omar', 'yuki', 'paul', 'lena', 'tomas', 'nora'];

/** After this many calls, the upstream fails once. */
const CALLS_PER_FAILURE = 31;
/** After this many calls, the arguments are wrong. */
const CALLS_PER_MISTAKE = 23;

/** @param end milliseconds since 1970, when the day ends. */
export async function liveADay(facts: DemoFacts, end: number): Promise<void> {
  const services = facts.connectors.map(({ name }) => name);
  const everyCall = facts.connectors.flatMap(callsOf);
  let count = 0;
  for (const [hour, calls] of CALLS.entries()) {
    const start = end - (CALLS.length - hour) * HOUR_MS;
    setClock(start);
    const user = USERS[hour % USERS.length] ?? facts.user;
    const connected = services.slice(0, 1 + (hour % services.length));
    const { token } = await connectUser({
      origin: new URL(facts.url).origin,
      partner: {
        clientId: facts.partner,
        secret: facts.partnerSecret,
        redirectUri: `${facts.appOrigin}/services/connected`,
      },
      user,
      services: connected,
      credential: facts.sandboxKey,
    });
    const possible = everyCall.filter(({ service }) => connected.includes(service));
    for (let call = 0; call < calls; call += 1) {
      setClock(start + ((call + 1) * HOUR_MS) / (calls + 2));
      count += 1;
      // Squares, so that some tools are called more than others.
      const chosen = possible[(count * count) % possible.length];
      if (chosen === undefined) throw new Error(`${user} has no tool to call`);
      if (count % CALLS_PER_FAILURE === 0) {
        const failure = { kind: 'server-error', operationId: chosen.operationId };
        await post(`${facts.sandboxOrigin}/__sandbox/misbehave`, {}, failure);
      }
      const request = count % CALLS_PER_MISTAKE === 0 ? { ...chosen.call, arguments: { unknown: true } } : chosen.call;
      await post(facts.url, { Authorization: `Bearer ${token}` }, toCallRequest(request));
    }
  }
  setClock(end);
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

async function post(url: string, headers: Readonly<Record<string, string>>, body: object): Promise<void> {
  const json = { 'Content-Type': 'application/json', ...headers };
  const response = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
