import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTool } from '../support/fuller-checks.ts';
import { startConformanceGateway } from './gateway.ts';

const SUITE = findTool('@modelcontextprotocol/conformance/dist/index.js');

interface Run {
  readonly exitCode: number;
  readonly output: string;
}

function runSuite(url: string, requirements: string, folder: string): Promise<Run> {
  const expected = resolve(import.meta.dirname, `expected-failures-${requirements}.yml`);
  const args = ['server', '--url', url, '--requirements', requirements, '--expected-failures', expected, '-o', folder];
  return new Promise((done) => {
    execFile(process.execPath, [SUITE ?? '', ...args], { maxBuffer: 32 * 1024 * 1024 }, (error, stdout, stderr) => {
      done({ exitCode: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output: stdout + stderr });
    });
  });
}

describe.skipIf(SUITE === null)('official conformance suite', () => {
  let gateway: Awaited<ReturnType<typeof startConformanceGateway>>;
  let folder: string;

  beforeAll(async () => {
    gateway = await startConformanceGateway();
    folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  });

  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(['2026-07-28', '2025-11-25'])(
    'fails nothing in %s except what a tools-only server lacks',
    async (requirements) => {
      const run = await runSuite(gateway.url, requirements, folder);
      const summary = run.output.slice(run.output.indexOf('=== SUMMARY ==='));
      expect(run.exitCode, summary).toBe(0);
      expect(summary).toMatch(/✓ tools-list: [1-9]/);
    },
    120_000,
  );
});
