/** A user of the calendar, connected without a page: tokens of the sandbox, sealed in the store as the page would have done. */

import { buildConnectorOAuth } from '../../../../sandbox/connector-rules.ts';
import type { Sandbox, SandboxOptions } from '../../../../sandbox/start.ts';
import { saveConnection } from '../../../../server/base/credentials/save-connection.ts';
import { createUpstreamClients } from '../../../../server/base/credentials/upstream-clients.ts';
import { SCOPES } from '../../../../server/base/principal/permission.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import type { Connector } from '../../../../server/contract/index.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { addPartnerSecret } from '../../../../server/identity/partners/secrets.ts';
import { signIn, startCalendar } from '../../../sandbox/oauth-support.ts';
import { keyBytes } from '../../../support/keys.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { LIST_EVENTS } from './calendar.ts';

const KEYS = [{ id: 'test', key: keyBytes(1) }];
const CLIENT = { clientId: 'gateway', clientSecret: 'the-secret' };

export interface Connected {
  /** Of the user, for the MCP endpoint. */
  readonly token: string;
  readonly partnerSecret: string;
}

/** What a tool call came to. */
export interface Called {
  readonly status: number;
  readonly isError: boolean;
  /** The first text of the result. */
  readonly text: string;
}

/** The sandbox as the upstream of this connector. */
export function startUpstream(connector: Connector, options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const oauth = buildConnectorOAuth(connector);
  return startCalendar({ ...options, ...(oauth === null ? {} : { oauth }) });
}

/** The settings that point a gateway at the sandbox. */
export function settingsOf(sandbox: Sandbox, oauthOrigin = sandbox.origin): Record<string, string> {
  return {
    LIBRARY_BASE_URL: `${sandbox.origin}/calendar/v1`,
    CALENDAR_OAUTH_ORIGIN: oauthOrigin,
    TOOL_CALLS_PER_MINUTE: '100000',
  };
}

/**
 * Connects the user `ada` of the partner `acme`.
 *
 * @param publicUrl of the gateways, whose endpoint the token is for.
 * @param expiresInSeconds what the store says of the access token's life; null: nothing. Default: what the answer said.
 */
export async function connectUser(
  store: Store,
  sandbox: Sandbox,
  publicUrl: string,
  expiresInSeconds?: number | null,
): Promise<Connected> {
  const { db } = store;
  const now = Date.now();
  const vault = await vaultBeside(store, KEYS);
  const partner = await insertPartner(db, { clientId: 'acme', name: 'Acme', now });
  const partnerSecret = await db
    .transaction()
    .execute((transaction) => addPartnerSecret(transaction, { partnerId: partner.id, now }));
  const user = await ensureUser(db, { partnerId: partner.id, externalUserId: 'ada', now });
  const client = await createUpstreamClients({ db, vault }).put(
    { partnerId: null, service: 'calendar', ...CLIENT },
    { now },
  );
  const { body } = await signIn(sandbox, { scope: 'events.read events.write' });
  const life = expiresInSeconds === undefined ? Number(body.expires_in) : expiresInSeconds;
  const fields = {
    'account.access_token': body.access_token,
    ...(body.refresh_token === undefined ? {} : { 'account.refresh_token': body.refresh_token }),
    'account.scope': 'events.read events.write',
    'account.client': client.id,
    ...(life === null ? {} : { 'account.expires_at': String(now + life * 1000) }),
  };
  await saveConnection(db, vault, { userId: user.id, service: 'calendar', fields, now });
  const resource = publicUrl + MCP_PATH;
  const issued = await issueAccessToken(db, { userId: user.id, scopes: SCOPES, services: null, resource, now });
  return { token: issued.token, partnerSecret };
}

/** Calls a tool that reads. @param origin where the gateway listens. */
export async function callTool(origin: string, token: string, name = LIST_EVENTS): Promise<Called> {
  const response = await fetch(origin + MCP_PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  });
  const { result } = (await response.json()) as { result?: { isError?: boolean; content: { text: string }[] } };
  const text = result?.content[0]?.text ?? '';
  return { status: response.status, isError: result?.isError === true || result === undefined, text };
}

/** What the partner's API says of ada's connection. */
export async function connectionStatus(origin: string, partnerSecret: string): Promise<string | undefined> {
  const text = await askAsPartner(`${origin}/api/partner/users/ada/connections`, partnerSecret);
  const { connections } = JSON.parse(text) as { connections: { status: string }[] };
  return connections[0]?.status;
}

/** The text of the partner's events, from the oldest. */
export function partnerEvents(origin: string, partnerSecret: string): Promise<string> {
  return askAsPartner(`${origin}/api/partner/events`, partnerSecret);
}

async function askAsPartner(url: string, partnerSecret: string): Promise<string> {
  const credentials = Buffer.from(`acme:${partnerSecret}`).toString('base64');
  const response = await fetch(url, { headers: { Authorization: `Basic ${credentials}` } });
  return response.text();
}
