import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildEnvironment } from '../../../sandbox/connector-rules.ts';
import { type OpenSandbox, openSandbox } from '../../../sandbox/index.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { numRuns } from '../../support/num-runs.ts';
import { findFailure } from '../contract/failure.ts';
import { loadSentAs, type SentAs } from '../contract/sent-as.ts';
import { FORMS_ROOT, generateForms, importForms } from './forms.ts';

const TOOLS = [
  ...[
    'forms_add_anything',
    'forms_add_picture',
    'forms_change_profile',
    'forms_create_charge',
    'forms_create_document',
  ],
  ...[
    'forms_create_import',
    'forms_create_letter',
    'forms_render_note',
    'forms_replace_archive',
    'forms_replace_feed',
    'forms_replace_filters',
  ],
];
const seed = Number(process.env.CONTRACT_SEED ?? 2026);
const runs = Number(process.env.CONTRACT_RUNS ?? numRuns(40));

let imported: Awaited<ReturnType<typeof importForms>>;
let sandbox: OpenSandbox;
let gateway: RunningGateway;
let client: Awaited<ReturnType<typeof connectClient>>;
let sentAs: ReadonlyMap<string, SentAs>;
beforeAll(async () => {
  imported = await importForms(await generateForms());
  sentAs = loadSentAs(join(imported.root, 'generated'), 'forms');
  sandbox = await openSandbox({ root: FORMS_ROOT, services: ['forms'], credential: 'sandbox-key' });
  gateway = await startGateway({
    connectors: [imported.connector],
    env: buildEnvironment(imported.connector, sandbox.origin),
    secretOf: () => 'sandbox-key',
  });
  client = await connectClient(gateway);
  await client.listTools();
}, 120_000);
afterAll(async () => {
  await client?.close();
  await gateway?.close();
  await sandbox?.close();
  await imported?.remove();
});

describe('a body of drawn arguments arrives as given', () => {
  test('by every tool of the service', () => {
    expect(imported.connector.tools.map(({ name }) => name)).toEqual(TOOLS);
  });

  test.each(TOOLS)('%s', { timeout: 120_000 }, async (name) => {
    const tool = imported.connector.tools.find((one) => one.name === name)!;
    const setting = { client, sandbox, sentAs: sentAs.get(name)!, seed, runs, folder: 'test/requests/bodies' };
    const failure = await findFailure({ tool, service: 'forms', ...setting });
    if (failure !== null) throw new Error(failure);
  });
});
