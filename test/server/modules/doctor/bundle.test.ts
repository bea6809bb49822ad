import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCredentialVault } from '../../../../server/base/credentials/index.ts';
import { saveConnection } from '../../../../server/base/credentials/save-connection.ts';
import { tell } from '../../../../server/base/store/events.ts';
import { openStore } from '../../../../server/base/store/index.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { addPartner } from '../../../../server/identity/partners/manage.ts';
import { describeVariables } from '../../../../server/index.ts';
import { readCounts } from '../../../../server/modules/doctor/bundle/counts.ts';
import { toShownSettings } from '../../../../server/modules/doctor/bundle/settings.ts';
import { createDoctorCommand } from '../../../../server/modules/doctor/command.ts';
import { MODULES } from '../../../../server/modules/index.ts';
import { fakeConnector } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { keyBytes } from '../../../support/keys.ts';
import { runInProcess } from '../../../support/run-command.ts';

/** Stands in whatever is secret or names a person. */
const MARKER = 'MARKER7f3a';

let folder: string;
let gateway: RunningGateway;
let partnerSecret: string;
const connectors = await loadConnectors();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), `utg-bundle-${MARKER}-`));
  gateway = await startGateway({
    connectors,
    env: { DATABASE_URL: `sqlite:${join(folder, `${MARKER}.sqlite`)}` },
    secretOf: () => MARKER,
  });
  const { db } = gateway.store;
  const now = Date.now();
  const partner = await db.transaction().execute((transaction) =>
    addPartner(
      transaction,
      {
        clientId: `acme-${MARKER}`,
        name: MARKER,
        redirectUris: [`https://${MARKER}.invalid/`],
        connectUri: `https://${MARKER}.invalid/c`,
      },
      { now },
    ),
  );
  partnerSecret = partner.secret;
  const user = await ensureUser(db, { partnerId: partner.partner.id, externalUserId: `user-${MARKER}`, now });
  const vault = createCredentialVault({ keys: [{ id: 'test', key: keyBytes(1) }] });
  await saveConnection(db, vault, { userId: user.id, service: 'crm', fields: { key: MARKER }, now });
  await insertClient(db, {
    clientId: `client-${MARKER}`,
    secretHash: null,
    authenticationMethod: 'none',
    applicationType: 'native',
    clientName: MARKER,
    redirectUris: [`https://${MARKER}.invalid/client`],
    jwks: null,
    jwksUri: null,
    registeredFrom: MARKER,
    now,
  });
  await db
    .transaction()
    .execute((transaction) =>
      tell(transaction, { type: 'consent_denied', now, userId: `user-${MARKER}`, details: { note: MARKER } }),
    );
  await gateway.store.insertCallRecords([
    {
      createdAt: now,
      partnerId: partner.partner.id,
      userId: user.id,
      tokenId: MARKER,
      service: 'crm',
      tool: 'crm_get_current_user',
      outcome: 'upstream_failed',
      upstreamCode: MARKER,
      upstreamStatus: 500,
      durationMs: 7,
      requestBytes: 1,
      responseBytes: 1,
      requestId: MARKER,
      grantId: MARKER,
      definition: null,
    },
  ]);
});
afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Every setting that no bundle shows, with the marker in it and a value that can be used. */
const HIDDEN: Record<string, string> = {
  LIMITS_REDIS_URL: `redis://:${MARKER}@127.0.0.1:1`,
  OUTGOING_PROXY: `http://user:${MARKER}@127.0.0.1:1`,
  ADMIN_SECRET: `${MARKER}-q8Zr2Lx0Vd51`,
  ADMIN_OPENID_ISSUER: `https://${MARKER}.invalid`,
  ADMIN_OPENID_CLIENT_ID: MARKER,
  ADMIN_OPENID_CLIENT_SECRET: MARKER,
  ADMIN_OPENID_LOOK: `${MARKER}@example.com`,
  ADMIN_OPENID_ACT: `${MARKER}@example.com`,
  SECURITY_CONTACT: `mailto:${MARKER}@example.com`,
  OTEL_SERVICE_NAME: MARKER,
  OTEL_RESOURCE_ATTRIBUTES: `team=${MARKER}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:1/${MARKER}`,
  OTEL_EXPORTER_OTLP_HEADERS: `api-key=${MARKER}`,
  WITHHOLD: `[{"service":"crm","members":{"**.emailAddresses":"drop"},"client":"${MARKER}"}]`,
  CRM_BASE_URL: `http://127.0.0.1:1/${MARKER}`,
};

