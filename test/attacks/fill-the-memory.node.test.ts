import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Router from '@koa/router';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BodyBudget, type BodySender } from '../../server/base/http/body-budget.ts';
import { readText } from '../../server/base/http/exchange.ts';
import type { RequestState } from '../../server/base/http/state.ts';
import { createKoa } from '../../server/koa.ts';
import {
  ECHO_TOOL,
  echo,
  provideTools,
  type RunningEndpoint,
  SILENT,
  startEndpoint,
} from '../server/call/mcp/support.ts';

const MEBIBYTE = 1024 * 1024;
const BUDGET = 16 * MEBIBYTE;
/** What one request may send before it counts. */
const UNCOUNTED_BYTES = 16 * 1024;
const UPLOAD = 'library_upload';
const callOf = (name: string, bytes: number, { first = '' } = {}) =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{${first}"name":"${name}","arguments":{"data":"${'x'.repeat(bytes)}"}}}`;
const LARGEST = callOf(UPLOAD, 3.9 * MEBIBYTE);

/** Tells how much of a user's bodies counts now. */
class WatchedBudget extends BodyBudget {
  readonly #held = new Map<string, number>();

  override take(sender: BodySender, bytes: number, atLeast: number): void {
    super.take(sender, bytes, atLeast);
    this.#held.set(sender.user, this.heldBy(sender.user) + bytes);
  }

  override giveBack(sender: BodySender): void {
    this.#held.set(sender.user, this.heldBy(sender.user) - sender.held);
    super.giveBack(sender);
  }

  heldBy(user: string): number {
    return this.#held.get(user) ?? 0;
  }
}

let endpoint: RunningEndpoint;
let budget: WatchedBudget;
let uploads: (() => void)[];
const open: ClientRequest[] = [];

function begin(user: string, bytes: number, headers: Readonly<Record<string, string>> = {}): ClientRequest {
  const own = { authorization: `Bearer ${user}`, 'content-type': 'application/json', 'content-length': String(bytes) };
  const sent = request(endpoint.url, { method: 'POST', agent: false, headers: { ...own, ...headers } });
  sent.on('error', () => {});
  open.push(sent);
  return sent;
}

async function answerOf(sent: ClientRequest) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  const texts: string[] = [];
  for await (const text of answer.setEncoding('utf8')) texts.push(text);
  return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], body: JSON.parse(texts.join('')) };
}

/** Sends a request, again if the connection is reset: a refusal may come while the body is still on its way. */
async function send(user: string, body: string, headers: Readonly<Record<string, string>> = {}, tries = 3) {
  const sent = begin(user, Buffer.byteLength(body), headers);
  const answered = answerOf(sent);
  sent.end(body);
  return answered.catch((error: NodeJS.ErrnoException): ReturnType<typeof answerOf> => {
    if (tries === 1 || (error.code !== 'ECONNRESET' && error.code !== 'EPIPE')) throw error;
    return send(user, body, headers, tries - 1);
  });
}

async function holdOpen(user: string): Promise<ClientRequest> {
  const sent = begin(user, LARGEST.length);
  sent.write(LARGEST.slice(0, -1));
  while (budget.heldBy(user) < LARGEST.length - 1 - UNCOUNTED_BYTES) await delay(5);
  return sent;
}

function liveHeap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

beforeEach(async () => {
  uploads = [];
  budget = new WatchedBudget(BUDGET);
  const upload = async () => {
    await new Promise<void>((resolve) => uploads.push(resolve));
    return { content: [] };
  };
  const calls = { library_echo: echo, [UPLOAD]: upload };
  endpoint = await startEndpoint({
    tools: {
      ...provideTools(calls, [ECHO_TOOL, { ...ECHO_TOOL, name: UPLOAD }]),
      takesFiles: (name) => name === UPLOAD,
    },
    maxBodyBytes: 4 * MEBIBYTE,
    bodies: budget,
  });
});
afterEach(async () => {
  for (const sent of open.splice(0)) sent.destroy();
  for (const end of uploads) end();
  await endpoint.close();
});

const OVERLOADED = {
  status: 503,
  retryAfter: '2',
  body: {
    jsonrpc: '2.0',
    id: null,
    error: { code: 503, message: 'Too many large requests are being read at once. Try again in 2 seconds.' },
  },
};

describe('large bodies that are held open', () => {
  test('of one user leave room for its partner', async () => {
    await holdOpen('ada');
    expect(await send('ada', LARGEST)).toEqual(OVERLOADED);
    const sent = send('grace', LARGEST);
    while (uploads.length === 0) await delay(5);
    uploads[0]?.();
    expect((await sent).status).toBe(200);
  });

  test('of many users are refused beyond half of the budget, and small calls are answered', async () => {
    await Promise.all([holdOpen('ada'), holdOpen('grace')]);
    const refused = await Promise.all(Array.from({ length: 10 }, (_, index) => send(`user-${index}`, LARGEST)));
    expect(refused).toEqual(Array.from({ length: 10 }, () => OVERLOADED));
    for (const user of ['ada', 'quiet']) expect((await send(user, callOf('library_echo', 1000))).status).toBe(200);
  });

  test('count until they are given up', async () => {
    const held = await holdOpen('ada');
    expect((await send('ada', LARGEST)).status).toBe(503);
    held.destroy();
    while (budget.heldBy('ada') > 0) await delay(5);
    const sent = send('ada', LARGEST);
    while (uploads.length === 0) await delay(5);
    uploads[0]?.();
    expect((await sent).status).toBe(200);
  });
});

test('a large body counts until its call has ended, even if its client disconnects', async () => {
  const sent = begin('ada', LARGEST.length);
  sent.end(LARGEST);
  while (uploads.length === 0) await delay(5);
  sent.destroy();
  await delay(50);
  expect(await send('ada', LARGEST)).toEqual(OVERLOADED);
  uploads[0]?.();
  while (budget.heldBy('ada') > 0) await delay(5);
  const again = send('ada', LARGEST);
  while (uploads.length === 1) await delay(5);
  uploads[1]?.();
  expect((await again).status).toBe(200);
});

test('a body of tiny pieces takes no more memory than another', async () => {
  const sent = begin('ada', LARGEST.length, { 'content-length': '', 'transfer-encoding': 'chunked' });
  sent.removeHeader('content-length');
  const pieces = '1\r\n \r\n'.repeat(400_000);
  sent.flushHeaders();
  await new Promise((resolve) => sent.once('socket', (socket) => socket.once('connect', resolve)));
  const before = liveHeap();
  sent.socket?.write(pieces);
  await delay(1000);
  expect(liveHeap() - before).toBeLessThan(10 * MEBIBYTE);
});

describe('the rest of a body of more than 512 KiB is not read', () => {
  const BODIES = [
    ['a tool that takes no files', callOf('library_echo', 600_000), 7],
    ['a tool whose name comes later', callOf(UPLOAD, 0, { first: `"a":"${'x'.repeat(600_000)}",` }), 7],
    ['no JSON', 'x'.repeat(600_000), null],
    ['a list of messages', `[${callOf(UPLOAD, 600_000)}]`, null],
  ] as const;

  test('unless it is of a tool for files, known by what has arrived', async () => {
    const answers = BODIES.map(async ([title, body]) => {
      const sent = begin('ada', 3 * MEBIBYTE);
      sent.write(body);
      const { status, body: answer } = await answerOf(sent);
      return [title, status, answer.id, answer.error.message];
    });
    const message = 'The request body is larger than 524288 bytes. Only calls of tools that take files may be.';
    expect(await Promise.all(answers)).toEqual(BODIES.map(([title, , id]) => [title, 413, id, message]));
  }, 10_000);

  test('or by its headers, which may not lie', async () => {
    const late = callOf(UPLOAD, 0, { first: `"a":"${'x'.repeat(600_000)}",` });
    const sent = send('ada', late, { 'mcp-method': 'tools/call', 'mcp-name': UPLOAD });
    while (uploads.length === 0) await delay(5);
    uploads[0]?.();
    expect((await sent).status).toBe(200);
    const lying = callOf('library_echo', 600_000, { first: `"a":"${'x'.repeat(600_000)}",` });
    expect((await send('ada', lying, { 'mcp-method': 'tools/call', 'mcp-name': UPLOAD })).status).toBe(413);
  });
});

test('the bodies of requests without a token count for their network', async () => {
  const router = new Router<RequestState>();
  router.post('/form', async (ctx) => {
    await readText(ctx.req, { maxBytes: 40_000, mediaTypes: ['application/json'] });
    ctx.body = {};
  });
  const serve = createKoa(
    {
      config: { publicUrl: 'http://127.0.0.1' },
      log: SILENT,
      addressOf: ({ headers }) => String(headers['x-from']),
      stopping: new AbortController().signal,
      store: { ping: async () => {} },
      bodies: new BodyBudget(100_000),
    },
    null,
    [router],
  );
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const post = (from: string, body: string) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': '40000',
      'x-from': from,
      host: '127.0.0.1',
    };
    const sent = request({ host: '127.0.0.1', port, path: '/form', method: 'POST', agent: false, headers });
    sent.on('error', () => {});
    open.push(sent);
    const answered = answerOf(sent);
    sent.write(body);
    return answered;
  };
  try {
    // Never answered: its body lacks a byte.
    post('2001:db8::1', ' '.repeat(39_999)).catch(() => {});
    await delay(50);
    const whole = ' '.repeat(40_000);
    const { status, retryAfter, body } = await post('2001:db8::2', whole);
    expect([status, retryAfter, body.error]).toEqual([503, '2', 'temporarily_unavailable']);
    expect((await post('2001:db8:1::1', whole)).status).toBe(200);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
