import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../server/index.ts';
import { findProgram, skipBecause } from '../support/fuller-checks.ts';

const SAMPLE = path.resolve(import.meta.dirname, '../../deploy/systemd/unified-tool-gateway.service');
/** Of 10, as `systemd-analyze security` counts. A unit without hardening has 9.6. */
const MAX_EXPOSURE = 2;

const run = promisify(execFile);
const analyze = findProgram('systemd-analyze');
if (analyze === null) skipBecause('systemd-analyze is not installed');

describe.skipIf(analyze === null)('the systemd unit', () => {
  let folder: string;
  let unit: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'systemd-'));
    unit = path.join(folder, path.basename(SAMPLE));
    await writeFile(unit, (await readFile(SAMPLE, 'utf8')).replace('/usr/bin/node', process.execPath));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('is valid, and would not be with a misspelt line', async () => {
    expect((await verify(unit)).stderr).toBe('');
    const misspelt = path.join(folder, 'misspelt.service');
    await writeFile(misspelt, (await readFile(unit, 'utf8')).replace('ProtectHome=', 'ProtectHomes='));
    expect((await verify(misspelt)).stderr).toContain('ProtectHomes');
  });

  test(`has an exposure below ${MAX_EXPOSURE} of 10`, async () => {
    const { stdout } = await run(analyze ?? '', ['security', '--offline=true', '--no-pager', unit]);
    const [, exposure = ''] = /Overall exposure level for .*: ([\d.]+)/.exec(stdout) ?? [];
    process.stdout.write(`systemd-analyze security: ${exposure}\n`);
    expect(Number(exposure || Number.NaN)).toBeLessThan(MAX_EXPOSURE);
  });

  test('waits longer than a graceful stop of the gateway takes', async () => {
    const [, seconds = ''] = /^TimeoutStopSec=(\d+)$/m.exec(await readFile(SAMPLE, 'utf8')) ?? [];
    expect(Number(seconds) * 1_000).toBeGreaterThan(loadConfig({ connectors: [], env: {} }).stopTimeoutMs);
  });

  function verify(file: string): Promise<{ readonly stderr: string }> {
    return run(analyze ?? '', ['verify', '--man=no', file]).catch((error: { stderr: string }) => error);
  }
});
