import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { createAuditCommand } from '../../../scripts/audit/command.ts';
import { createConnectorCommand } from '../../../scripts/connector/command.ts';
import { createDriftCommand } from '../../../scripts/drift/command.ts';
import { createGrantsCommand } from '../../../scripts/grants/command.ts';
import { createKeysCommand } from '../../../scripts/keys/command.ts';
import { createOperatorCommand } from '../../../scripts/operator/command.ts';
import { createPartnerCommand } from '../../../scripts/partner/command.ts';
import { createStoreCommand } from '../../../scripts/store/command.ts';
import { createUpstreamClientCommand } from '../../../scripts/upstream-client/command.ts';
import { createUsageCommand } from '../../../scripts/usage/command.ts';
import { numRuns } from '../../support/num-runs.ts';
import { runInProcess } from '../../support/run-command.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PROGRAMS = Object.entries(manifest.scripts).flatMap(([name, line]): [name: string, program: string][] => {
  const [, program] = /^node scripts\/node\.mjs ((?:codegen|sandbox|scripts|server)\/\S+\.ts)$/.exec(line) ?? [];
  return program === undefined ? [] : [[name, program]];
});
const SUBCOMMANDS = [
  createAuditCommand,
  createConnectorCommand,
  createDriftCommand,
  createGrantsCommand,
  createKeysCommand,
  createOperatorCommand,
  createPartnerCommand,
  createStoreCommand,
  createUpstreamClientCommand,
  createUsageCommand,
].flatMap((create) => {
  const command = create();
  return command.commands.map((each) => ({
    title: `npm run ${command.name()} -- ${each.name()}`,
    create,
    name: each.name(),
  }));
});

async function run(args: readonly string[]): Promise<Printed> {
  const env = { ...process.env, NODE_OPTIONS: '', FORCE_COLOR: '1' };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args], { cwd: ROOT, env });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

test('every script of package.json is in the table', () => {
  expect(PROGRAMS.map(([name]) => name).sort()).toEqual([
    'audit',
    'bench',
    'check:static',
    'codegen',
    'connector',
    'corpus',
    'demo',
    'docs',
    'doctor',
    'drift',
    'faults',
    'grants',
    'keys',
    'large-descriptor',
    'operator',
    'package',
    'partner',
    'partner-client',
    'sandbox',
    'screenshots',
    'start',
    'store',
    'token',
    'tools:diff',
    'upstream-client',
    'usage',
  ]);
});

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function checkHelp(title: string, { code, out, err }: Printed): void {
  expect([code, err]).toEqual([0, '']);
  expect(out.split('\n')[0]).toMatch(/^Usage: /);
  expect(`${out.split('\n')[0]} `).toContain(` ${title} `);
  expect(out).toContain('-h, --help');
  expect(out).not.toContain('\u001b');
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
}

function checkWrongUsage(title: string, printed: Printed): void {
  const err = `Unknown option '--hepl'\n(Did you mean --help?)\nTry: ${title} --help\n`;
  expect(printed).toEqual({ code: 2, out: '', err });
}

/** `npm test` runs some of them: each starts two processes. */
const STARTED = PROGRAMS.slice(0, numRuns(PROGRAMS.length));

describe.each(
  STARTED.map(([name, program]) => ({ title: name === 'start' ? 'npm start --' : `npm run ${name} --`, program })),
)('$title', ({ title, program }) => {
  test('--help prints the usage, without colours outside a terminal, and changes nothing', async () => {
    // The permission model stops any attempt to write or to start a program.
    const reading = ['--permission', '--allow-fs-read=*', '--allow-addons', '--no-warnings'];
    checkHelp(title, await run([...reading, program, '--help']));
  });

  test('an unknown option is wrong usage', async () => {
    checkWrongUsage(title, await run([program, '--hepl']));
  });
});

describe.each(SUBCOMMANDS)('$title', ({ title, create, name }) => {
  test('--help prints the usage', async () => {
    checkHelp(title, await runInProcess(create, [name, '--help']));
  });

  test('an unknown option is wrong usage', async () => {
    checkWrongUsage(title, await runInProcess(create, [name, '--hepl']));
  });
});
