/** A person with a browser, as a script: opens an authorization URL, types the connection code, and decides. */

const MAX_STEPS = 10;

/** What the person does. */
export interface Visit {
  /** As the client would open it. */
  readonly url: string | URL;
  readonly connectionCode: string;
  /** What is chosen where there is a choice. Default: `write`, which is what the page suggests. */
  readonly access?: 'read' | 'write';
  /** Default: Allow. */
  readonly decision?: 'allow' | 'deny';
  /** What the browser has from an earlier visit, as `name=value`. Default: nothing. */
  readonly cookie?: string;
}

/**
 * Goes through the consent page.
 *
 * @returns where the browser is sent at the end: the client's redirect URI with its answer. Nothing is requested there.
 * @throws {Error} with the status and text of a page that has no form to continue with.
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
    const asksForCode = page.includes('name="connection_code"');
    if (asksForCode) fields.set('connection_code', connectionCode);
    if (page.includes('name="access"')) fields.set('access', access);
    fields.set('decision', asksForCode ? 'continue' : decision);
    response = await request(cookies, new URL(actionOf(page), url), { method: 'POST', body: fields });
  }
  throw new Error(`No end after ${MAX_STEPS} pages.`);
}

/** Goes through the consent page, and on to the client, which is listening at its redirect URI. */
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

/** The hidden fields of the page's form and those that are checked, or null where there is no form. */
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
