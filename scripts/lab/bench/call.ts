/** The measured tool call (a path argument, three query arguments and a 1 KB response), and what the benchmark's own servers share. */

import type { IncomingMessage } from 'node:http';
import { request } from 'undici';

/** Every server uses this name; the gateway's tool is generated from `specs/mailer`. */
export const TOOL_NAME = 'mailer_list_contacts';

export const ARGUMENTS = {
  brandId: '5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21',
  limit: 3,
  cursor: 'bGFzdDpjMmI3YTlkZQ',
  listId: '3b9f6c7d-5e20-4d1a-97c8-b4a1e0f2d386',
};

export const CREDENTIAL = 'bench-api-key';

const contact = (name: string, created: number) => ({
  id: `${name}-81f4-4b6d-b0a3-5f2e7c9d1a34`,
  brand_id: ARGUMENTS.brandId,
  email: `${name}@harborcoffee.example`,
  field_values: [
    { name: 'FIRST_NAME', string: name },
    { name: 'VISITS', integer: 12 },
  ],
  list_ids: [ARGUMENTS.listId],
  unsubscribe_all: false,
  unsubscribe_ids: [],
  num_soft_bounces: 0,
  num_hard_bounces: 0,
  num_complaints: 0,
  created,
});

/** The upstream's response. */
export const CONTACTS = JSON.stringify({
  data: [contact('amara', 1719830400), contact('bruno', 1727779200), contact('celia', 1735689600)],
  has_more: true,
  cursor: 'bGFzdDo4ZTFkNGIwYQ',
  total: 1842,
});

/** Calls the upstream with these arguments unchanged, and returns the response text. */
export async function callUpstream(origin: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const query = `limit=${args.limit}&cursor=${args.cursor}&list_id=${args.listId}`;
  const answer = await request(`${origin}/v1/brands/${args.brandId}/contacts?${query}`, {
    headers: { 'x-api-key': CREDENTIAL, accept: 'application/json' },
  });
  return answer.body.text();
}

/** Reads a request body as cheaply as possible: its only sender is the load generator. @returns the parsed body. */
export function readJson(request: IncomingMessage): Promise<unknown> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
  });
}

/** The settings that the benchmark's own servers are started with. */
interface ServerSettings {
  readonly port: number;
  /** Origin of the upstream. */
  readonly upstream: string;
  /** JSON file with the result of `tools/list`. */
  readonly listFile: string;
}

/** @throws {Error} if a setting is missing: only the benchmark starts these servers. */
export function readServerSettings(): ServerSettings {
  const { PORT, BENCH_UPSTREAM, BENCH_LIST_FILE } = process.env;
  if (PORT === undefined || BENCH_UPSTREAM === undefined || BENCH_LIST_FILE === undefined) {
    throw new Error('PORT, BENCH_UPSTREAM and BENCH_LIST_FILE must be set');
  }
  return { port: Number(PORT), upstream: BENCH_UPSTREAM, listFile: BENCH_LIST_FILE };
}
