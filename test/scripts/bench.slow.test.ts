import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { startLoadGenerator } from '../../scripts/lab/bench/load-generator.ts';
import { runScript } from '../support/run-script.ts';

const RUN_TIMEOUT_MS = 120_000;

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
});

async function bench(...args: string[]): Promise<{ code: number | null; output: string }> {
  const script = runScript('scripts/lab/main.ts', ['bench', ...args], { TEST_DATABASE_URL: '' });
  const code = await script.ended();
  return { code, output: script.output() };
}

describe('npm run lab -- bench', () => {
  test(
    'prints a row for each server, or why it is skipped',
    async () => {
      const { code, output } = await bench('--quick', '--seconds=0.1', '--only=call');
      expect(output).toMatch(/^call: tools\/call, 2025-11-25, 68 tools, 1 rounds:$/m);
      const gateways = ['this gateway, SQLite', 'this gateway, SQLite, 2 workers'];
      for (const title of ['bare node:http', 'v1 SDK, sessions', 'v2 SDK', ...gateways]) {
        expect(output).toMatch(new RegExp(`^\\| ${title} \\| 16 \\|( [0-9.]+ \\|){13}$`, 'm'));
      }
      expect(output).toContain('this gateway, PostgreSQL: skipped, because there is no PostgreSQL server');
      expect(output).toMatch(/^From the start of the process to its first list of 68 tools: \d+ ms$/m);
      expect(code).toBe(0);
    },
    RUN_TIMEOUT_MS,
  );

  test(
    'measures the newer protocol and a long list',
    async () => {
      const only = '--only=call-2026,list-1000,gateway-sqlite';
      const { code, output } = await bench('--quick', '--seconds=0.1', only);
      for (const title of ['tools/call, 2026-07-28, 68 tools', 'tools/list, 2025-11-25, 1000 tools']) {
        expect(output).toContain(`${title}, 1 rounds:`);
      }
      expect(output.match(/^\| bare node:http \| 16 \|/gm)).toHaveLength(2);
      expect(code).toBe(0);
    },
    RUN_TIMEOUT_MS,
  );

  test(
    'measures a fixed rate and a compressed list',
    async () => {
      const { code, output } = await bench(
        '--quick',
        '--seconds=0.1',
        '--only=call-1500,list-shipped-br,gateway-sqlite',
      );
      expect(output).toMatch(/^\| bare node:http \| 64 \| 1[0-9]{3} \|/m);
      expect(output).toMatch(/^\| this gateway, SQLite \| 16 \|.*\| 1[0-9]\.[0-9] \|$/m);
      expect(code).toBe(0);
    },
    RUN_TIMEOUT_MS,
  );
});

describe('the load generator', () => {
  test.each([
    ['another status', 503, '{"result":{}}'],
    ['a protocol error', 200, '{"error":{}}'],
    ['a tool error', 200, '{"result":{"isError":true}}'],
  ])('counts %s as a failure', async (_title, status, text) => {
    const server = createHttpServer((_, response) => response.writeHead(status).end(text));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const load = startLoadGenerator();
    endings.push(
      () => server.close(),
      () => load.stop(),
    );
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const target = {
      origin,
      path: '/',
      headers: [{ host: 'upstream' }],
      body: ['', ''] as const,
      clients: 1,
    };
    await expect(load.open(target)).rejects.toThrow(`answered ${status}: ${text}`);
  });

  test('counts every answer, in milliseconds, and its bytes, with the headers of each user in turn', async () => {
    const users: string[] = [];
    const ids = new Set<number>();
    const server = createHttpServer(async (request, response) => {
      users.push(String(request.headers.user));
      ids.add(((await json(request)) as { id: number }).id);
      setTimeout(() => response.end('{"result":{}}'), 5);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const load = startLoadGenerator();
    endings.push(
      () => server.close(),
      () => load.stop(),
    );
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const headers = [{ user: 'ada' }, { user: 'grace' }];
    await load.open({ origin, path: '/', headers, body: ['{"id":', '}'], clients: 2 });
    const figures = await load.run({ milliseconds: 300 });
    expect(figures.answerBytes).toBe(13);
    expect(figures.requests).toBe(users.length - 2);
    expect(figures.p50).toBeGreaterThan(4);
    expect(figures.p99).toBeGreaterThanOrEqual(figures.p50);
    expect(ids.size).toBe(users.length);
    expect(Math.abs(users.filter((user) => user === 'ada').length - users.length / 2)).toBeLessThan(1);
  });
});
