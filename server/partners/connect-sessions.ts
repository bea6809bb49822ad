/** `POST /api/partner/connect-sessions`: a visit to the connect page for one user, who cannot be changed on the way. */

import type Router from '@koa/router';
import { z } from 'zod';
import { RequestError } from '../base/http/errors.ts';
import type { CallerLimits } from '../base/http/limits/caller-limits.ts';
import { isLoopbackHostname } from '../base/http/loopback.ts';
import { noStore } from '../base/http/no-store.ts';
import type { RequestState } from '../base/http/state.ts';
import { createSecret, hashSecret } from '../base/secrets.ts';
import { hasOpenSessions, insertConnectSession } from '../base/store/repositories/connect/connect-sessions.ts';
import { mayOffer, type Partner } from '../base/store/repositories/partners.ts';
import type { Executor } from '../base/store/schema.ts';
import { receiveFromPartner } from '../identity/partners/require-partner.ts';
import { isUserId, MAX_USER_ID_LENGTH } from '../identity/partners/user-id.ts';
import { readOAuthJson } from '../identity/protocol/form.ts';

interface ConnectSessionsDependencies {
  readonly db: Executor;
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  readonly callerLimits: CallerLimits;
  /** Titles of the connectors that the gateway serves, by name. */
  readonly services: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How long the URL can be opened, and its first form sent. */
const TOKEN_TTL_SECONDS = 900;

/** Open sessions of one partner: enough for eleven a second when no one finishes any. */
const MAX_OPEN_SESSIONS = 10_000;

const MAX_SERVICES = 20;
const MAX_ORIGINS = 10;
const MAX_LOCALE_LENGTH = 35;

const BODY = z.object({
  user_id: z.string().refine(isUserId, `must be 1 to ${MAX_USER_ID_LENGTH} characters without control characters`),
  services: z
    .array(z.string())
    .min(1, 'must name a service')
    .max(MAX_SERVICES, `must name ${MAX_SERVICES} services at most`),
  redirect_uri: z.string(),
  state: z
    .string()
    .regex(/^[\x20-\x7e]{1,1024}$/, 'must be 1 to 1024 printable ASCII characters')
    .nullish(),
  locale: z.string().max(MAX_LOCALE_LENGTH).refine(isLocale, 'must be a language tag, such as de-AT').nullish(),
  allowed_origins: z
    .array(z.string().refine(isOrigin, 'must be origins, such as https://acme.example; http on loopback alone'))
    .max(MAX_ORIGINS, `must name ${MAX_ORIGINS} origins at most`)
    .nullish(),
});

/** Adds the route. Errors: 400 `invalid_request`, `unauthorized_client`; 429 `too_many_requests` over the limit of open sessions. */
export function addConnectSessionRoutes(router: Router<RequestState>, deps: ConnectSessionsDependencies): void {
  router.post('/api/partner/connect-sessions', noStore, async (ctx) => {
    const read = async () => ({ json: await readOAuthJson(ctx.req) });
    const { partner, body } = await receiveFromPartner(deps, ctx.get('Authorization'), read);
    const asked = parseSession(body.json, partner, deps.services);
    const now = deps.now();
    if (await hasOpenSessions(deps.db, partner.id, { limit: MAX_OPEN_SESSIONS, now })) throw tooManySessions();
    const token = createSecret('connectToken');
    const expiresAt = now + TOKEN_TTL_SECONDS * 1000;
    await insertConnectSession(deps.db, {
      ...asked,
      partnerId: partner.id,
      tokenHash: hashSecret(token),
      now,
      expiresAt,
    });
    ctx.status = 201;
    ctx.body = {
      connect_url: `${deps.publicUrl}/connect?token=${token}`,
      expires_at: new Date(expiresAt).toISOString(),
    };
  });
}

function parseSession(body: unknown, partner: Partner, known: ReadonlyMap<string, string>) {
  const parsed = BODY.safeParse(body);
  if (!parsed.success) throw invalid(wordsOf(parsed.error));
  const { user_id: externalUserId, redirect_uri: redirectUri, state, locale, allowed_origins } = parsed.data;
  const services = [...new Set(parsed.data.services)];
  const unknown = services.find((service) => !known.has(service));
  if (unknown !== undefined) throw invalid(`services names ${JSON.stringify(unknown)}, which is not served here.`);
  const withheld = services.find((service) => !mayOffer(partner, service));
  if (withheld !== undefined) {
    throw new RequestError(400, 'unauthorized_client', `You may not offer "${withheld}".`);
  }
  if (!partner.redirectUris.includes(redirectUri)) throw invalid('redirect_uri is not one that you registered.');
  const allowedOrigins = [...new Set(allowed_origins ?? [])];
  return { externalUserId, services, redirectUri, state: state ?? null, locale: locale ?? null, allowedOrigins };
}

function wordsOf({ issues: [issue] }: z.ZodError): string {
  const name = issue?.path[0];
  if (issue === undefined || name === undefined) return 'The body must be a JSON object.';
  const words = issue.code === 'invalid_type' ? 'is missing or of another type' : issue.message;
  return `${String(name)} ${words}.`;
}

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** Scheme, host and port exactly as browsers write them: `postMessage` and `allowed_origins` compare them as text. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHostname(hostname)));
}

function invalid(description: string): RequestError {
  return new RequestError(400, 'invalid_request', description);
}

function tooManySessions(): RequestError {
  const description = `You have ${MAX_OPEN_SESSIONS} connect sessions open. Create one only when a user asks for it.`;
  return new RequestError(429, 'too_many_requests', description, { headers: { 'Retry-After': '60' } });
}
