/** The steps of a connect session: the request of a partner's server, and a browser with cookies. */

import { type Answer, type ConnectUnderTest, REDIRECT_URI } from './support.ts';

/** A browser at the page of a connect session. */
export interface SessionVisitor {
  readonly cookies: Map<string, string>;
  pageState: string;
  /** Opens a URL and follows redirects to the gateway's own pages. */
  open(address: string): Promise<Answer>;
  submit(
    fields: Record<string, string>,
    changes?: { path?: string; headers?: Record<string, string> },
  ): Promise<Answer>;
}

/** The request of the partner's server; `body` replaces members. */
export function mintSession(given: ConnectUnderTest, body: Record<string, unknown> = {}): Promise<Answer> {
  const whole = { user_id: 'alice', services: ['library'], redirect_uri: REDIRECT_URI, state: 'state-1', ...body };
  return given.send('/api/partner/connect-sessions', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}`,
    },
    body: JSON.stringify(whole),
  });
}

/** @param origin of the gateway. */
export function createSessionVisitor(given: ConnectUnderTest): SessionVisitor {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await given.send(path, { ...init, headers: { ...init.headers, Cookie: cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    visitor.pageState = /name="page_state" value="([^"]*)"/.exec(answer.text)?.[1] ?? visitor.pageState;
    const location = answer.headers.get('Location') ?? '';
    return location.startsWith('/') ? send(location) : answer;
  };
  const visitor: SessionVisitor = {
    cookies,
    pageState: '',
    open: (address) => send(address.replace(given.origin, '')),
    submit: (fields, { path = '/connect', headers = {} } = {}) =>
      send(path, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ page_state: visitor.pageState, decision: 'connect', ...fields }),
      }),
  };
  return visitor;
}

/** Goes through a whole session as a user. @returns the answer that redirects back to the partner. */
export async function visitSession(
  given: ConnectUnderTest,
  body: Record<string, unknown>,
  steps: readonly Record<string, string>[],
): Promise<Answer> {
  const { connect_url } = (await mintSession(given, body)).body;
  const visitor = createSessionVisitor(given);
  let answer = await visitor.open(connect_url);
  for (const fields of steps) answer = await visitor.submit(fields);
  return answer;
}
