/** The requests that every server receives, as the bytes that a client sends. */

import { ARGUMENTS } from './call.ts';
import { SHIPPED_TOOLS } from './gateway-process.ts';
import type { LoadTarget } from './load-process.ts';
import type { Revision, RunningSubject } from './surroundings.ts';

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

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The requests of a workload, to one server or to several equal ones. */
export function toTarget(
  { method, revision }: Pick<Workload, 'method' | 'revision'>,
  {
    origins,
    path,
    credentials,
    toolName,
  }: Pick<RunningSubject, 'path' | 'credentials' | 'toolName'> & Pick<LoadTarget, 'origins'>,
  clients: number,
): LoadTarget {
  const isCall = method === 'tools/call';
  const params = {
    ...(isCall ? { name: toolName, arguments: ARGUMENTS } : {}),
    ...(revision === '2026-07-28' ? { _meta: META } : {}),
  };
  const before = '{"jsonrpc":"2.0","id":';
  const after = `,"method":"${method}","params":${JSON.stringify(params)}}`;
  const modern = [`mcp-method: ${method}`, ...(isCall ? [`mcp-name: ${toolName}`] : [])];
  const lines = [
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `content-length: ${before.length + 9 + after.length}`,
    `mcp-protocol-version: ${revision}`,
    ...(revision === '2026-07-28' ? modern : []),
  ];
  const heads = credentials.map((own) => `POST ${path} HTTP/1.1\r\n${own}${lines.join('\r\n')}\r\n\r\n`);
  return { origins, heads, body: [before, after], clients };
}
