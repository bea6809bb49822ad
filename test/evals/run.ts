/** Measures requests of persons: a scripted model makes the calls of each plan, and what it reads is compared with the world of the sandbox. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { parse } from 'yaml';
import { type CountTokens, createTokenCounter } from '../../codegen/emit/tool-size.ts';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';
import { itemsIn, type Query, select } from './select.ts';

/** What the world says: an answer, records that are gone, or members that have new values. */
interface Expected extends Query {
  /** Service and path of the list, such as `crm /v2/persons`. */
  readonly list: string;
  /** Parameters of the path of a table of rows. */
  readonly path?: Readonly<Record<string, string>>;
  /** Exactly the records of `where` are deleted. */
  readonly gone?: boolean;
  /** Exactly the records of `where` get these members. */
  readonly becomes?: Readonly<Record<string, unknown>>;
}

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

export interface EvalRequest {
  readonly ask: string;
  readonly expect: Expected;
  readonly plan: readonly Step[];
  /** What of the kept items is the answer; absent: all of `of`, taken as the expected one. */
  readonly answer?: Query & { readonly of: string };
}

interface EvalFile {
  /** People of the world. */
  readonly world: number;
  /** Tokens that one request may read. */
  readonly limit: number;
  readonly requests: readonly EvalRequest[];
}

export interface Outcome {
  readonly ask: string;
  readonly completed: boolean;
  readonly calls: number;
  /** Tokens of the answers' text. */
  readonly tokens: number;
  /** Why it is not completed. */
  readonly why?: string;
}

const ROOT = resolve(import.meta.dirname, '../..');
const SECRET = 'sandbox-key';

export async function runEvals(
  file: string = join(import.meta.dirname, 'requests.yaml'),
  tell = (_: Outcome) => {},
): Promise<Outcome[]> {
  const { world, limit, requests } = parse(readFileSync(file, 'utf8'), { merge: true }) as EvalFile;
  const sandbox = await openSandbox({ root: ROOT, credential: SECRET, world });
  // A model waits for the limits of a service; a measure of tokens and calls need not.
  const connectors = (await loadConnectors()).map(({ caps: _, ...connector }) => connector);
  const settings = { TOOL_CALLS_PER_MINUTE: '1000000', UPSTREAM_TIMEOUT_MS: '60000' };
  const env = Object.assign(settings, ...Object.values(sandbox.environment));
  const gateway = await startGateway({ connectors, env, secretOf: () => SECRET });
  const client = await connectClient(gateway);
  const count = await createTokenCounter();
  const outcomes: Outcome[] = [];
  for (const request of requests) {
    const outcome = await runRequest(request, { client, sandbox, count, limit });
    outcomes.push(outcome);
    tell(outcome);
  }
  await client.close();
  await gateway.close();
  await sandbox.close();
  return outcomes;
}

interface Run {
  readonly client: Client;
  readonly sandbox: OpenSandbox;
  readonly count: CountTokens;
  readonly limit: number;
}

async function runRequest(request: EvalRequest, run: Run): Promise<Outcome> {
  const { ask, expect, answer } = request;
  const before = recordsOf(run.sandbox, expect);
  const reader = new Reader(run);
  try {
    for (const step of request.plan) await reader.take(step);
  } catch (error) {
    return { ask, completed: false, calls: reader.calls, tokens: reader.tokens, why: (error as Error).message };
  }
  const { calls, tokens } = reader;
  const isWrite = expect.gone === true || expect.becomes !== undefined;
  const why = isWrite
    ? compareState(expect, before, recordsOf(run.sandbox, expect))
    : compareAnswer(
        select(before, expect),
        select(reader.kept.get(answer?.of ?? '') ?? [], { take: expect.take, ...answer } as Query),
      );
  return { ask, completed: why === null, calls, tokens, ...(why === null ? {} : { why }) };
}

