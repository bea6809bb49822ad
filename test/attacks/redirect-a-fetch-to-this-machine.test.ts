import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAddCommand } from '../../scripts/connector/command.ts';
import { modelOf } from '../codegen/model/model-of.ts';
import { startHost } from '../server/call/upstream/support.ts';
import { runInProcess } from '../support/run-command.ts';

let root = '';
let host: Awaited<ReturnType<typeof startHost>>;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'connector-'));
  host = await startHost((request, response) => {
    if (request.url === '/moved') response.writeHead(404).end();
    else response.writeHead(302, { location: '/moved' }).end();
  });
});
afterAll(async () => {
  await host.close();
  await rm(root, { recursive: true, force: true });
});

const add = (url: string, ...flags: string[]) =>
  runInProcess(createAddCommand, [url, '--name', 'notes', '--root', root, ...flags]);

describe('utg add', () => {
  test.each(['http://127.0.0.1', 'http://[::1]', 'http://localhost', 'http://10.0.0.1', 'http://2130706433'])(
    'sends no request to a private address: %s',
    async (origin) => {
      const { code, err } = await add(`${origin}:${new URL(host.origin).port}/openapi`);
      expect(code).toBe(2);
      expect(err).toContain('--allow-private');
      expect(host.hits()).toBe(0);
    },
  );

  test('reports each redirect', async () => {
    const { err } = await add(`${host.origin}/moved-twice`, '--allow-private');
    expect(err).toContain(`${host.origin}/moved-twice redirects to ${host.origin}/moved\n`);
    expect(err).toContain(`${host.origin}/moved answers 404.`);
  });
});

describe('a path of a descriptor', () => {
  test.each([
    '/../../admin',
    '//evil2.example/x',
    '/a/%2e%2E/b',
    '/a%2f..%2fb',
    '/%252e%252e/b',
    '/a\\..\\b',
    '/./x',
    '/%2f/evil',
  ])('is refused with its operation if it leaves the base URL: %s', (given) => {
    const { model, problems } = modelOf({ paths: { [given]: { get: { responses: {} } } } });
    expect(problems.map(({ code }) => code)).toContain('path-leaves-base');
    expect(model.operations[0]?.faults).toHaveLength(1);
  });

  test.each(['/notes', '/a..b/.well-known/x', '/v1.0/{id}', '/a/', '/%20'])('is accepted: %s', (given) => {
    const { problems } = modelOf({ paths: { [given]: { get: { responses: {} } } } });
    expect(problems.map(({ code }) => code)).not.toContain('path-leaves-base');
  });
});
