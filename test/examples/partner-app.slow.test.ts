import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { addPartner } from '../../server/identity/partners/manage.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { blocksOf, findRunner } from '../support/documented-blocks.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { type RunningScript, runScript } from '../support/run-script.ts';
import { createWalker } from '../support/walker.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = 'examples/partner-app/index.ts';
const GUIDE = 'docs/guides/partners.md';

describe('the page of the guide for partners', () => {
  let sandbox: OpenSandbox;
  let gateway: RunningGateway;
  let app: RunningScript;
  let origin: string;
  beforeAll(async () => {
    const connectors = (await loadConnectors()).filter(({ name }) => name === 'crm');
    sandbox = await openSandbox({ root: ROOT, services: ['crm'], credential: 'key-of-ada' });
    const env: Record<string, string> = Object.assign({}, ...Object.values(sandbox.environment));
    gateway = await startGateway({ connectors, env, secretOf: () => 'key-of-ada' });
    const port = await freePort();
    origin = `http://localhost:${port}`;
    const partner = { clientId: 'page', name: 'Page', redirectUris: [`${origin}/connected`] };
    const { secret } = await gateway.store.db
      .transaction()
      .execute((transaction) => addPartner(transaction, partner, { now: Date.now() }));
    const GATEWAY = new URL(gateway.url).origin;
    app = runScript(PAGE, [], { GATEWAY, CLIENT_ID: 'page', CLIENT_SECRET: secret, PORT: String(port) });
    await app.waitFor(/Open http/);
  });
  afterAll(async () => {
    await app.stop('SIGKILL');
    await gateway.close();
    await sandbox.close();
  });

  test('is started by the command of the guide', () => {
    const blocks = blocksOf(GUIDE, readFileSync(resolve(ROOT, GUIDE), 'utf8'));
    const [command] = blocks.filter((block) => findRunner(block) === 'test/examples/partner-app.slow.test.ts');
    expect(command!.text).toBe(`npx node ${PAGE}\n`);
  });

  test('connects its user, and shows a code with which a client signs in', async () => {
    const ada = createWalker();
    const form = await ada.open(`${origin}/connect`);
    const [, field = ''] = /<input type="password"[^>]* name="([^"]*)"/.exec(form.text) ?? [];
    const connected = await ada.press(form, 'Connect', { [field]: 'key-of-ada' });
    const [, code = ''] = /code for your AI client: (\S+)/.exec(connected.text) ?? [];
    expect(code).toMatch(/^\w{4}-\w{4}-\w{4}$/);
    expect((await ada.open(connected.url)).text).not.toContain(code);
    expect((await ada.open(`${origin}/connected?code=utg_cc_x&state=another`)).text).toContain('Connect Affinity');
  });
});
