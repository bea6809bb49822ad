import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../../server/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { sendRaw } from '../../../support/raw-request.ts';

const scratch = mkdtempSync(join(tmpdir(), 'well-known-'));
afterAll(() => rmSync(scratch, { recursive: true }));
let folders = 0;

function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  folders += 1;
  const folder = join(scratch, `folder-${folders}`);
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const connectors = [fakeConnector({ tools: [fakeTool({ name: 'library_find' })] })];
const REGISTRY_PROOF = 'v=MCPv1; k=ed25519; p=7nVDDm2XlSBpyV4GUK8wKmYyM1vUVtsD0f0dBnNhvSk=';

describe('the files of WELL_KNOWN_FOLDER', () => {
  let gateway: RunningGateway;
  afterEach(() => gateway.close());

  const start = async (folder: string, env: Readonly<Record<string, string>> = {}) => {
    gateway = await startGateway({ connectors, secretOf: () => '', env: { ...env, WELL_KNOWN_FOLDER: folder } });
    return (path: string, init: RequestInit = {}) => fetch(gateway.listensAt + path, init);
  };

  test('are what directories and registries read, without the line break at the end', async () => {
    const ask = await start(
      folderOf({
        'openai-apps-challenge': 'token-of-the-app\n',
        'mcp-registry-auth': `${REGISTRY_PROOF}\r\n`,
        'assetlinks.json': '[{"relation":[]}]\n',
        '.hidden': 'SECRET',
      }),
    );
    const seen = async (name: string) => {
      const answer = await ask(`/.well-known/${name}`);
      return [answer.status, answer.headers.get('content-type'), await answer.text()];
    };
    expect(await seen('openai-apps-challenge')).toEqual([200, 'text/plain; charset=utf-8', 'token-of-the-app']);
    expect(await seen('mcp-registry-auth')).toEqual([200, 'text/plain; charset=utf-8', REGISTRY_PROOF]);
    expect(await seen('assetlinks.json')).toEqual([200, 'application/json; charset=utf-8', '[{"relation":[]}]\n']);
    for (const name of ['.hidden', 'OpenAI-Apps-Challenge', 'openai-apps-challenge/x', 'other']) {
      expect((await seen(name))[0]).toBe(404);
    }
  });

  test('are read by anyone from any origin, conditionally, and never changed', async () => {
    const ask = await start(folderOf({ 'openai-apps-challenge': 'a' }));
    const path = '/.well-known/openai-apps-challenge';
    const answer = await ask(path, { headers: { Origin: 'https://other.example' } });
    const { headers } = answer;
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect((await ask(path, { headers: { 'If-None-Match': headers.get('etag')! } })).status).toBe(304);
    const head = await ask(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '1']);
    expect([(await ask(path, { method: 'OPTIONS' })).status, (await ask(path, { method: 'POST' })).status]).toEqual([
      204, 405,
    ]);
  });

  test('leave the documents of the gateway as they are', async () => {
    const env = { SERVER_CARD_NAME: 'com.example/tools' };
    const ask = await start(folderOf({ proof: 'a' }), env);
    for (const name of [
      'oauth-protected-resource',
      'oauth-protected-resource/api/mcp/unified',
      'oauth-authorization-server',
      'ai-catalog.json',
    ]) {
      const answer = await ask(`/.well-known/${name}`);
      expect([name, answer.status, answer.headers.get('content-type')]).toEqual([
        name,
        200,
        expect.stringContaining('json'),
      ]);
    }
    expect((await ask('/.well-known/openid-configuration')).status).toBe(404);
  });

  test('lead to no other file', async () => {
    const folder = folderOf({ proof: 'a' });
    writeFileSync(join(scratch, 'outside'), 'a');
    await start(folder);
    for (const path of ['/.well-known/../outside', '/.well-known/%2e%2e/outside', '/.well-known/..%2foutside']) {
      const { hostname: host, port, host: authority } = new URL(gateway.listensAt);
      const text = `GET ${path} HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`;
      expect([path, await sendRaw({ host, port: Number(port), localAddress: host, text })]).toEqual([path, 404]);
    }
  });

  test('may be links within the folder, as Kubernetes mounts them', async () => {
    const folder = folderOf({});
    mkdirSync(join(folder, '..2026_01_01'));
    writeFileSync(join(folder, '..2026_01_01/proof'), 'mounted');
    symlinkSync('..2026_01_01', join(folder, '..data'));
    symlinkSync('..data/proof', join(folder, 'proof'));
    const ask = await start(folder);
    expect(await (await ask('/.well-known/proof')).text()).toBe('mounted');
  });
});

