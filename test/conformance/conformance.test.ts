import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeProgram } from '../../scripts/package/command.ts';
import { findTool } from '../support/fuller-checks.ts';
import { startConformanceGateway } from './gateway.ts';

const SUITE = findTool('@modelcontextprotocol/conformance/dist/index.js');

interface Run {
  readonly exitCode: number;
  readonly output: string;
}

function runSuite(url: string, requirements: string, folder: string): Promise<Run> {
  const expected = resolve(import.meta.dirname, `expected-failures-${requirements}.yml`);
  return run(['--url', url, '--requirements', requirements, '--expected-failures', expected, '-o', folder]);
}

function run(options: readonly string[]): Promise<Run> {
  const args = ['server', ...options];
  return new Promise((done) => {
    execFile(process.execPath, [SUITE ?? '', ...args], { maxBuffer: 32 * 1024 * 1024 }, (error, stdout, stderr) => {
      done({ exitCode: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output: stdout + stderr });
    });
  });
}

/** Where the bundle finds the packages of this repository. */
const CACHE = resolve(import.meta.dirname, '../../.cache');

const GATEWAYS: readonly [string, (folder: string) => Promise<typeof startConformanceGateway>][] = [
  ['the gateway of this repository', async () => startConformanceGateway],
  [
    'the same gateway in the bundle that the package ships',
    async (folder) => {
      await writeProgram(resolve(CACHE, '..'), folder, { conformance: 'test/conformance/gateway.ts' });
      return (await import(join(folder, 'bundle/conformance.js'))).startConformanceGateway;
    },
  ],
];

describe.skipIf(SUITE === null).each(GATEWAYS)('official conformance suite, %s', (_, find) => {
  let gateway: Awaited<ReturnType<typeof startConformanceGateway>>;
  let folder: string;
  let built: string;

  beforeAll(async () => {
    mkdirSync(CACHE, { recursive: true });
    built = mkdtempSync(join(CACHE, 'conformance-'));
    gateway = await (await find(built))();
    folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  }, 60_000);

  afterAll(async () => {
    await gateway.close();
    for (const each of [folder, built]) rmSync(each, { recursive: true, force: true });
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

  // Notifications are not sent, and no tool needs tasks.
  test.each([
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-mrtr-composition',
  ])(
    'passes %s of the extension Tasks',
    async (scenario) => {
      const { exitCode, output } = await run(['--url', gateway.url, '--scenario', scenario, '-o', folder]);
      expect(exitCode, output).toBe(0);
      expect(output).not.toMatch(/SKIPPED|FAILURE/);
    },
    60_000,
  );
});
