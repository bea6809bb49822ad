/** `npm run lab -- bench list`: measures what thousands of tools cost a gateway, in its own process. */

import { Client } from 'undici';
import { createDatabase, GATEWAY_ENDPOINT, startGatewayProcess } from './gateway-process.ts';
import { send } from './load-process.ts';
import type { Section } from './report.ts';
import type { RunningSubject, ServerProcess } from './server-process.ts';
import { onStage } from './stage.ts';
import { askForList, toTarget, type Workload } from './workloads.ts';

interface ManyToolsPlan {
  readonly tools: number;
  readonly lists: number;
  readonly unknownNames: number;
}

interface ManyToolsFigures extends ManyToolsPlan {
  /** Cost from the start of the process to the end of its first `tools/list`. */
  readonly start: Spent;
  /** Resident memory of the process after all requests. */
  readonly residentBytes: number;
  /** Cost of one request for the first page of the list. */
  readonly list: Spent;
  /** Cost of one call with a misspelt tool name. */
  readonly unknownName: Spent;
}

/** Milliseconds, by the clock and as CPU time of all threads of the server. */
interface Spent {
  readonly clock: number;
  readonly cpu: number;
}

/** The shipped tool that is called most, with two letters swapped. */
const UNKNOWN_NAME = 'mailer_list_contcats';

/** Starts the gateway on SQLite with its own tools repeated under other names, and sends one request after another. */
export function measureManyTools(plan: ManyToolsPlan): Promise<ManyToolsFigures> {
  return onStage(async ({ upstream, folder, atEnd }) => {
    const { url, credentials } = await createDatabase({ folder, users: 1, postgresUrl: null });
    const server = await startGatewayProcess(url, { upstream, tools: plan.tools, profileFile: null });
    atEnd(() => server.stop());
    const endpoint = { ...GATEWAY_ENDPOINT, credentials };
    await askForList({ ...endpoint, origin: server.origin });
    const started = performance.now() - server.startedAt;
    const { cpuMicroseconds } = await server.usage();
    const list = await ask(server, { method: 'tools/list', ...endpoint }, plan.lists);
    const { residentBytes } = await server.usage();
    const call = { method: 'tools/call', ...endpoint, toolName: UNKNOWN_NAME } as const;
    await ask(server, call, 1);
    const unknownName = await ask(server, call, plan.unknownNames);
    return { ...plan, start: { clock: started, cpu: cpuMicroseconds / 1000 }, list, residentBytes, unknownName };
  });
}

type Request = Pick<Workload, 'method'> &
  typeof GATEWAY_ENDPOINT & { readonly credentials: RunningSubject['credentials'] };

/** Sends the same request this many times on one connection. @returns the cost of one. */
async function ask(server: ServerProcess, { method, ...endpoint }: Request, times: number): Promise<Spent> {
  const target = toTarget({ method, revision: '2025-11-25' }, { ...endpoint, origin: server.origin }, 1);
  const client = new Client(server.origin);
  const before = await server.usage();
  const startedAt = performance.now();
  for (let asked = 0; asked < times; asked += 1) {
    const status = await send(client, target);
    if (status !== 200) throw new Error(`${method} was answered with ${status}`);
  }
  const clock = (performance.now() - startedAt) / times;
  await client.close();
  const { cpuMicroseconds } = await server.usage();
  return { clock, cpu: (cpuMicroseconds - before.cpuMicroseconds) / 1000 / times };
}

export function toManyToolsSection(figures: ManyToolsFigures): Section {
  const { tools, lists, unknownNames, start, list, unknownName, residentBytes } = figures;
  const row = (title: string, { clock, cpu }: Spent): string[] => [title, clock.toFixed(2), cpu.toFixed(2), ''];
  return {
    name: 'list',
    title: `${tools} tools in one gateway on SQLite, one request after another`,
    table: [
      ['', 'ms', 'CPU ms', 'memory MB'],
      row('start, to the end of the first list', start),
      [...row(`one page of the list, of ${lists}`, list).slice(0, 3), (residentBytes / 1e6).toFixed(0)],
      row(`a call of an unknown name, of ${unknownNames}`, unknownName),
    ],
  };
}
