/** A model that plays the plans of a file of requests, behind an endpoint of OpenAI's chat completions on loopback. */

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'yaml';
import { type Query, select } from '../../scripts/evals/select.ts';

interface Step {
  readonly call: string;
  readonly with?: Readonly<Record<string, unknown>>;
  /** True: the next page is called for as long as there is one. */
  readonly pages?: boolean;
  /** The name under which the items of the answer are kept. */
  readonly as?: string;
  /** Which of them are kept. */
  readonly where?: Query['where'];
  /** One call for each of these kept items, as `{item...}`. */
  readonly each?: string;
}

export interface Planned {
  readonly ask: string;
  readonly expect: { readonly take?: string };
  readonly plan: readonly Step[];
  /** What of the kept items is the answer; absent: all of `of`, taken as the expected one. */
  readonly answer?: Query & { readonly of: string };
}

export interface Call {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** A body of a request, as much as is read of it. */
export interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly tools: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
}

/** Takes the results of the last calls, and gives the next ones. */
export type Play = Generator<readonly Call[], unknown, readonly string[]>;

export interface ModelEndpoint {
  /** Base URL. */
  readonly url: string;
  /** Bodies of all requests, oldest first. */
  readonly asked: readonly Asked[];
  /** `Authorization` of the last request. */
  readonly authorization: () => string | undefined;
  close(): Promise<void>;
}

/** An answer other than a completion. */
export interface Misbehaviour {
  /** 0: it closes the connection without an answer. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ModelOptions {
  /** How a conversation goes that begins with this request. It ends with a call of `answer`. */
  readonly play: (asked: Asked) => Play;
  /** What the endpoint answers instead, once each, from the first request on. Null: what it should. */
  readonly first?: readonly (Misbehaviour | null)[];
  /** Tokens that it says it has used for a request. Default: it says nothing. */
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  /** Changes the message of a completion. */
  readonly change?: (message: object, asked: Asked) => object;
}

export async function startModel({ play, first = [], usage, change }: ModelOptions): Promise<ModelEndpoint> {
  const asked: Asked[] = [];
  const plays = new Map<string, Play>();
  const waiting = [...first];
  let authorization: string | undefined;
  let id = 0;
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await read(request)) as Asked;
    authorization = request.headers.authorization;
    asked.push(body);
    const wrong = waiting.shift() ?? null;
    // All parts are in one process: while one is busy, another's idle connection may be closed.
    response.setHeader('Connection', 'close');
    if (wrong?.status === 0) return response.destroy();
    if (wrong !== null) return response.writeHead(wrong.status, wrong.headers).end(wrong.body ?? '');
    const results = resultsIn(body.messages);
    const ask = body.messages[1]?.content ?? '';
    const own = results === null ? play(body) : (plays.get(ask) ?? play(body));
    plays.set(ask, own);
    const { value, done } = results === null ? own.next() : own.next(results);
    const calls = done === true ? [{ name: 'answer', args: { value } }] : (value as readonly Call[]);
    const toolCalls = calls.map(({ name, args }) => {
      id += 1;
      return { id: `call_${id}`, type: 'function', function: { name, arguments: JSON.stringify(args) } };
    });
    const message = { role: 'assistant', content: null, tool_calls: toolCalls };
    const completion = { choices: [{ index: 0, message: change?.(message, body) ?? message }], usage };
    return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(completion));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    url,
    asked,
    authorization: () => authorization,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Plays the plan of the request that is asked. */
