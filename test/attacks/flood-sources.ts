/** Everything that a caller without credentials, or with a client that it registered itself, can leave in the store. */

import { randomBytes, randomUUID } from 'node:crypto';
import { ASSERTION_TYPE, type ClientKey } from '../server/identity/oauth/client-keys.ts';
import { fieldOf, Visitor } from '../server/modules/admin/support.ts';
import { flood } from './oauth-steps.ts';

/** The longest that a partner may register. */
export const PARTNER_REDIRECT_URI = `https://partner.example/${'p'.repeat(1950)}`;
export const SERVICE = 'silent';
export const CHECKED_SERVICE = 'library';

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const FILLED_URI = `https://a.example/${randomBytes(975).toString('hex')}`;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Metadata of the largest client that can register. */
export const LARGEST_CLIENT = {
  client_name: 'é'.repeat(200),
  redirect_uris: [`https://b.example/${randomBytes(250).toString('hex')}`, FILLED_URI],
  client_uri: FILLED_URI,
  contacts: Array(20).fill('z'.repeat(200)),
};

/** Sends that many requests of one kind. @returns how often each status came back. */
type Source = (times: number) => Promise<Record<number, number>>;

/** Where the flood goes, and who sends it. */
interface FloodTarget {
  readonly origin: string;
  /** A public identifier of a partner, with `PARTNER_REDIRECT_URI`. */
  readonly partnerClientId: string;
  /** The address of the next request, as the proxy names it. */
  readonly nextAddress: () => string;
  readonly key: ClientKey;
}

/**
 * Creates the sources by name, in the order of one minute: registrations come last, because they displace the clients of
 * the network that the others use.
 */
export function createFloodSources(target: FloodTarget): Readonly<Record<string, Source>> {
  const { origin, nextAddress, key } = target;
  const from = () => ({ 'X-Forwarded-For': nextAddress() });
  const post = async (path: string, body: URLSearchParams) => {
    const answer = await fetch(origin + path, { method: 'POST', headers: { ...FORM, ...from() }, body });
    return { status: answer.status, text: await answer.text() };
  };
  const registerClient = async (metadata: object) => {
    const headers = { 'Content-Type': 'application/json', ...from() };
    const body = JSON.stringify({ redirect_uris: [REDIRECT_URI], ...metadata });
    const answer = await fetch(`${origin}/api/mcp/oauth/register`, { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  };
  const clientOf = async (metadata: object): Promise<string> =>
    JSON.parse((await registerClient(metadata)).text).client_id;

  const jwks = { keys: [key.publicJwk] };
  const assert =
    (path: string, form: Record<string, string>): Source =>
    async (times) => {
      const client = await clientOf({ token_endpoint_auth_method: 'private_key_jwt', jwks });
      return flood(times, async () => {
        const iat = Math.floor(Date.now() / 1000);
        const claims = { iss: client, sub: client, aud: origin, jti: randomUUID(), iat, exp: iat + 600 };
        const client_assertion = await key.sign(claims);
        return post(path, new URLSearchParams({ ...form, client_assertion_type: ASSERTION_TYPE, client_assertion }));
      });
    };

  const visit = (): Visitor =>
    new Visitor(
      () => origin,
      () => {},
    );
  const open = async (path: string) => {
    const visitor = visit();
    const { text } = await visitor.get(path, from());
    return { visitor, pageState: fieldOf(text, 'page_state') };
  };
  const consent =
    (fields: Record<string, string>): Source =>
    async (times) => {
      const request = new URLSearchParams({
        response_type: 'code',
        client_id: await clientOf({ token_endpoint_auth_method: 'none' }),
        redirect_uri: REDIRECT_URI,
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      });
      return flood(times, async () => {
        const { visitor, pageState } = await open(`/api/mcp/oauth/authorize?${request}`);
        return visitor.post('/api/mcp/oauth/authorize', { page_state: pageState, ...fields }, from());
      });
    };
  const connect =
    (service: string, fields: Record<string, string>): Source =>
    async (times) => {
      const path = `/connect/${service}?${new URLSearchParams({
        client_id: target.partnerClientId,
        user_id: 'é'.repeat(512),
        redirect_uri: PARTNER_REDIRECT_URI,
        state: 's',
      })}`;
      return flood(times, async () => {
        const { visitor, pageState } = await open(path);
        return visitor.post(`/connect/${service}`, { page_state: pageState, ...fields }, from());
      });
    };

  return {
    clientDocuments: (times) =>
      flood(times, () =>
        fetch(`${origin}/api/mcp/oauth/authorize?client_id=https://${randomUUID()}.example/client`, {
          headers: from(),
          redirect: 'manual',
        }),
      ),
    assertAndAskForTokens: assert('/api/mcp/oauth/token', { grant_type: 'refresh_token', refresh_token: 'unknown' }),
    assertAndRevoke: assert('/api/mcp/oauth/revoke', { token: 'unknown' }),
    deny: consent({ decision: 'deny' }),
    typeWrongCodes: consent({ decision: 'continue', connection_code: 'AAAA-AAAA-AAAA' }),
    connectWithAnyKey: connect(SERVICE, { 'credential-0': 'name', 'credential-1': 'é'.repeat(4096) }),
    connectWithWrongKeys: connect(CHECKED_SERVICE, { 'credential-0': 'wrong', 'credential-1': 'wrong' }),
    declineToConnect: connect(SERVICE, { decision: 'decline' }),
    guessTheOperator: async (times) => {
      const { visitor, pageState } = await open('/admin/sign-in');
      return flood(times, () => visitor.post('/admin/sign-in', { page_state: pageState, secret: 'wrong' }, from()));
    },
    guessThePartner: (times) =>
      flood(times, () =>
        post('/api/oauth/token', new URLSearchParams({ client_id: 'test', client_secret: randomUUID(), code: 'x' })),
      ),
    register: (times) => flood(times, () => registerClient({ ...LARGEST_CLIENT, token_endpoint_auth_method: 'none' })),
  };
}
