import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';
import { generate } from '../../../../codegen/generate.ts';
import { freePort } from '../../../../shared/cli/free-port.ts';
import { compileGenerated } from '../../../codegen/compile.ts';
import { createProject } from './support.ts';

const EVERYTHING = path.resolve(
  import.meta.dirname,
  '../../../../.ci/tools/node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

test("the protocol's own sample server becomes a connector that compiles", { timeout: 120_000 }, async () => {
  const project = await createProject();
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const server = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    await once(server.stderr, 'data');
    const { code, out } = await project.add(`http://127.0.0.1:${port}/mcp`, '--name', 'everything');
    expect([code, out]).toEqual([0, expect.stringMatching(/everything: \d+ tools\./)]);
    const lock = await project.lock('everything');
    expect(lock.protocolVersion).toBe('2025-11-25');
    expect(lock.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'get-sum']));
    const { files, diagnostics } = await generate({ root: project.root });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(compileGenerated(files)).toEqual([]);
    expect((await project.add('--check', 'everything')).code).toBe(0);
  } finally {
    server.kill();
    await project.remove();
  }
});
