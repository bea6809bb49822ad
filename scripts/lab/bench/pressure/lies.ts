/** Requests of callers without any credential: invalid forms, registrations, codes, tokens and bodies. */

import { randomBytes } from 'node:crypto';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';

interface Lie {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const REDIRECT_URI = 'https://liar.example/callback';
const OAUTH = '/api/mcp/oauth';
const FORM_BYTES = 62 * 1024;
const KEYS = 20_000;

const random = (): string => randomBytes(24).toString('base64url');
const get = (path: string): Lie => ({ method: 'GET', path, headers: {}, body: '' });
const post = (path: string, type: string, body: string, headers = {}): Lie => ({
  method: 'POST',
  path,
  headers: { 'content-type': type, ...headers },
  body,
});
const form = (path: string, fields: Readonly<Record<string, string>>): Lie =>
  post(path, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString());
const json = (path: string, value: unknown, headers = {}): Lie =>
  post(path, 'application/json', JSON.stringify(value), headers);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const manyKeys = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'ping',
  params: Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`k${index}`, index])),
});
const longForm = `grant_type=refresh_token&${'a=1&'.repeat(FORM_BYTES / 4)}`;

/** Each function returns a different request on every call. */
const LIES: readonly (() => Lie)[] = [
  () => json(MCP_PATH, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, bearer(`utg_at_${random()}`)),
  () => post(MCP_PATH, 'application/json', manyKeys, bearer(`utg_at_${random()}`)),
  () => json(MCP_PATH, { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  () => json(`${OAUTH}/register`, { client_name: random(), redirect_uris: [`${REDIRECT_URI}/${random()}`] }),
  () => json(`${OAUTH}/register`, { client_name: 'x'.repeat(10_000), redirect_uris: ['javascript:alert(1)'] }),
  () => get(`${OAUTH}/authorize?response_type=x&client_id=${random()}&redirect_uri=${REDIRECT_URI}`),
  () => form(`${OAUTH}/authorize`, { page_state: random(), connection_code: '0000-0000-0000', decision: 'continue' }),
  () => form(`${OAUTH}/token`, { grant_type: 'authorization_code', code: `utg_ac_${random()}`, client_id: random() }),
  () =>
    form(`${OAUTH}/token`, { grant_type: 'refresh_token', refresh_token: `utg_rt_${random()}`, client_id: random() }),
  () => post(`${OAUTH}/token`, 'application/x-www-form-urlencoded', longForm),
  () => form(`${OAUTH}/revoke`, { token: random(), client_id: random() }),
  () => post(`${OAUTH}/sessions`, 'application/json', manyKeys, bearer(`utg_ps_${random()}`)),
  () => get(`/connect?partner=${random()}&user_id=ada&service=crm&redirect_uri=${REDIRECT_URI}`),
  () => get(`/me?link=${random()}`),
  () => form('/admin/sign-in', { secret: random() }),
  () => get(`/${random()}`),
];

/** @param number index of the request: the kinds of request take turns. */
export function tell(number: number): Lie {
  const lie = LIES[number % LIES.length];
  if (lie === undefined) throw new Error('there are no lies');
  return lie();
}
