/** The requests that every server receives. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'undici';
import { ARGUMENTS } from './call.ts';
import { SHIPPED_TOOLS, startGateway } from './gateway-process.ts';
import { type LoadTarget, nextRequest } from './load-process.ts';
import type { Revision, RunningSubject, Surroundings } from './server-process.ts';

export interface Workload {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  readonly method: 'tools/call' | 'tools/list';
  readonly revision: Revision;
  readonly tools: number;
}

/** In the order of the tables. */
export const WORKLOADS: readonly Workload[] = [
  { name: 'call', title: 'tools/call', method: 'tools/call', revision: '2025-11-25', tools: SHIPPED_TOOLS },
  { name: 'call-2026', title: 'tools/call', method: 'tools/call', revision: '2026-07-28', tools: SHIPPED_TOOLS },
  { name: 'list-64', title: 'tools/list', method: 'tools/list', revision: '2025-11-25', tools: SHIPPED_TOOLS },
  { name: 'list-1000', title: 'tools/list', method: 'tools/list', revision: '2025-11-25', tools: 1000 },
];

/** Where the requests go, for whom, and which tool they call. */
type Endpoint = Pick<RunningSubject, 'origin' | 'path' | 'toolName' | 'credentials'>;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The requests of a workload. */
export function toTarget(
  { method, revision }: Pick<Workload, 'method' | 'revision'>,
  { origin, path: target, credentials, toolName }: Endpoint,
  clients: number,
): LoadTarget {
  const isCall = method === 'tools/call';
  const params = {
    ...(isCall ? { name: toolName, arguments: ARGUMENTS } : {}),
    ...(revision === '2026-07-28' ? { _meta: META } : {}),
  };
  const body = ['{"jsonrpc":"2.0","id":', `,"method":"${method}","params":${JSON.stringify(params)}}`] as const;
  const shared = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    ...(revision === '2026-07-28' ? { 'mcp-method': method, ...(isCall ? { 'mcp-name': toolName } : {}) } : {}),
  };
  return { origin, path: target, headers: credentials.map((own) => ({ ...own, ...shared })), body, clients };
}

/** Writes the gateway's list to a file, and returns its path. */
export async function writeToolList(
  surroundings: Pick<Surroundings, 'upstream' | 'folder' | 'tools'>,
): Promise<string> {
  const alone = { ...surroundings, users: 1, postgresUrl: null, listFile: '' };
  const gateway = await startGateway(alone);
  try {
    const answer = JSON.parse(await askForList(gateway)) as { result: { tools: unknown[] } };
    if (answer.result.tools.length !== surroundings.tools) {
      throw new Error(`the gateway lists ${answer.result.tools.length} tools, not ${surroundings.tools}`);
    }
    const file = path.join(surroundings.folder, 'tools.json');
    await writeFile(file, JSON.stringify(answer.result));
    return file;
  } finally {
    await gateway.stop();
  }
}

/** Sends one `tools/list`. @returns the body. @throws {Error} if the server is unreachable or does not answer 200. */
export async function askForList(server: Endpoint): Promise<string> {
  const list = { method: 'tools/list', revision: '2025-11-25' } as const;
  const client = new Client(server.origin);
  try {
    const { statusCode, body } = await client.request(nextRequest(toTarget(list, server, 1)));
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`tools/list was answered with ${statusCode}: ${text.slice(0, 500)}`);
    return text;
  } finally {
    await client.close();
  }
}
