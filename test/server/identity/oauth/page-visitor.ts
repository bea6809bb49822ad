/**
 * A browser without a screen: it keeps the cookie, follows redirects of the gateway to itself, and sends the last form
 * as filled in.
 */

import type { Answer, OAuthUnderTest } from './support.ts';

const AUTHORIZE = '/api/mcp/oauth/authorize';
export const CODE_CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** Parameters of a request; undefined ones are omitted, lists are repeated. */
export type Request = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Visitor {
  /** As the browser sends it. */
  cookie: string | null;
  /** The hidden value of the last page. */
  pageState: string;
  /** The checked fields of the last page, as names and values. */
  checked: readonly (readonly [string, string])[];
  /** Opens the authorization endpoint. */
  open(request: Request): Promise<Answer>;
  /** Sends the form of the last page, with these fields in place of the checked ones. */
  submit(
    fields: Readonly<Record<string, string | readonly string[]>>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

/** @param origin where the app listens. Default: that of `given`. */
export function createVisitor(given: OAuthUnderTest, origin = given.origin): Visitor {
  const receive = async (response: Response): Promise<Answer> => {
    const body = await response.text();
    const [cookie] = response.headers.getSetCookie();
    if (cookie !== undefined) visitor.cookie = cookie.split(';')[0]!;
    const location = response.headers.get('Location');
    if (location?.startsWith('/api/mcp/oauth/') === true) {
      return receive(await fetch(origin + location, { redirect: 'manual', headers: cookies() }));
    }
    const pageState = hiddenOf(body);
    if (pageState !== undefined) Object.assign(visitor, { pageState, checked: checkedOf(body) });
    return { status: response.status, headers: response.headers, body };
  };
  const cookies = (): Record<string, string> => (visitor.cookie === null ? {} : { Cookie: visitor.cookie });
  const visitor: Visitor = {
    cookie: null,
    pageState: '',
    checked: [],
    async open(request) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(request)) {
        for (const each of typeof value === 'string' ? [value] : (value ?? [])) query.append(name, each);
      }
      return receive(await fetch(`${origin}${AUTHORIZE}?${query}`, { redirect: 'manual', headers: cookies() }));
    },
    async submit(fields, headers = {}) {
      const body = new URLSearchParams({ page_state: visitor.pageState });
      for (const [name, value] of visitor.checked) if (!Object.hasOwn(fields, name)) body.append(name, value);
      for (const [name, value] of Object.entries(fields)) {
        for (const each of typeof value === 'string' ? [value] : value) body.append(name, each);
      }
      const init = { method: 'POST', redirect: 'manual', headers: { ...cookies(), ...headers }, body } as const;
      return receive(await fetch(origin + AUTHORIZE, init));
    },
  };
  return visitor;
}

/** The sealed page state, or undefined where it has none. */
export function hiddenOf(page: string): string | undefined {
  return /name="page_state" value="([^"]*)"/.exec(page)?.[1];
}

/** Boxes and choices that are checked, by name and value. */
export function checkedOf(page: string): [string, string][] {
  return [...page.matchAll(/<input type="(?:checkbox|radio)"[^>]* checked>/g)].map(([input]) => [
    /name="([^"]*)"/.exec(input)?.[1] ?? '',
    /value="([^"]*)"/.exec(input)?.[1] ?? '',
  ]);
}

/** A request that passes every check. */
export function requestOf(clientId: string, changes: Request = {}): Request {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'http://127.0.0.1:7000/callback',
    state: 'state-1',
    code_challenge: CODE_CHALLENGE,
    code_challenge_method: 'S256',
    ...changes,
  };
}

/** The parameters that an answer sends to the client. */
export function locationOf(answer: Answer): { to: string; parameters: Record<string, string> } {
  const location = new URL(answer.headers.get('Location') ?? 'about:blank');
  return { to: location.href.replace(/\?.*$/, ''), parameters: Object.fromEntries(location.searchParams) };
}
