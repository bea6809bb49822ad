import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { emit } from '../../../../server/base/store/events.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { callTool, LIBRARY } from '../../call/tools/limits/support.ts';
import { FEEDBACK } from '../feedback/support.ts';
import { startLogCollector } from './otlp-collector.ts';
import { samplesOf } from './support.ts';

let collector: Awaited<ReturnType<typeof startLogCollector>>;
let gateway: RunningGateway;

beforeEach(async () => {
  collector = await startLogCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.origin);
  vi.stubEnv('OTEL_SERVICE_NAME', 'gateway-eu');
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test%20lab,service.instance.id=node-1');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await gateway.close();
  collector.close();
});

async function start(env: Record<string, string> = {}): Promise<void> {
  gateway = await startGateway({
    connectors: [LIBRARY],
    secretOf: () => '',
    env: { OTEL_LOGS_EXPORTER: 'otlp', FEEDBACK: 'on', ...env },
  });
}

const isLogged = (name: string) => vi.waitUntil(() => collector.logs.find((log) => log.name === name), 15_000);

test('committed events are log records with the class of OCSF, and events that were rolled back are not', async () => {
  await start();
  const { db } = gateway.store;
  const now = Date.UTC(2026, 10, 30);
  const happened = { now, partnerId: 'p1', userId: 'u1', clientId: 'c1', grantId: 'g1' };
  const transaction = db.transaction().execute(async (open) => {
    await emit(open, { type: 'refresh_token_replayed', ...happened, clientId: 'rolled-back' });
    throw new Error('rolled back');
  });
  await expect(transaction).rejects.toThrow('rolled back');
  await emit(db, { type: 'refresh_token_replayed', ...happened, address: '203.0.113.9', details: { tokens: 2 } });
  const log = await isLogged('gateway.audit.refresh_token_replayed');
  const row = await db
    .selectFrom('audit_events')
    .select('id')
    .where('type', '=', 'refresh_token_replayed')
    .executeTakeFirstOrThrow();
  expect(log).toEqual({
    name: 'gateway.audit.refresh_token_replayed',
    severity: 'WARN',
    text: 'A refresh token was used twice.',
    at: now,
    attributes: {
      'user.id': 'u1',
      'client.address': '203.0.113.9',
      'gateway.partner.id': 'p1',
      'gateway.client.id': 'c1',
      'gateway.grant.id': 'g1',
      'gateway.audit.id': row.id,
      'gateway.audit.details': '{"tokens":2}',
      'ocsf.class_uid': 2004,
      'ocsf.activity_id': 1,
      'ocsf.type_uid': 200401,
      'ocsf.severity_id': 3,
      'ocsf.status_id': 2,
    },
    resource: expect.objectContaining({
      'service.name': 'gateway-eu',
      'service.instance.id': 'node-1',
      'deployment.environment.name': 'test lab',
    }),
  });
  expect(collector.paths).toContain('/v1/logs');
  expect(JSON.stringify(collector.logs)).not.toContain('rolled-back');
});

test('feedback is a log record, and stopping sends what waits', async () => {
  await start();
  await callTool(gateway, FEEDBACK, { tried: 'a', missing: 'b', tool: 'library_move' });
  await emit(gateway.store.db, { type: 'partner_changed', now: Date.now(), partnerId: 'p1' });
  await gateway.stop();
  expect(collector.logs.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['gateway.feedback.received', 'gateway.audit.partner_changed']),
  );
  expect(collector.logs.find(({ name }) => name === 'gateway.feedback.received')).toMatchObject({
    text: 'Tried: a\nMissing: b',
    attributes: { 'gen_ai.tool.name': 'library_move', 'gateway.realm': 'live' },
  });
});

test('calls do not wait for a collector that refuses, and a metric counts what was not sent', async () => {
  await start({ METRICS_LISTEN: '127.0.0.1:9464', OTEL_METRICS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' });
  collector.status = 400;
  await emit(gateway.store.db, { type: 'partner_changed', now: Date.now(), partnerId: 'p1' });
  const { createServer } = await import('node:http');
  const server = createServer(gateway.metrics!);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const lost = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return samplesOf(text).find(
      ({ name, labels }) => name === 'otel_sdk_processor_log_processed_total' && labels.includes('error_type'),
    )?.value;
  };
  await vi.waitUntil(async () => ((await lost()) ?? 0) > 0, 15_000);
  expect(await lost()).toBeGreaterThanOrEqual(1);
  server.closeAllConnections();
  server.close();
});
