/** What users and their clients do all day: call, sign in, refresh, and use a code twice. */

import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { callOnce } from '../support/called-gateway.ts';
import { consent } from '../support/scripted-browser.ts';

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const REFRESHES = 3;

/** Leaves the CPUs to a node that starts. */
const PAUSE_MS = 20;

type Form = Readonly<Record<string, string>>;

/** How often each happened. */
export interface Done {
  calls: number;
  signIns: number;
  /** Refreshes that gave another refresh token. */
  refreshes: number;
  /** Codes that two requests redeemed concurrently. */
  races: number;
}

export interface Load {
  readonly done: Readonly<Done>;
  /** Every unexpected answer. */
  readonly failures: readonly string[];
  /** `client_id` of each client that its user allowed. */
  readonly clients: readonly string[];
  /** Stops, after the requests under way have finished. */
  stop(): Promise<void>;
}

/** What the load needs of the store. */
export interface Seeded {
  readonly token: string;
  readonly partnerSecret: string;
}

export function startLoad(origin: string, { token, partnerSecret }: Seeded): Load {
  const done: Done = { calls: 0, signIns: 0, refreshes: 0, races: 0 };
  const failures: string[] = [];
  const clients: string[] = [];
  let isStopped = false;

  async function call(accessToken: string): Promise<void> {
    const answer = await callOnce(origin, accessToken);
    if (answer !== 'ok') throw new Error(`a call: ${answer}`);
    done.calls += 1;
  }

  async function post(path: string, body: URLSearchParams | string, headers: Form = {}): Promise<[number, Form]> {
    const type = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
    const response = await fetch(`${origin}/api/mcp/oauth/${path}`, {
      method: 'POST',
      headers: { ...type, ...headers },
      body,
    });
    return [response.status, (await response.json()) as Form];
  }

  async function expectOk(path: string, body: URLSearchParams | string, headers?: Form): Promise<Form> {
    const [status, answer] = await post(path, body, headers);
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** From a registration to the request that redeems the code. */
  async function authorize(): Promise<Form> {
    const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
    const { client_id = '' } = await expectOk('register', JSON.stringify(metadata));
    const basic = `Basic ${Buffer.from(`acme:${partnerSecret}`).toString('base64')}`;
    const session = await expectOk('sessions', new URLSearchParams({ user_id: 'ada' }), { Authorization: basic });
    const verifier = randomBytes(32).toString('base64url');
    const url = new URL('/api/mcp/oauth/authorize', origin);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: REDIRECT_URI,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString();
    const { searchParams } = await consent({ url, connectionCode: session.session_token ?? '' });
    const code = searchParams.get('code') ?? '';
    return { grant_type: 'authorization_code', client_id, code, redirect_uri: REDIRECT_URI, code_verifier: verifier };
  }

  async function signIn(): Promise<void> {
    const form = await authorize();
    let tokens = await expectOk('token', new URLSearchParams(form));
    const { client_id = '' } = form;
    clients.push(client_id);
    done.signIns += 1;
    for (let n = 0; n < REFRESHES; n += 1) {
      const { refresh_token = '' } = tokens;
      tokens = await expectOk('token', new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id }));
      if (tokens.refresh_token !== refresh_token) done.refreshes += 1;
      await call(tokens.access_token ?? '');
    }
  }

  async function race(): Promise<void> {
    const form = new URLSearchParams(await authorize());
    const answers = await Promise.all([post('token', form), post('token', form)]);
    const statuses = answers.map(([status]) => status).sort();
    if (statuses.join() !== '200,400')
      throw new Error(`one code twice: ${JSON.stringify(answers.map(([status, { error }]) => [status, error]))}`);
    done.races += 1;
  }

  async function again(work: () => Promise<void>): Promise<void> {
    while (!isStopped) {
      await work().catch((error: unknown) => {
        failures.push(error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error));
      });
      await sleep(PAUSE_MS);
    }
  }

  const working = [again(() => call(token)), again(signIn), again(race)];
  return {
    done,
    failures,
    clients,
    async stop() {
      isStopped = true;
      await Promise.all(working);
    },
  };
}