async function bundleOf(env: Record<string, string>, argv: readonly string[] = []): Promise<string> {
  const file = join(folder, `bundle-${Math.random()}.json`);
  await runInProcess(
    (output) => createDoctorCommand(MODULES, output, { env, connectors }),
    ['--bundle', file, '--timeout', '5', ...argv],
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  return readFile(file, 'utf8');
}

describe('a support bundle', () => {
  const env = () => ({
    ...HIDDEN,
    PUBLIC_URL: gateway.listensAt,
    DATABASE_URL: gateway.databaseUrl,
    ENCRYPTION_KEYS: gateway.encryptionKeys,
    LOG_LEVEL: 'debug',
    [`UNKNOWN_${MARKER}`]: MARKER,
  });

  test('is tested with every secret setting', () => {
    const secrets = describeVariables(connectors).filter(({ secret }) => secret);
    expect(secrets.map(({ name }) => name).filter((name) => !(name in env()))).toEqual([]);
  });

  test('contains no secret setting, and no secret or name from the store', async () => {
    const text = await bundleOf(env(), ['--verify-as', 'ada']);
    const secrets = [
      MARKER,
      MARKER.toLowerCase(),
      gateway.token,
      partnerSecret,
      gateway.encryptionKeys.slice(5),
      folder,
    ];
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/\bada\b|utg_[a-z]+_/);
  });

  test('contains versions, settings, findings, migrations, counts, the last failures, and digests', async () => {
    const bundle = JSON.parse(await bundleOf(env()));
    expect(bundle).toMatchObject({
      node: process.version,
      settings: { PUBLIC_URL: gateway.listensAt, LOG_LEVEL: 'debug', ADMIN_SECRET: '(set)', DATABASE_URL: '(set)' },
      migrations: { pending: [], unknown: [] },
      store: { dialect: 'sqlite', rows: { users: 2, partners: 2, connections: 6, call_records: 1 } },
    });
    expect(bundle.store.lastFailures).toEqual([
      expect.objectContaining({ tool: 'crm_get_current_user', outcome: 'upstream_failed', upstream_status: 500 }),
    ]);
    expect(bundle.store.auditEventsOfSevenDays).toContainEqual({ type: 'consent_denied', number: 1 });
    expect(bundle.findings.map(({ check }: { check: string }) => check)).toContain('audit trail');
    expect(bundle.connectors).toHaveLength(connectors.length);
    expect(bundle.connectors[0].generated).toMatch(/^[0-9a-f]{64}$/);
  });

  test('contains nothing from invalid settings', async () => {
    const names = describeVariables(connectors).map(({ name }) => name);
    const text = await bundleOf(Object.fromEntries(names.map((name) => [name, `\u0000 ${MARKER} http://`])));
    expect(text).not.toContain(MARKER);
    expect(text).toContain('(set, cannot be used)');
  });

  test('replaces no file and creates no folder', async () => {
    const there = join(folder, 'there.json');
    await writeFile(there, 'mine');
    const run = (file: string) =>
      runInProcess(
        (output) => createDoctorCommand(MODULES, output, { env: env(), connectors: [] }),
        ['--bundle', file],
      );
    expect((await run(there)).err).toContain('already exists');
    expect(await readFile(there, 'utf8')).toBe('mine');
    const before = await readdir(folder);
    expect(await run(join(folder, 'nowhere/bundle.json'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no folder'),
    });
    expect(await readdir(folder)).toEqual(before);
  });
});

test('an unlisted setting is not shown', () => {
  const service = fakeConnector({ tools: [], name: 'later' });
  const [variable = ''] = service.servers.flatMap(({ variables }) => variables.map((each) => each.env));
  const env = { [variable]: 'http://127.0.0.1:1/x', PORT: '3000' };
  expect(toShownSettings({ env, connectors: [service], modules: MODULES })).toEqual({
    PORT: '3000',
    [variable]: '(set)',
  });
});

test('what is counted leaves out tables of modules that the store never had', async () => {
  const store = await openStore({ url: `sqlite:${join(folder, 'core.sqlite')}` });
  try {
    const { rows, webhookDeliveries, auditEventsOfSevenDays } = await readCounts(store, Date.now());
    expect(Object.keys(rows)).toContain('call_records');
    expect(Object.keys(rows)).not.toContain('webhook_endpoints');
    expect([webhookDeliveries, auditEventsOfSevenDays]).toEqual([[], []]);
  } finally {
    await store.close();
  }
});
