import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import partner from '../../packages/partner/package.json' with { type: 'json' };
import { buildKit, listPackages } from '../../scripts/package/kit.ts';
import { CONNECT_SCRIPT } from '../../server/connect/connect-script.ts';
import { NOTHING_MAY_BE_SKIPPED, skipBecause } from '../support/fuller-checks.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PACKAGES = ['connect', 'partner'];
const TIMEOUT_MS = 300_000;
const run = promisify(execFile);
if (!NOTHING_MAY_BE_SKIPPED) skipBecause('the packages for partners are installed in .ci/run only: it takes a minute');

describe('the manifests', () => {
  test('depend on what the gateway is tested with', () => {
    const tested: Readonly<Record<string, string>> = { ...manifest.dependencies, ...manifest.devDependencies };
    expect(Object.entries(partner.dependencies).filter(([name, range]) => tested[name] !== range)).toEqual([]);
  });

  test('are those of every folder, and each archive is published with its provenance', async () => {
    expect(await listPackages(ROOT)).toEqual(PACKAGES);
    const { jobs } = parse(await readFile(path.join(ROOT, '.github/workflows/release.yml'), 'utf8'));
    const commands = jobs.package.steps.map((step: { run?: string }) => step.run ?? '').join('\n');
    expect(commands).toMatch(
      /for archive in \.cache\/unified-tool-gateway-\*\.tgz; do npm publish "\$archive" --provenance/,
    );
    expect(jobs.package.permissions['id-token']).toBe('write');
  });
});

describe.skipIf(!NOTHING_MAY_BE_SKIPPED)('the packages for partners', { timeout: TIMEOUT_MS }, () => {
  let folder: string;
  let archives: readonly string[];
  const inFolder = (command: string, ...args: string[]) => run(command, args, { cwd: folder });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kit-'));
    archives = await buildKit(ROOT, folder, '.cache/kit-in-test');
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module", "private": true }');
    await inFolder('npm', 'install', ...archives, '--no-audit', '--no-fund');
  }, TIMEOUT_MS);
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(path.join(ROOT, '.cache/kit-in-test'), { recursive: true, force: true });
  });

  test('are archives that npm run package and the release find by one name', () => {
    expect(archives.map((file) => path.basename(file))).toEqual(
      PACKAGES.map((name) => `unified-tool-gateway-${name}-${manifest.version}.tgz`),
    );
  });

  test.each([
    ['connect', ['LICENSE', 'README.md', 'connect.js', 'index.d.ts', 'index.js', 'package.json', 'script.d.ts']],
    ['partner', ['LICENSE', 'README.md', 'api.d.ts', 'index.d.ts', 'index.js', 'package.json']],
  ])('%s has its files, the version of the gateway, a licence and no script', async (name, files) => {
    const at = path.join(folder, 'node_modules/@unified-tool-gateway', name);
    expect((await readdir(at)).filter((file) => file !== 'node_modules').sort()).toEqual(files);
    const published = JSON.parse(await readFile(path.join(at, 'package.json'), 'utf8'));
    expect(published).toMatchObject({ version: manifest.version, license: manifest.license, type: 'module' });
    expect(published).not.toHaveProperty('scripts');
    expect(await readFile(path.join(at, 'LICENSE'), 'utf8')).toContain('Apache License');
  });

  test('have the script that each gateway serves', async () => {
    const file = path.join(folder, 'node_modules/@unified-tool-gateway/connect/connect.js');
    expect(await readFile(file, 'utf8')).toBe(CONNECT_SCRIPT);
  });

  test('run as they are installed', async () => {
    const program = `
      import { createPartnerClient, PartnerApiError, verifyWebhook, WebhookVerificationError } from '@unified-tool-gateway/partner';
      import { connect, connectInFrame, ConnectError } from '@unified-tool-gateway/connect';
      const partner = createPartnerClient('http://127.0.0.1:9', { clientId: 'a', clientSecret: 'b' });
      let refused;
      try { verifyWebhook('whsec_AAAA', '{}', {}); } catch (error) { refused = error instanceof WebhookVerificationError; }
      console.log(JSON.stringify([typeof partner.GET, typeof PartnerApiError, refused, typeof connect, typeof connectInFrame, new ConnectError('closed', '').code]));`;
    const { stdout } = await inFolder(process.execPath, '--input-type=module', '--eval', program);
    expect(JSON.parse(stdout)).toEqual(['function', 'function', true, 'function', 'function', 'closed']);
  });

  test('type what partners write, and refuse what the API does not take', async () => {
    const good = `
      import { AS_FORM, answerOf, createPartnerClient, type PartnerEvent, verifyWebhook } from '@unified-tool-gateway/partner';
      import { connectInFrame, type ConnectMessage } from '@unified-tool-gateway/connect';
      import type {} from '@unified-tool-gateway/connect/script';
      const partner = createPartnerClient('https://tools.example.com', { clientId: 'a', clientSecret: 'b' });
      const body = { user_id: 'ada', services: ['crm'], redirect_uri: 'https://acme.example/back' };
      export const { connect_url } = await answerOf(partner.POST('/api/partner/connect-sessions', { body }));
      const event: PartnerEvent = verifyWebhook('whsec_AAAA', '{}', new Headers());
      if (event.type === 'connection.attention') console.log(event.data.connection_id satisfies string);
      export const { code } = await connectInFrame(connect_url, { gateway: 'https://tools.example.com' });
      export const inScript = window.UnifiedToolGateway.connect(connect_url);
      export const message: ConnectMessage = { type: 'unified-tool-gateway:connect', version: 1, event: 'height', height: 1 };
      export const tokens = answerOf(partner.POST('/api/oauth/token', { body: { grant_type: 'refresh_token', refresh_token: 'x' }, ...AS_FORM }));`;
    await writeFile(path.join(folder, 'good.ts'), good);
    await writeFile(
      path.join(folder, 'bad.ts'),
      good.replace("user_id: 'ada'", "user: 'ada'").replace('gateway: ', 'origin: '),
    );
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--lib',
      'es2024,dom,dom.iterable',
    ];
    const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules/@types')];
    const check = (file: string) => inFolder(process.execPath, tsc, ...options, ...types, file);
    expect((await check('good.ts')).stdout).toBe('');
    await expect(check('bad.ts')).rejects.toMatchObject({ stdout: expect.stringMatching(/user_id[\s\S]*origin/) });
  });
});