function recordsOf(sandbox: OpenSandbox, { list, path }: Expected): readonly unknown[] {
  const [service = '', pattern = ''] = list.split(' ');
  const world = sandbox.services.get(service)?.world;
  if (world === undefined || world === null) throw new Error(`There is no world of ${service}.`);
  if (path === undefined) return structuredClone(world.records(pattern));
  const rows = world.rows(pattern, path);
  return Array.from({ length: rows.length }, (_, index) => rows.at(index));
}

function compareAnswer(want: unknown, got: unknown): string | null {
  const [left, right] = [JSON.stringify(want), JSON.stringify(got)];
  if (Array.isArray(want) && want.length === 0) return 'the world has no such thing';
  return left === right ? null : `expected ${left.slice(0, 120)}, got ${right.slice(0, 120)}`;
}

function compareState(expect: Expected, before: readonly unknown[], after: readonly unknown[]): string | null {
  const meant = new Set(select(before, { where: expect.where ?? {}, take: 'id' }) as readonly unknown[]);
  if (meant.size === 0) return 'the world has no such thing';
  const idOf = (record: unknown) => (record as { readonly id: unknown }).id;
  const want = before.flatMap((record) => {
    if (!meant.has(idOf(record))) return [record];
    return expect.gone === true ? [] : [{ ...(record as object), ...expect.becomes }];
  });
  const [left, right] = [want, after].map((records) => new Set(records.map((record) => JSON.stringify(record))));
  const missing = [...(left ?? [])].filter((record) => right?.has(record) === false);
  const extra = [...(right ?? [])].filter((record) => left?.has(record) === false);
  return missing.length + extra.length === 0
    ? null
    : `${missing.length} records are missing, ${extra.length} should not be so`;
}

/** Makes the calls of a plan, and keeps what they answer. */
class Reader {
  readonly kept = new Map<string, readonly unknown[]>();
  calls = 0;
  tokens = 0;
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  async take(step: Step): Promise<void> {
    const over = step.each === undefined ? [{}] : (this.kept.get(step.each) ?? []);
    const items: unknown[] = [];
    for (const item of over) {
      const names = { item, ...Object.fromEntries([...this.kept].map(([name, [first]]) => [name, first])) };
      let next: unknown = fill(step.with ?? {}, names);
      while (next !== null && next !== undefined) {
        const answer = await this.#call(step.call, next as Record<string, unknown>);
        items.push(...itemsIn(answer));
        next = step.pages === true ? (answer as { page?: { nextArguments?: unknown } }).page?.nextArguments : null;
      }
    }
    if (step.as !== undefined) this.kept.set(step.as, select(items, { where: step.where ?? {} }) as readonly unknown[]);
  }

  async #call(name: string, args: Record<string, unknown>): Promise<unknown> {
    const { client, count, limit } = this.#run;
    this.calls += 1;
    const call = () => client.callTool({ name, arguments: args });
    // All parts are in one process: while one is busy, another's idle connection may be closed.
    const result = await call().catch((error: Error) =>
      error.message === 'fetch failed' ? call() : Promise.reject(error),
    );
    const text = (result.content as readonly { readonly text?: string }[]).map((part) => part.text ?? '').join('\n');
    this.tokens += count(text);
    if (result.isError === true) throw new Error(`${name}: ${text.slice(0, 160)}`);
    if (this.tokens > limit) throw new Error(`more than ${limit} tokens`);
    return result.structuredContent ?? {};
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
  const found = whole
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], names);
  if (found === undefined) throw new Error(`nothing was found as ${value}`);
  return found;
}

/** The outcomes as a table, with the sums. */
export function toTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(
    ({ ask, completed, calls, tokens, why }) =>
      `${completed ? 'yes' : 'NO '} ${String(calls).padStart(5)} ${tokens.toLocaleString('en').padStart(8)}  ${ask}${why === undefined ? '' : `  [${why}]`}`,
  );
  const sum = (of: 'calls' | 'tokens') =>
    outcomes.reduce((total, outcome) => total + outcome[of], 0).toLocaleString('en');
  const done = outcomes.filter(({ completed }) => completed).length;
  return [...rows, `completed ${done} of ${outcomes.length}, ${sum('calls')} calls, ${sum('tokens')} tokens read`].join(
    '\n',
  );
}
