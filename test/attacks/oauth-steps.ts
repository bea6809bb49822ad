/** Steps of attacks on the authorization server, over HTTP alone. */

import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Store } from '../../server/base/store/index.ts';
import type { OAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';

/** An answer of a JSON endpoint. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

export async function postForm(
  url: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return read(await fetch(url, { method: 'POST', headers, body: new URLSearchParams(form) }));
}

export async function postJson(url: string, body: unknown): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' };
  return read(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }));
}

/** Registers a public client. */
export function register({ issuer }: OAuthGateway, metadata: object = { redirect_uris: [REDIRECT_URI] }) {
  return postJson(`${issuer}/api/mcp/oauth/register`, { token_endpoint_auth_method: 'none', ...metadata });
}

/** The authorization URL that a client opens in the browser. */
export function authorizeUrl({ issuer }: OAuthGateway, clientId: string, changes: Record<string, string> = {}): URL {
  const url = new URL('/api/mcp/oauth/authorize', issuer);
  const request = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...changes,
  };
  for (const [name, value] of Object.entries(request)) url.searchParams.set(name, value);
  return url;
}

/** Registers a client and lets the user allow it. @returns the token request that redeems its code. */
export async function allowed(gateway: OAuthGateway, limits: object = {}): Promise<Record<string, string>> {
  const { body } = await register(gateway);
  const clientId = body.client_id ?? '';
  const codeVerifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const url = authorizeUrl(gateway, clientId, { code_challenge });
  const answer = await consent({ url, connectionCode: await gateway.connectionCode(limits) });
  return {
    grant_type: 'authorization_code',
    code: answer.searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    client_id: clientId,
    code_verifier: codeVerifier,
  };
}

/** Sends that many requests, some concurrently. @returns how often each status came back. */
export async function flood(
  times: number,
  send: (index: number) => Promise<{ readonly status: number }>,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < times; index = next++) {
      const { status } = await send(index);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  return statuses;
}

/** Bytes in use in a SQLite database. */
export async function bytesOf({ db }: Store): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (p.page_count - f.freelist_count) * s.page_size as bytes
      from pragma_page_count p, pragma_freelist_count f, pragma_page_size s`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/** Rows of tables that outlast a window of minutes. */
export async function keptRows({ db }: Store): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name not like 'kysely%'`.execute(
    db,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables.rows) {
    if (name === 'attempt_counters') continue;
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(db);
    counts[name] = rows[0]?.rows ?? 0;
  }
  return counts;
}
