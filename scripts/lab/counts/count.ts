/** Counts what one call, one list and the start of a gateway take, none of which depends on the machine or on what else it does. */

import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SHIPPED_TOOLS, startGateway } from '../bench/gateway/gateway-process.ts';
import type { Stage } from '../bench/gateway/stage.ts';
import { askForList, toTarget } from '../bench/gateway/workloads.ts';
import type { Answers } from './probe.ts';

/** One counted number, and what it consists of, one line each. */
export interface Counted {
  readonly count: number;
  readonly parts: readonly string[];
}

/** By what was measured, such as `tools/call on SQLite`, and by figure. */
export type Counts = Readonly<Record<string, Readonly<Record<string, Counted>>>>;

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PROBE = pathToFileURL(path.join(import.meta.dirname, 'probe.ts')).href;
/** They call in turn, so that none reaches a limit. */
const USERS = 250;
const SAMPLED_CALLS = 10_000;
const WATCHED_CALLS = 1000;
/** So few that what is read again after the records of 200 calls were written is no statement of every call. */
const WATCHED_USERS = 50;
const COVERED_AT_ONCE = 3;
const COVERED_TIMES = 3;
const SETTLE_MS = 1500;
const AFTERMATH_MS = 100;

type Ask = <Question extends keyof Answers>(question: Question) => Promise<Answers[Question]>;
type Send = (requests: number) => Promise<void>;

/**
 * Counts on a gateway of its own.
 *
 * @param database its name in the titles. @param postgresUrl null: SQLite.
 */
export async function countGateway(
  { upstream, load, folder, atEnd }: Stage,
  database: string,
  postgresUrl: string | null,
): Promise<Counts> {
  const gateway = await startGateway(
    { upstream, folder, users: USERS, tools: SHIPPED_TOOLS, postgresUrl, profileFile: null, listFile: '' },
    { NODE_OPTIONS: `--import ${PROBE}` },
  );
  atEnd(() => gateway.stop());
  const ask: Ask = (question) => gateway.ask(question);
  const counts: Record<string, Record<string, Counted>> = {};
  const count = async (
    work: (ask: Ask, send: Send) => Promise<Record<string, Counted>>,
    users = USERS,
  ): Promise<void> => {
    const endpoint = { ...gateway, credentials: gateway.credentials.slice(0, users) };
    for (const method of ['tools/list', 'tools/call'] as const) {
      await load.open(toTarget({ method, revision: '2025-11-25' }, endpoint, 1));
      const counted = await work(ask, async (requests) => void (await load.run({ requests })));
      await load.close();
      const title = `${method} on ${database}`;
      counts[title] = { ...counts[title], ...counted };
    }
  };
  await askForList(gateway);
  counts[`start on ${database}`] = countModules(await ask('modules'));
  await count(warmUp);
  if (postgresUrl === null) await count(countBytes);
  await ask('watch');
  await count(countSent, WATCHED_USERS);
  await count(countEntered, 1);
  return counts;
}

function toCounted(parts: readonly string[]): Counted {
  return { count: parts.length, parts };
}

function countModules(urls: readonly string[]): Record<string, Counted> {
  const files = urls.map((url) => path.relative(ROOT, fileURLToPath(url))).sort();
  const isPackage = (file: string): boolean => file.includes('node_modules/');
  return {
    'modules of ours': toCounted(files.filter((file) => !isPackage(file))),
    'modules of packages': toCounted(files.filter(isPackage)),
  };
}

async function warmUp(_: Ask, send: Send): Promise<Record<string, Counted>> {
  await send(2 * USERS);
  return {};
}

async function countBytes(ask: Ask, send: Send): Promise<Record<string, Counted>> {
  await ask('sample');
  await send(SAMPLED_CALLS);
  const sampled = Object.entries(await ask('sampled')).map(([name, bytes]) => ({ name, bytes: bytes / SAMPLED_CALLS }));
  const parts = sampled
    .filter(({ bytes }) => bytes >= 50)
    .sort((one, other) => other.bytes - one.bytes)
    .map(({ name, bytes }) => `${bytes.toFixed(0)} ${withoutRoot(name)}`);
  return { bytes: { count: Math.round(sampled.reduce((sum, { bytes }) => sum + bytes, 0)), parts } };
}

async function countSent(ask: Ask, send: Send): Promise<Record<string, Counted>> {
  const before = await ask('sent');
  await send(WATCHED_CALLS);
  const after = await ask('sent');
  const statements = Object.entries(after.statements)
    .map(([text, count]) => ({ text, count: count - (before.statements[text] ?? 0) }))
    .filter(({ count }) => count > 0);
  const ofThreads = after.statementsOfThreads - before.statementsOfThreads;
  const perCall = (count: number): number => Math.round(count / WATCHED_CALLS);
  return {
    statements: {
      count: perCall(statements.reduce((sum, { count }) => sum + count, ofThreads)),
      parts: [
        `${ofThreads} of threads`,
        ...statements.map(({ text, count }) => `${count} ${text.replaceAll(/\s+/g, ' ').trim()}`),
      ],
    },
    'socket writes': { count: perCall(after.socketWrites - before.socketWrites), parts: [] },
  };
}

/** Functions that every request enters, and none that runs in the background or begins a period of a limit. */
async function countEntered(ask: Ask, send: Send): Promise<Record<string, Counted>> {
  const enteredByEach = async (): Promise<string[]> => {
    await ask('entered');
    await send(COVERED_AT_ONCE);
    await delay(AFTERMATH_MS);
    return Object.entries(await ask('entered'))
      .filter(([, count]) => count >= COVERED_AT_ONCE)
      .map(([name]) => withoutRoot(name))
      .filter((name) => /^(server|shared)\//.test(name));
  };
  await enteredByEach();
  await delay(SETTLE_MS);
  let functions = await enteredByEach();
  for (let time = 1; time < COVERED_TIMES; time += 1) {
    const again = new Set(await enteredByEach());
    functions = functions.filter((name) => again.has(name));
  }
  const files = [...new Set(functions.map((name) => name.replace(/:.*$/, '')))].sort();
  return {
    functions: toCounted(functions.sort()),
    files: toCounted(files),
    folders: toCounted([...new Set(files.map((file) => path.dirname(file)))]),
  };
}

const withoutRoot = (name: string): string => name.replace(`${pathToFileURL(ROOT).href}/`, '');
