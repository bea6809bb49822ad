/** A connect session: a visit to the connect page for one user, who cannot be changed on the way. */

import { z } from 'zod';
import { isFit, publicPartsOf } from '../base/credentials/kinds.ts';
import { RequestError } from '../base/http/errors.ts';
import { isLoopbackHostname } from '../base/http/loopback.ts';
import { createSecret, hashSecret } from '../base/principal/secrets.ts';
import { ACCOUNT_NAME_RULE, readAccountName } from '../base/store/repositories/account-names.ts';
import { hasOpenSessions, insertConnectSession } from '../base/store/repositories/connect/connect-sessions.ts';
import { mayOffer, type Partner } from '../base/store/repositories/partners.ts';
import type { Catalogue } from '../call/tools/catalogue/catalogue.ts';
import { isUserId, MAX_USER_ID_LENGTH, USER_ID_RULE } from '../identity/partners/user-id.ts';
import { invalid, operation } from './operation.ts';
import { time } from './shapes.ts';

/** Time in which the URL can be opened, and its first form sent. */
const TOKEN_TTL_SECONDS = 900;

/** Open sessions of one partner: enough for eleven a second that are all left unfinished. */
const MAX_OPEN_SESSIONS = 10_000;

const MAX_SERVICES = 20;
const MAX_ORIGINS = 10;
const MAX_LOCALE_LENGTH = 35;

const MODES = ['ask', 'replace', 'add'] as const;

const request = z.object({
  user_id: z.string().refine(isUserId, USER_ID_RULE).meta({ minLength: 1, maxLength: MAX_USER_ID_LENGTH }),
  services: z
    .array(z.string())
    .min(1, 'must name a service')
    .max(MAX_SERVICES, `must name ${MAX_SERVICES} services at most`)
    .meta({ description: 'In the order of their pages.' }),
  redirect_uri: z.string().meta({ description: 'One that is registered.' }),
  state: z
    .string()
    .regex(/^[\x20-\x7e]{1,1024}$/, 'must be 1 to 1024 printable ASCII characters')
    .nullish()
    .meta({ description: '1 to 1024 printable ASCII characters, which come back with the code.' }),
  locale: z
    .string()
    .max(MAX_LOCALE_LENGTH)
    .refine(isLocale, 'must be a language tag, such as de-AT')
    .nullish()
    .meta({ description: 'Of the user, as a BCP 47 tag. Pages are in English so far.' }),
  allowed_origins: z
    .array(z.string().refine(isOrigin, 'must be origins, such as https://acme.example; http on loopback alone'))
    .max(MAX_ORIGINS, `must name ${MAX_ORIGINS} origins at most`)
    .nullish()
    .meta({
      description:
        'Sites that may open the page in a popup, or in a frame where you have a redirect URI too, and get the answer.',
    }),
  account: z
    .enum(MODES, `must be one of ${MODES.join(', ')}`)
    .nullish()
    .meta({
      description:
        'What becomes of a service that the user has connected already. `ask`, the default: the same account replaces itself; for another one, or where the service does not say whose it is, the user chooses. `replace`: the account of `account_name`, or the only one, is replaced. `add`: one more, called `account_name`.',
    }),
  account_name: z
    .string()
    .refine((name) => readAccountName(name) !== null, `is not valid: ${ACCOUNT_NAME_RULE.slice(0, -1)}`)
    .nullish()
    .meta({ description: 'Which account is replaced, or the name of one that is added.' }),
  extra: z.string().nullish().meta({
    description:
      'What a tool needs in addition, as `extra` of the link to your `connect_uri` names it: its form is open.',
  }),
  values: z.record(z.string(), z.record(z.string(), z.string())).nullish().meta({
    description:
      'By service, and by `field` of its credentials: what the user would type otherwise and is no secret, such as the tenant. The page shows it, and the user cannot change it.',
  }),
});

