/**
 * Connects the demo's user as a partner and its user would: a connect session, the pages in a browser, and the code.
 */

interface DemoVisit {
  /** Origin of the gateway. */
  readonly origin: string;
  readonly partner: { readonly clientId: string; readonly secret: string; readonly redirectUri: string };
  /** The partner's own name for the user. */
  readonly user: string;
  /** Connector names. */
  readonly services: readonly string[];
  /** The secret that every service accepts. */
  readonly credential: string;
}

/** The tokens that the partner gets in exchange for the code. */
interface DemoTokens {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const MAX_SHOWN_CHARACTERS = 300;

const TYPED_FIELD = /<input type="(?:password|text)"/;

/** @throws {Error} with one sentence of the gateway's response if a step does not lead to the next one. */
export async function connectUser(visit: DemoVisit): Promise<DemoTokens> {
  const { partner, user: user_id, services } = visit;
  const session = { user_id, services, redirect_uri: partner.redirectUri, account: 'replace' };
  const minted = await post(visit, '/api/partner/connect-sessions', JSON.stringify(session));
  const code = await typeCredentials(visit, String(minted.connect_url));
  const redeemed = { grant_type: 'authorization_code', code, redirect_uri: partner.redirectUri, user_id };
  const tokens = await post(visit, '/api/oauth/token', new URLSearchParams(redeemed));
  return { token: String(tokens.access_token), expiresAt: Date.now() + Number(tokens.expires_in) * 1000 };
}

async function post(
  { origin, partner }: DemoVisit,
  path: string,
  body: string | URLSearchParams,
): Promise<Record<string, unknown>> {
  const basic = Buffer.from(`${partner.clientId}:${partner.secret}`).toString('base64');
  const json = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
  const headers = { Authorization: `Basic ${basic}`, ...json };
  const response = await fetch(origin + path, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`The gateway answered ${response.status}: ${shorten(await response.text())}`);
  return (await response.json()) as Record<string, unknown>;
}

/** Fills in one page after another. @returns the code in the final redirect. */
async function typeCredentials({ origin, partner, services, credential }: DemoVisit, address: string): Promise<string> {
  const cookies = new Map<string, string>();
  let request: { url: string; init: RequestInit } = { url: address, init: {} };
  // A redirect and a page per service, plus a first and a last step.
  for (let step = 0; step < 2 * services.length + 2; step += 1) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(request.url, { ...request.init, headers: { Cookie: cookie }, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=', 2);
      cookies.set(name, value);
    }
    const location = response.headers.get('Location');
    if (location?.startsWith(partner.redirectUri) === true) return new URL(location).searchParams.get('code') ?? '';
    const page = await response.text();
    if (location === null && !response.ok) throw new Error(explainPage(response.status, page));
    request =
      location === null
        ? { url: `${origin}/connect`, init: { method: 'POST', body: fillIn(page, credential) } }
        : { url: new URL(location, origin).href, init: {} };
  }
  throw new Error('The connect page did not lead back to the partner.');
}

/** Says in one sentence what an error page says. */
function explainPage(status: number, page: string): string {
  const [, title = ''] = /<title>(?:Error: )?([^<]*?)(?: · [^<]*)?<\/title>/.exec(page) ?? [];
  const [, alert = ''] = /<div class="notice alert"[^>]*>([\s\S]*?)<\/div>/.exec(page) ?? [];
  return `The page "${toText(title)}" answered ${status}: ${toText(alert === '' ? page : alert)}`;
}

const NAMED_CHARACTERS: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** Returns the text of HTML, in one line. */
function toText(markup: string): string {
  const text = markup.replaceAll(/<(script|style|title)[\s\S]*?<\/\1>/g, '').replaceAll(/<\/strong>/g, '. ');
  const line = text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' .', '.')
    .trim();
  return shorten(line.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (name) => NAMED_CHARACTERS[name] ?? name));
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text;
}

/** Fills in the first form with a field to type in, or the first form if there is no such field. Every secret field gets the credential. */
function fillIn(page: string, credential: string): URLSearchParams {
  const forms = page.split('</form>').slice(0, -1);
  const form = forms.find((markup) => TYPED_FIELD.test(markup)) ?? forms[0] ?? '';
  const filled = new URLSearchParams({ decision: 'connect' });
  for (const [, name = '', value = ''] of form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    filled.set(name, value);
  }
  for (const [, type, name = ''] of form.matchAll(/type="(password|text)"[^>]* name="([^"]*)"/g)) {
    filled.set(name, type === 'password' ? credential : 'demo');
  }
  return filled;
}
