import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../../../package.json' with { type: 'json' };
import { createCredentialVault } from '../../../../server/base/credentials/index.ts';
import { saveConnection } from '../../../../server/base/credentials/save-connection.ts';
import { emit } from '../../../../server/base/store/events.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { addPartner } from '../../../../server/identity/partners/manage.ts';
import { describeVariables } from '../../../../server/index.ts';
import { createDoctorCommand } from '../../../../server/modules/doctor/command.ts';
import { MODULES } from '../../../../server/modules/index.ts';
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
  folder = await mkdtemp(join(tmpdir(), `utg-doctor-${MARKER}-`));
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
      emit(transaction, { type: 'consent_denied', now, userId: `user-${MARKER}`, details: { note: MARKER } }),
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

/** Every secret setting, and others that name a person or a place, with the marker in it and a value that can be used. */
const HIDDEN: Record<string, string> = {
  LIMITS_REDIS_URL: `redis://:${MARKER}@127.0.0.1:1`,
  OUTGOING_PROXY: `http://user:${MARKER}@127.0.0.1:1`,
  ADMIN_SECRET: `${MARKER}-q8Zr2Lx0Vd51`,
  ADMIN_OPENID_ISSUER: `https://${MARKER}.invalid`,
  ADMIN_OPENID_CLIENT_ID: MARKER,
  ADMIN_OPENID_CLIENT_SECRET: MARKER,
  ADMIN_OPENID_LOOK: `${MARKER}@example.com`,
  ADMIN_OPENID_ACT: `${MARKER}@example.com`,
  OTEL_SERVICE_NAME: MARKER,
  OTEL_RESOURCE_ATTRIBUTES: `team=${MARKER}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:1/${MARKER}`,
  OTEL_EXPORTER_OTLP_HEADERS: `api-key=${MARKER}`,
  WITHHOLD: `[{"service":"crm","members":{"**.emailAddresses":"drop"},"client":"${MARKER}"}]`,
  CRM_BASE_URL: `http://127.0.0.1:1/${MARKER}`,
};

async function jsonOf(env: Record<string, string>, argv: readonly string[] = []): Promise<string> {
  const { out } = await runInProcess(
    (output) => createDoctorCommand(MODULES, output, { env, connectors }),
    ['--json', '--timeout', '5', ...argv],
  );
  return out;
}

describe('the JSON of the doctor', () => {
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
    const text = await jsonOf(env(), ['--verify-as', 'ada']);
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

  test('contains versions and findings', async () => {
    const { findings, ...rest } = JSON.parse(await jsonOf(env()));
    expect(rest).toEqual({ version: manifest.version, node: process.version, system: expect.any(String) });
    expect(findings.map(({ check }: { check: string }) => check)).toContain('audit trail');
    expect(findings).toContainEqual({
      check: 'address',
      state: 'ok',
      seen: `a gateway answers at ${gateway.listensAt}`,
    });
  });

  test('contains nothing from invalid settings', async () => {
    const names = describeVariables(connectors).map(({ name }) => name);
    const text = await jsonOf(Object.fromEntries(names.map((name) => [name, `\u0000 ${MARKER} http://`])));
    expect(text).not.toContain(MARKER);
    expect(JSON.parse(text).findings).toContainEqual(expect.objectContaining({ check: 'settings', state: 'error' }));
  });
});
