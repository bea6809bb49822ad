/** The baseline: JSON-RPC on `node:http` without authentication or validation. */

import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { callUpstream, readJson, readServerSettings } from '../call.ts';

interface Message {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly arguments: Readonly<Record<string, unknown>> };
}

const { port, upstream, listFile } = readServerSettings();
const list = readFileSync(listFile);

createServer(async (request, response) => {
  await answer((await readJson(request)) as Message, response);
}).listen(port, '127.0.0.1');

async function answer({ id, method, params }: Message, response: ServerResponse): Promise<void> {
  response.setHeader('content-type', 'application/json');
  if (method === 'tools/list') {
    const before = `{"jsonrpc":"2.0","id":${id},"result":`;
    response.setHeader('content-length', before.length + list.length + 1);
    response.write(before);
    response.write(list);
    response.end('}');
    return;
  }
  const text = await callUpstream(upstream, params.arguments);
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }));
}
