import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../../shared/cli/free-port.ts';
import { type RunningScript, runScript } from '../support/run-script.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const started: RunningScript[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const one of started.splice(0)) await one.stop('SIGKILL');
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function start(example: string) {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  folders.push(folder);
  const script = runScript(`examples/embedding/${example}.ts`, [], {
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(folder, 'gateway.sqlite')}`,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    LOG_LEVEL: 'silent',
  });
  started.push(script);
  const origin = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 600; tries++) {
    const isUp = await fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return { origin, script };
    if (script.process.exitCode !== null) break;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`${example} did not start:\n${script.output()}`);
}

test('docs/guides/embedding.md shows the example for node:http as it runs', async () => {
  const source = await readFile(resolve(ROOT, 'examples/embedding/node-http.ts'), 'utf8');
  expect(await readFile(resolve(ROOT, 'docs/guides/embedding.md'), 'utf8')).toContain(`\`\`\`ts\n${source}\`\`\``);
});

describe.each(['node-http', 'koa'])('examples/embedding/%s.ts', (example) => {
  test('is named in docs/guides/embedding.md', async () => {
    const page = await readFile(resolve(ROOT, 'docs/guides/embedding.md'), 'utf8');
    expect(page).toContain(`](../../examples/embedding/${example}.ts)`);
  });

  test('serves the application and the gateway, and stops', async () => {
    const { origin, script } = await start(example);
    expect(await (await fetch(`${origin}/`)).text()).toBe('the application');
    const metadata = (await (
      await fetch(`${origin}/.well-known/oauth-protected-resource/api/mcp/unified`)
    ).json()) as object;
    expect(metadata).toMatchObject({ resource: `${origin}/api/mcp/unified` });
    const call = await fetch(`${origin}/api/mcp/unified`, { method: 'POST', body: '{}' });
    expect([call.status, call.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('resource_metadata='),
    ]);
    const registered = await fetch(`${origin}/api/mcp/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: 'test', redirect_uris: ['http://127.0.0.1:9/callback'] }),
    });
    expect(registered.status).toBe(201);
    expect(await script.stop('SIGTERM')).toBe(0);
  });
});