describe('a folder that cannot be served', () => {
  const problemOf = (folder: string): string => {
    try {
      loadConfig({ connectors, env: { WELL_KNOWN_FOLDER: folder } });
    } catch (error) {
      return String(error);
    }
    return '';
  };

  test.each<[string, Readonly<Record<string, string | Buffer>>, string]>([
    ['the gateway answers', { 'oauth-authorization-server': '{}' }, 'how clients sign users in'],
    ['the gateway answers in other letters', { 'OAuth-Protected-Resource': '{}' }, 'how clients sign users in'],
    ['clients would sign in by', { 'openid-configuration': '{}' }, 'how clients sign users in'],
    ['another setting serves', { 'AI-catalog.json': '{}' }, 'set SERVER_CARD_NAME instead'],
    ['has a space', { 'a b': 'a' }, 'a name is at most 100 letters'],
    ['is too long', { ['x'.repeat(101)]: 'a' }, 'a name is at most 100 letters'],
    ['is too large', { proof: Buffer.alloc(65_537, 'a') }, 'it is larger than 65536 bytes'],
    ['is no text', { proof: Buffer.from([0xff, 0xfe]) }, 'which is no UTF-8 text'],
    ['is no JSON', { 'proof.json': '{' }, 'which is not valid JSON'],
  ])('names the file whose name or content %s', (_title, files, problem) => {
    const [name = ''] = Object.keys(files);
    const text = problemOf(folderOf(files));
    expect(text).toContain('WELL_KNOWN_FOLDER holds');
    expect(text).toContain(name);
    expect(text).toContain(problem);
  });

  test('names what is no file, and a link that leads out', () => {
    const folder = folderOf({});
    mkdirSync(join(folder, 'inner'));
    expect(problemOf(folder)).toContain('holds "inner", which cannot be read (it is not a file)');
    const linked = folderOf({});
    symlinkSync('/etc/hostname', join(linked, 'proof'));
    expect(problemOf(linked)).toContain(
      'holds "proof", which cannot be read (it is a link that leads out of the folder)',
    );
    const neighbour = folderOf({});
    mkdirSync(`${neighbour}-next`);
    writeFileSync(`${neighbour}-next/proof`, 'a');
    symlinkSync(`${neighbour}-next/proof`, join(neighbour, 'proof'));
    expect(problemOf(neighbour)).toContain('leads out of the folder');
    const broken = folderOf({});
    symlinkSync('missing', join(broken, 'proof'));
    expect(problemOf(broken)).toContain('holds "proof", which cannot be read (ENOENT)');
    const piped = folderOf({});
    execFileSync('mkfifo', [join(piped, 'proof')]);
    expect(problemOf(piped)).toContain('it is not a file');
  });

  test('is said to be missing, no folder, or too full', () => {
    expect(problemOf(join(scratch, 'missing'))).toContain('names a folder that cannot be read (ENOENT)');
    expect(problemOf(join(folderOf({ proof: 'a' }), 'proof'))).toContain(
      'names a folder that cannot be read (ENOTDIR)',
    );
    const many = folderOf(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`proof-${index}`, 'a'])));
    expect(problemOf(many)).toContain('names a folder of more than 50 files');
  });
});
