/** Users who call a tool at a fixed rate, whether or not calls are answered; a separate process. */

import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** Instructions for the process. */
export interface Orders {
  /** URL of the MCP endpoint. */
  readonly url: string;
  /** `Host` of every request. */
  readonly host: string;
  /** Access tokens of the users, who call in turn. */
  readonly tokens: readonly string[];
  readonly tool: string;
  readonly arguments: object;
  readonly callsPerSecond: number;
  readonly milliseconds: number;
}

/** One call. */
export interface MadeCall {
  readonly milliseconds: number;
  /** `ok`, an error code, or `none`. */
  readonly outcome: string;
}

const TICK_MS = 5;

async function callAtPace(orders: Orders): Promise<MadeCall[]> {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const params = { name: orders.tool, arguments: orders.arguments };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const made: Promise<MadeCall>[] = [];
  const startedAt = performance.now();
  const call = async (): Promise<MadeCall> => {
    const token = orders.tokens[made.length % orders.tokens.length];
    const headers = { 'content-type': 'application/json', host: orders.host, authorization: `Bearer ${token}` };
    const sentAt = performance.now();
    const outcome = await request(orders.url, { method: 'POST', headers, body, dispatcher })
      .then(async (answer) => outcomeOf(await answer.body.text()))
      .catch(() => 'none');
    return { milliseconds: performance.now() - sentAt, outcome };
  };
  for (let elapsed = 0; elapsed < orders.milliseconds; elapsed = performance.now() - startedAt) {
    while (made.length < (elapsed / 1000) * orders.callsPerSecond) made.push(call());
    await delay(TICK_MS);
  }
  const all = await Promise.all(made);
  await dispatcher.close();
  return all;
}

function outcomeOf(text: string): string {
  if (!text.includes('"isError":true')) return text.includes('"result"') ? 'ok' : 'none';
  return /\\"code\\":\\"(\w+)/.exec(text)?.[1] ?? 'none';
}

process.once('message', async (orders: Orders) => {
  process.send?.(await callAtPace(orders), () => process.disconnect?.());
});
