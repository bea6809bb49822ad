import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { numRuns } from '../../../support/num-runs.ts';
import { authorize, describeOAuth, type OAuthUnderTest, REDIRECT_URI, RESOURCE, signIn } from './support.ts';

const TABLES = [
  'oauth_clients',
  'oauth_grants',
  'oauth_codes',
  'refresh_tokens',
  'access_tokens',
  'single_use_codes',
  'audit_events',
] as const;
const TIMEOUT_MS = 120_000;

type Snapshot = Record<(typeof TABLES)[number], string[]>;

async function snapshot(given: OAuthUnderTest): Promise<Snapshot> {
  const entries: [string, string[]][] = [];
  for (const table of TABLES) {
    const rows = await given.store.db
      .selectFrom(table as 'audit_events')
      .selectAll()
      .execute();
    entries.push([table, rows.map((row) => JSON.stringify(row)).sort()]);
  }
  return Object.fromEntries(entries) as Snapshot;
}

/** Added rows, by table; a changed row counts as added. */
function added(before: Snapshot, after: Snapshot): Partial<Record<keyof Snapshot, string[]>> {
  const entries = TABLES.map((table) => {
    const known = new Set(before[table]);
    return [table, after[table].filter((row) => !known.has(row))] as const;
  });
  return Object.fromEntries(entries.filter(([, rows]) => rows.length > 0));
}

function countsOf(rows: ReturnType<typeof added>): Record<string, number> {
  return Object.fromEntries(Object.entries(rows).map(([table, list]) => [table, list.length]));
}

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', ' ', '\0', 'a\0b', '\ud800', '%00', '__proto__', 'constructor', '🗝️', 'a'.repeat(5000)),
);
const mediaType = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'application/x-www-form-urlencoded',
  'APPLICATION/X-WWW-FORM-URLENCODED; charset=UTF-8',
  'multipart/form-data; boundary=x',
  'text/plain',
  '',
);
const authorization = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.string({ maxLength: 60 }).map((credentials) => `Basic ${Buffer.from(credentials).toString('base64')}`),
  fc.stringMatching(/^[!-~]{1,20}( [!-~]{1,40})?$/),
);

const PATHS = ['register', 'token', 'revoke', 'sessions'].map((name) => `/api/mcp/oauth/${name}`);

