import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { runScript } from '../support/run-script.ts';

describe('npm run utg -- sandbox', () => {
  test('prints what runs where, answers the call that it prints, and exits on Ctrl-C', async () => {
    const script = runScript('scripts/utg.ts', ['sandbox', 'retrieval', 'datatable', '--port', '0']);
    const [, name, secret, url] = await script.waitFor(/curl -H '([^:]+): ([^']+)' '([^']+)'/);
    const response = await fetch(url!, { headers: { [name!]: secret! } });
    expect(response.status).toBe(200);
    const origin = new URL(url!).origin;
    expect(script.output()).toContain(`RETRIEVAL_BASE_URL=${origin}/retrieval\n`);
    expect(script.output()).toContain(`DATATABLE_BASE_URL=${origin}/datatable/api/v3\n`);
    expect(await script.stop()).toBe(0);
  });

  test('--credential is the only accepted secret', async () => {
    const script = runScript('scripts/utg.ts', ['sandbox', 'billing', '--port', '0', '--credential', 'right']);
    const [, origin] = await script.waitFor(/Sandbox at (\S+)/);
    const ask = async (secret: string): Promise<number> =>
      (await fetch(`${origin}/billing/v1/customers`, { headers: { authorization: `Bearer ${secret}` } })).status;
    expect([await ask('wrong'), await ask('right')]).toEqual([401, 200]);
    await script.stop('SIGTERM');
  });

  test('a port in use is reported, with the fix', async () => {
    const taken = createServer();
    const port = await new Promise<number>((done) =>
      taken.listen(0, '127.0.0.1', () => done((taken.address() as { port: number }).port)),
    );
    const script = runScript('scripts/utg.ts', ['sandbox', '--port', String(port)]);
    expect(await script.ended()).toBe(1);
    const [, named, free] = await script.waitFor(
      /Port (\d+) is taken\. Stop what uses it, or choose another: --port (\d+)/,
    );
    expect(Number(named)).toBe(port);
    expect(Number(free)).toBeGreaterThan(port);
    taken.close();
  });

  test.each<[string, { args: string[]; says: RegExp }]>([
    [
      'an unknown service',
      { args: ['nope'], says: /'nope' is invalid for argument 'service'\. Allowed choices are billing, crm/ },
    ],
    ['an unknown option', { args: ['--prot', '1'], says: /Unknown option '--prot'/ }],
    [
      'an invalid port',
      {
        args: ['--port', '70000'],
        says: /'--port <port>' argument '70000' is invalid\. Use a whole number from 0 to 65535/,
      },
    ],
  ])('%s is refused', async (_, { args, says }) => {
    const script = runScript('scripts/utg.ts', ['sandbox', ...args]);
    expect(await script.ended()).toBe(2);
    expect(script.output()).toMatch(says);
    expect(script.output()).not.toMatch(/\n\s+at /);
  });

  test('--help names every failure that can be planned', async () => {
    const script = runScript('scripts/utg.ts', ['sandbox', '--help']);
    expect(await script.ended()).toBe(0);
    for (const kind of [
      'slow',
      'rate-limited',
      'half-body',
      'huge-body',
      'redirect',
      'invalid-grant',
      'refreshToken',
    ]) {
      expect(script.output()).toContain(`  ${kind} `);
    }
  });
});
