import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { startGateway } from '../../../support/gateway.ts';

const CALLS = 200;

describe.skipIf(process.env.FULL_CHECKS === undefined)('a thousand runs asked for at once', () => {
  test('leave a quiet user within three times of its p99, and the runs that do not fit are refused', async () => {
    const upstream = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end('{"done":true}');
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const gateway = await startGateway({
      connectors: [fakeConnector({ tools: [fakeTool({ name: 'library_find' })] })],
      env: {
        LIBRARY_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
        CATALOGUE_MODE: 'code',
      },
      secretOf: () => 'secret',
    });
    const call = async (name: string, args: object): Promise<string> => {
      const response = await fetch(gateway.url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
      });
      return response.text();
    };
    const measure = async (): Promise<number> => {
      const times: number[] = [];
      for (let count = 0; count < CALLS; count += 1) {
        const started = performance.now();
        expect(await call('library_find', {})).toContain('done');
        times.push(performance.now() - started);
        await delay(10);
      }
      return times.sort((a, b) => a - b)[Math.floor(CALLS * 0.99) - 1] ?? 0;
    };
    await measure();
    const alone = await measure();
    const code = 'let n = 0; while (n < 2e7) n += 1; return await library.find()';
    const runs = Array.from({ length: 1000 }, () => call('run_code', { code }));
    await delay(1_000);
    const beside = await measure();
    const answers = await Promise.all(runs);
    const refused = answers.filter((text) => text.includes('code_busy')).length;
    process.stdout.write(`p99 alone ${alone.toFixed(1)} ms, beside ${beside.toFixed(1)} ms, refused ${refused}\n`);
    expect(answers.filter((text) => text.includes('done')).length + refused).toBe(1000);
    expect(refused).toBeGreaterThan(900);
    expect(beside).toBeLessThan(3 * Math.max(alone, 50));
    await gateway.close();
    upstream.close();
  }, 180_000);
});