export function playPlans(file: string): ModelOptions['play'] {
  const { requests } = parse(readFileSync(file, 'utf8'), { merge: true }) as { readonly requests: readonly Planned[] };
  const plans = new Map(requests.map((request) => [request.ask, request]));
  return ({ messages, tools }) => {
    const request = plans.get(messages[1]?.content ?? '');
    if (request === undefined) throw new Error(`no plan for ${messages[1]?.content}`);
    return playPlan(request, new Set(tools.map((tool) => tool.function.name)));
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** The messages after the last one of the model; null: it has said nothing yet. */
function resultsIn(messages: Asked['messages']): readonly string[] | null {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return last < 0 ? null : messages.slice(last + 1).map(({ content }) => content ?? '');
}

function* playPlan({ plan, expect, answer }: Planned, offered: ReadonlySet<string>): Play {
  const kept = new Map<string, readonly unknown[]>();
  const isOffered = (name: string) => offered.has(name) || !offered.has('describe_tools');
  const others = [...new Set(plan.map(({ call }) => call))].filter((name) => !isOffered(name));
  if (others.length > 0) yield [{ name: 'describe_tools', args: { names: others } }];
  const toCall = (name: string, args: Record<string, unknown>): Call => {
    if (isOffered(name)) return { name, args };
    const reads = /^[a-z]+_(list|get|find|search|retrieve)/.test(name);
    return { name: reads ? 'call_reading_tool' : 'call_writing_tool', args: { name, arguments: args } };
  };
  for (const step of plan) {
    const over = step.each === undefined ? [{}] : (kept.get(step.each) ?? []);
    const items: unknown[] = [];
    let next = over.map((item) => {
      const all = Object.fromEntries(kept);
      const names = { item, all, ...Object.fromEntries([...kept].map(([name, [first]]) => [name, first])) };
      return toCall(step.call, fill(step.with ?? {}, names) as Record<string, unknown>);
    });
    while (next.length > 0) {
      const results = yield next;
      const answers = results.flatMap(readAnswer);
      items.push(...answers.flatMap(itemsIn));
      const more = answers.map((one) => (one as { page?: { nextArguments?: object | null } }).page?.nextArguments);
      next = more.flatMap((args) =>
        step.pages === true && args != null ? [toCall(step.call, args as Record<string, unknown>)] : [],
      );
    }
    if (step.as !== undefined) kept.set(step.as, select(items, { where: step.where ?? {} }) as readonly unknown[]);
  }
  if (answer === undefined) return 'done';
  return select(kept.get(answer.of) ?? [], { ...(expect.take === undefined ? {} : { take: expect.take }), ...answer });
}

/** The first part of an answer is JSON, that of an error is not. */
function readAnswer(text: string): object[] {
  try {
    return [JSON.parse(text.split('\n', 1)[0] ?? '') as object];
  } catch {
    return [];
  }
}

/** Replaces `{name.member}` by the member of the first item that is kept as `name`; a text that is only that keeps its type. */
function fill(value: unknown, names: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => fill(item, names));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner, names)]));
  }
  if (typeof value !== 'string') return value;
  const whole = /^\{([\w.]+)\}$/.exec(value)?.[1];
  if (whole === undefined) return value;
  return whole.split('.').reduce<unknown>((inner, name) => {
    const of = (one: unknown) => (one as Record<string, unknown> | undefined)?.[name];
    return Array.isArray(inner) && name !== 'length' ? inner.map(of) : of(inner);
  }, names);
}
/** The items of an answer: the groups or figures of an aggregate, those of its first list, or the answer itself if it has none. */
function itemsIn(answer: unknown): readonly unknown[] {
  const { aggregate } = answer as { readonly aggregate?: { readonly groups?: readonly unknown[] } };
  if (aggregate !== undefined) return aggregate.groups ?? [aggregate];
  const members = Object.entries(answer as object).filter(([name]) => name !== 'page' && name !== 'pagination');
  const inner = members.flatMap(([, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [],
  );
  const lists = [...members, ...inner].filter(
    ([name, value]) =>
      Array.isArray(value) && /^(data|documents|chunks|scored_chunks|partitions|connections)$/.test(name),
  );
  if (lists[0] !== undefined) return lists[0][1] as readonly unknown[];
  const whole = members.length === 1 ? members[0]?.[1] : undefined;
  return [typeof whole === 'object' && whole !== null ? whole : answer];
}