describeOAuth('any input', (given) => {
  const runs = numRuns(given.dialect === 'sqlite' ? 400 : 100);

  test(
    'arbitrary bytes are refused with an OAuth error, and change nothing',
    async () => {
      const body = fc.oneof(
        fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
        fc.json().map((json) => Buffer.from(json)),
        fc.webQueryParameters().map((query) => Buffer.from(query)),
        fc.constant(Buffer.from('['.repeat(60_000))),
        fc.constant(Buffer.alloc(70_000, 'a')),
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...PATHS), mediaType, authorization, body, async (path, type, basic, sent) => {
          const before = await snapshot(given);
          const headers = { ...(type === '' ? {} : { 'Content-Type': type }), Authorization: basic };
          const answer = await given.send(path, { method: 'POST', headers, body: sent as unknown as BodyInit });
          expect([400, 401, 413, 415]).toContain(answer.status);
          expect(answer.body).toEqual({ error: expect.any(String), error_description: expect.any(String) });
          expect(answer.headers.get('Cache-Control')).toBe('no-store');
          expect(await snapshot(given)).toEqual(before);
        }),
        { numRuns: runs },
      );
    },
    TIMEOUT_MS,
  );

  test(
    'a registration is complete or does not happen',
    async () => {
      const uri = fc.oneof(
        {
          weight: 12,
          arbitrary: fc.constantFrom(REDIRECT_URI, 'https://app.example.com/cb', 'com.example.app:/cb'),
        },
        { weight: 6, arbitrary: fc.webUrl({ withQueryParameters: true, validSchemes: ['https'] }) },
        fc.webUrl({ withFragments: true, withQueryParameters: true, validSchemes: ['http', 'https'] }),
        fc.constant('javascript:alert(1)'),
        text,
      );
      const value = fc.oneof(text, fc.jsonValue(), fc.array(text, { maxLength: 3 }), fc.constant(null));
      const usually = (good: fc.Arbitrary<unknown>) => fc.oneof({ weight: 12, arbitrary: good }, value);
      const metadata = fc.record(
        {
          redirect_uris: usually(fc.array(uri, { minLength: 1, maxLength: 3 })),
          token_endpoint_auth_method: usually(fc.constantFrom('none', 'client_secret_basic', 'client_secret_post')),
          client_name: usually(fc.string({ maxLength: 50 })),
          application_type: usually(fc.constantFrom('native', 'web')),
          grant_types: usually(fc.constant(['authorization_code', 'refresh_token'])),
          response_types: usually(fc.constant(['code'])),
          client_uri: usually(fc.webUrl()),
          contacts: value,
          scope: value,
          jwks: value,
          ['__proto__' as string]: value,
        },
        { requiredKeys: ['redirect_uris'] },
      );
      let registered = 0;
      await fc.assert(
        fc.asyncProperty(metadata, async (sent) => {
          const before = await snapshot(given);
          const answer = await given.register(sent);
          const rows = added(before, await snapshot(given));
          if (answer.status === 201) {
            registered += 1;
            expect(countsOf(rows)).toEqual({ oauth_clients: 1 });
            expect(answer.body.client_id).toEqual(expect.any(String));
            expect('client_secret' in answer.body).toBe(answer.body.token_endpoint_auth_method !== 'none');
            expect(Object.values(answer.body)).not.toContain(null);
            for (const each of answer.body.redirect_uris) expect(sent.redirect_uris).toContain(each);
          } else {
            expect([answer.status, rows]).toEqual([400, {}]);
            expect(['invalid_redirect_uri', 'invalid_client_metadata']).toContain(answer.body.error);
          }
        }),
        { numRuns: runs },
      );
      expect(registered).toBeGreaterThan(runs / 100);
    },
    TIMEOUT_MS,
  );

  test(
    'a connection code is issued with its event, or not at all',
    async () => {
      const usually = (...good: unknown[]) =>
        fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...good) }, text, fc.jsonValue());
      const body = fc.record(
        {
          client_id: usually('acme'),
          client_secret: usually(given.partnerSecret),
          user_id: usually('alice', 'alice', 'nobody'),
          services: usually(['crm'], ['crm', 'mailer'], null, []),
          read_only: usually(true, false, null),
        },
        { requiredKeys: ['user_id'] },
      );
      const asForm = fc.boolean();
      let minted = 0;
      await fc.assert(
        fc.asyncProperty(body, asForm, authorization, async (sent, form, basic) => {
          const before = await snapshot(given);
          const fields = Object.entries(sent).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]);
          const answer = await given.send('/api/mcp/oauth/sessions', {
            method: 'POST',
            headers: { Authorization: basic, ...(form ? {} : { 'Content-Type': 'application/json' }) },
            body: form ? new URLSearchParams(fields) : JSON.stringify(sent),
          });
          const rows = added(before, await snapshot(given));
          if (answer.status === 200) {
            minted += 1;
            expect(countsOf(rows)).toEqual({ single_use_codes: 1, audit_events: 1 });
          } else {
            expect([400, 401]).toContain(answer.status);
            expect(rows).toEqual({});
          }
        }),
        { numRuns: runs },
      );
      expect(minted).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test(
    'a token request issues a whole pair or nothing, or ends a grant; a revocation ends one grant or token at most',
    async () => {
      const confidential = (
        await given.register({
          redirect_uris: ['https://app.example.com/cb'],
          token_endpoint_auth_method: 'client_secret_basic',
        })
      ).body;
      const signedIn = await signIn(given);
      const authorized = await authorize(given, { clientId: signedIn.clientId });
      const secrets = [authorized.code, signedIn.accessToken, signedIn.refreshToken];
      const value = (...good: string[]) => fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...good) }, text);
      const parameters = fc.record(
        {
          grant_type: value('authorization_code', 'refresh_token'),
          code: value(...secrets),
          refresh_token: value(...secrets),
          redirect_uri: value(REDIRECT_URI),
          code_verifier: value(authorized.codeVerifier, 'a'.repeat(43)),
          client_id: value(signedIn.clientId, signedIn.clientId, confidential.client_id),
          client_secret: value(confidential.client_secret),
          resource: value(RESOURCE, `${RESOURCE}/`, 'https://other.example.com'),
          scope: value('tools:read', 'tools:read tools:write', 'openid'),
          token: value(...secrets),
          token_type_hint: value('access_token', 'refresh_token'),
        },
        { requiredKeys: ['grant_type', 'client_id'] },
      );
      const repeat = fc.option(fc.constantFrom('code', 'client_id', 'resource', 'unknown'), { freq: 8 });
      await fc.assert(
        fc.asyncProperty(fc.boolean(), parameters, repeat, authorization, async (revokes, sent, twice, basic) => {
          const before = await snapshot(given);
          given.now += 1;
          const form = new URLSearchParams(sent as Record<string, string>);
          if (twice !== null) form.append(twice, sent[twice as 'code'] ?? 'x');
          const answer = await given.send(`/api/mcp/oauth/${revokes ? 'revoke' : 'token'}`, {
            method: 'POST',
            headers: { Authorization: basic },
            body: form,
          });
          const rows = added(before, await snapshot(given));
          const counts = countsOf(rows);
          expect([200, 400, 401]).toContain(answer.status);
          if (answer.status === 200 && !revokes) {
            expect(counts).toMatchObject({ access_tokens: 1, oauth_grants: 1, audit_events: 1 });
            expect(Object.values(answer.body)).not.toContain(null);
            const used = (counts.oauth_codes ?? 0) + (counts.refresh_tokens ?? 0) - 1;
            expect(used).toBe(1);
          } else if (Object.keys(rows).length > 0) {
            const { audit_events: events, ...ended } = counts;
            expect(events).toBe(1);
            expect(Object.values(ended).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1);
            if (!revokes) expect(rows.audit_events![0]).toMatch(/_replayed/);
          }
        }),
        { numRuns: runs },
      );
    },
    TIMEOUT_MS,
  );

  afterEach(() => {
    expect(given.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
