/** Simulates a person with a browser who opens an authorization URL, enters the connection code, and decides. */

const MAX_STEPS = 10;

/** What the person does. */
export interface Visit {
  /** The authorization URL that the client opens. */
  readonly url: string | URL;
  readonly connectionCode: string;
  /** The choice, if the page offers one; null: what the page preselects. Default: `write`. */
  readonly access?: 'read' | 'no-delete' | 'write' | null;
  /** Default: Allow. */
  readonly decision?: 'allow' | 'deny';
  /** A cookie from an earlier visit, as `name=value`. Default: none. */
  readonly cookie?: string;
  /** Runs once, while the first page is open. Default: nothing. */
  readonly whileOpen?: () => Promise<void>;
}

/**
 * Goes through the consent page.
 *
 * @returns the final redirect: the client's redirect URI with the answer, which is not requested.
 * @throws {Error} with the status and text of a page without a form to continue with.
 */
export async function consent(visit: Visit): Promise<URL> {
  const { url, connectionCode, access = 'write', decision = 'allow', cookie = '' } = visit;
  const cookies = new Map<string, string>();
  keepCookie(cookies, cookie);
  let response = await request(cookies, url, { method: 'GET' });
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const location = response.headers.get('Location');
    if (location?.startsWith('/') === true) {
      response = await request(cookies, new URL(location, url), { method: 'GET' });
      continue;
    }
    if (location !== null) return new URL(location, url);
    const page = await response.text();
    const fields = fieldsOf(page);
    if (response.status !== 200 || fields === null) {
      throw new Error(`The page cannot be gone on with: ${response.status}\n${page}`);
    }
    if (step === 0) await visit.whileOpen?.();
    const asksForCode = page.includes('name="connection_code"');
    if (asksForCode) fields.set('connection_code', connectionCode);
    if (access !== null && page.includes('name="access"')) fields.set('access', access);
    fields.set('decision', asksForCode ? 'continue' : decision);
    response = await request(cookies, new URL(actionOf(page), url), { method: 'POST', body: fields });
  }
  throw new Error(`No end after ${MAX_STEPS} pages.`);
}

/** Goes through the consent page, then requests the redirect URI, at which the client listens. */
export async function consentAndReturn(visit: Visit): Promise<void> {
  const answer = await fetch(await consent(visit));
  await answer.text();
}

async function request(cookies: Map<string, string>, url: string | URL, init: RequestInit): Promise<Response> {
  const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, { ...init, redirect: 'manual', headers: Cookie === '' ? {} : { Cookie } });
  for (const cookie of response.headers.getSetCookie()) keepCookie(cookies, cookie);
  return response;
}

function keepCookie(cookies: Map<string, string>, cookie: string): void {
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
  if (name !== undefined && value !== undefined) cookies.set(name, value);
}

/** The hidden and checked fields of the page's form; null if there is no form. */
function fieldsOf(page: string): URLSearchParams | null {
  if (!page.includes('<form')) return null;
  const inputs = [...page.matchAll(/<input type="(hidden|checkbox|radio)"[^>]*>/g)];
  const sent = inputs.filter(([input, type]) => type === 'hidden' || input.endsWith(' checked>'));
  return new URLSearchParams(sent.map(([input]) => [attribute(input, 'name'), attribute(input, 'value')]));
}

function attribute(input: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1] ?? '';
}

function actionOf(page: string): string {
  return /<form[^>]* action="([^"]*)"/.exec(page)?.[1] ?? '';
}