export const CONNECT_SESSION_OPERATIONS = [
  operation(
    {
      method: 'post',
      path: '/connect-sessions',
      id: 'createConnectSession',
      summary: 'A visit of the connect page for one user. It cannot be rewritten on its way through the browser.',
      credentials: 'body',
      body: { schema: request, explain },
      answers: { 201: 'The session.' },
      answer: z.object({
        connect_url: z.string().meta({ format: 'uri', description: "For this user's browser alone, at once." }),
        expires_at: time.meta({ description: 'Until when the first form of the page can be sent.' }),
      }),
    },
    async (call, { db, publicUrl, services, catalogue, now: clock }) => {
      const body = await call.body();
      const session = toSession(body, call.partner, services);
      checkValues(body, catalogue);
      checkExtra(body, catalogue);
      const now = clock();
      const partnerId = call.partner.id;
      if (await hasOpenSessions(db, partnerId, { limit: MAX_OPEN_SESSIONS, now })) {
        const description = `You have ${MAX_OPEN_SESSIONS} connect sessions open. Create one only when a user asks for it.`;
        throw new RequestError(429, 'too_many_requests', description, { headers: { 'Retry-After': '60' } });
      }
      const token = createSecret('connectToken');
      const expiresAt = now + TOKEN_TTL_SECONDS * 1000;
      await insertConnectSession(db, { ...session, partnerId, tokenHash: hashSecret(db, token), now, expiresAt });
      return { connectUrl: `${publicUrl}/connect?token=${token}`, expiresAt };
    },
  ),
];

function toSession(body: z.output<typeof request>, partner: Partner, served: ReadonlyMap<string, string>) {
  const { user_id: externalUserId, redirect_uri: redirectUri, state, locale, allowed_origins } = body;
  const services = [...new Set(body.services)];
  const account = toAccount(body);
  const unknown = services.find((service) => !served.has(service));
  if (unknown !== undefined) throw invalid(`services names ${JSON.stringify(unknown)}, which is not served here.`);
  const withheld = services.find((service) => !mayOffer(partner, service));
  if (withheld !== undefined) {
    throw new RequestError(400, 'unauthorized_client', `You may not offer "${withheld}".`);
  }
  if (!partner.redirectUris.includes(redirectUri)) throw invalid('redirect_uri is not one that you registered.');
  const allowedOrigins = [...new Set(allowed_origins ?? [])];
  return {
    externalUserId,
    services,
    redirectUri,
    state: state ?? null,
    locale: locale ?? null,
    allowedOrigins,
    account,
  };
}

/** Accepts only an `extra` of the one service of the session. */
function checkExtra({ extra, services }: z.output<typeof request>, catalogue: Catalogue) {
  const [service = '', ...others] = new Set(services);
  const { extras = [] } = catalogue.findConnector(service)?.credential ?? {};
  if (extra == null || (others.length === 0 && extras.some(({ label }) => label === extra))) return;
  throw invalid(`extra names ${JSON.stringify(extra)}, which is none of the only service of this session.`);
}

/** Accepts only public values of services of the session, in the form that the connector knows. */
function checkValues({ values, services }: z.output<typeof request>, catalogue: Catalogue) {
  for (const [service, fields] of Object.entries(values ?? {})) {
    const connector = services.includes(service) ? catalogue.findConnector(service) : undefined;
    const publicParts = connector === undefined ? [] : publicPartsOf(connector.credential);
    for (const [field, value] of Object.entries(fields)) {
      const publicPart = publicParts.find(({ id }) => id === field);
      if (publicPart === undefined) {
        throw invalid(
          `values.${service} names ${JSON.stringify(field)}, which is no public value of a service of this session.`,
        );
      }
      if (!isFit(publicPart, value)) {
        throw invalid(`values.${service}.${field} does not have the form of ${publicPart.label}.`);
      }
    }
  }
}

function toAccount({ account, account_name: text, services, values, extra }: z.output<typeof request>) {
  const name = text == null ? null : readAccountName(text);
  if (name !== null && (account == null || account === 'ask' || services.length > 1)) {
    throw invalid('account_name needs account to be replace or add, and services to name one service.');
  }
  const choice = {
    mode: account == null || account === 'ask' ? undefined : account,
    name: name ?? undefined,
    values: values ?? undefined,
    extra: extra ?? undefined,
  };
  return Object.values(choice).every((member) => member === undefined) ? null : choice;
}

function explain(issue: z.core.$ZodIssue | undefined): string {
  const name = issue?.path[0];
  if (issue === undefined || name === undefined) return 'The body must be a JSON object.';
  const problem = issue.code === 'invalid_type' ? 'is missing or of another type' : issue.message;
  return `${String(name)} ${problem}.`;
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
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHostname(url.hostname));
  return isHttp && url.origin === text;
}
