/** The baseline: JSON-RPC on `node:http` without authentication or validation. */

import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { brotliCompressSync, constants } from 'node:zlib';
import { callUpstream, readJson, readServerSettings } from '../call.ts';

interface Message {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly arguments: Readonly<Record<string, unknown>> };
}

const { port, upstream, listFile } = readServerSettings();
const list = readFileSync(listFile);
const compressedList = brotliCompressSync(`{"result":${list},"jsonrpc":"2.0","id":1}`, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
});

createServer(async (request, response) => {
  const message = (await readJson(request)) as Message;
  if (request.headers['accept-encoding'] === 'br') sendCompressedList(response);
  else await answer(message, response);
}).listen(port, '127.0.0.1');

function sendCompressedList(response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-encoding', 'br');
  response.setHeader('content-length', compressedList.length);
  response.end(compressedList);
}

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
