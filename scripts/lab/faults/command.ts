/** The faults command: selects the faults, runs them in separate namespaces, and prints the results. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { addHelpTable, createCommand } from '../../../shared/cli/command.ts';
import { type Output, PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import { INTERRUPTED, namesAmong } from '../options.ts';
import { FAULTS, type Fault } from './faults.ts';
import { CHECKS } from './ledger/judge.ts';
import { runFaults } from './run.ts';
import { openStage } from './stage/index.ts';
import { FAKETIME, whyNoNamespaces } from './stage/machine.ts';
import { findPostgres } from './stage/postgres.ts';
import { ROOT, run } from './stage/programs.ts';

/** Set in the process that has separate namespaces, so that networks, mounts and processes end with it: the folder for its files. */
const FOLDER_VARIABLE = 'FAULTS_FOLDER';
/** Limit for the whole run, whatever hangs in it. */
const TIME_LIMIT_MS = 10 * 60_000;

interface FaultsOptions {
  readonly only?: readonly string[];
  readonly keep?: boolean;
}

/** `npm run lab -- faults`: tests what three gateways do while things around them fail. */
export function createFaultsCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('faults', output)
    .summary('break things around three gateways, and check what they promised')
    .description(
      'Starts three gateways, a PostgreSQL server and upstreams of its own, uses them as users, clients and partners do, and breaks ' +
        'things around them. docs/explanations/reliability.md says what is promised. Namespaces, full disks and a cut network need root; what ' +
        'cannot run is named, and is a failure where CI or FULL_CHECKS is set.',
    )
    .option(
      '--only <name,...>',
      'faults; default: all',
      namesAmong(
        FAULTS.map(({ name }) => name),
        'fault',
      ),
    )
    .option('--keep', 'keep the folder with the logs of nodes and PostgreSQL, and print its name')
    .action(async (options: FaultsOptions) => {
      const folder = process.env[FOLDER_VARIABLE];
      if (folder !== undefined) {
        // The loopback interface of a new namespace is down.
        await run('ip', ['link', 'set', 'lo', 'up']);
        await runSelected(options, folder, true, output);
      } else await runOutside(options, output);
    });
  addHelpTable(command, 'Faults', Object.fromEntries(FAULTS.map(({ name, title }) => [name, title])));
  return addHelpTable(command, 'Checks after each', CHECKS);
}

/** Runs the same command again inside namespaces, if they can be created. */
async function runOutside(options: FaultsOptions, output: Output): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-faults-'));
  // PostgreSQL runs under its own account.
  await chmod(folder, 0o711);
  process.on('exit', () => {
    if (options.keep === true) output.err(`Logs: ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 9 });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(INTERRUPTED));
  if (whyNoNamespaces() !== undefined) {
    await runSelected(options, folder, false, output);
    return;
  }
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const program = [process.execPath, path.join(ROOT, 'scripts/node.mjs'), path.join(ROOT, 'scripts/lab/main.ts')];
  const inside = spawn('unshare', [...namespaces, ...program, ...process.argv.slice(2)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, [FOLDER_VARIABLE]: folder },
    timeout: TIME_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  process.on('exit', () => inside.kill('SIGKILL'));
  const [code] = await once(inside, 'exit');
  if (code !== 0) throw new FailureError();
}

async function runSelected(
  { only }: FaultsOptions,
  folder: string,
  isIsolated: boolean,
  { out, err }: Output,
): Promise<void> {
  const selected = FAULTS.filter(({ name }) => only === undefined || only.includes(name));
  const runnable = leaveOut(selected, isIsolated, err);
  let broken = 0;
  for (const store of ['postgres', 'standby', 'sqlite'] as const) {
    const faults = runnable.filter((fault) => (fault.store ?? 'postgres') === store);
    if (faults.length === 0) continue;
    const stage = await openStage({ store, folder, isIsolated });
    try {
      await runFaults(stage, faults, ({ name }, { requests, failures, recoverySeconds, violations }) => {
        const verdict = violations.length === 0 ? 'all held' : 'BROKEN';
        const counts = `${failures} of ${requests} requests failed, well after ${recoverySeconds.toFixed(1)} s`;
        out(`${name}: ${verdict} (${counts})\n`);
        for (const { check, text } of violations) out(`  ${check}: ${text}\n`);
        broken += violations.length;
      });
    } finally {
      await stage.close();
    }
  }
  if (broken > 0) throw new FailureError();
}

/** Names the faults that cannot run on this machine. @throws {FailureError} if none may be left out. */
function leaveOut(faults: readonly Fault[], isIsolated: boolean, err: Output['err']): Fault[] {
  const obstacles = {
    namespaces: isIsolated ? undefined : (whyNoNamespaces() ?? 'namespaces could not be made'),
    faketime: FAKETIME === undefined ? 'libfaketime is not installed (Debian: libfaketime)' : undefined,
  };
  const postgres = findPostgres() === undefined ? 'PostgreSQL is not installed (Debian: postgresql)' : undefined;
  const runnable = faults.filter(({ name, store, needs }) => {
    const obstacle = (store !== 'sqlite' && postgres) || (needs && obstacles[needs]);
    if (obstacle) err(`${name} cannot run: ${obstacle}\n`);
    return !obstacle;
  });
  const isStrict = process.env.CI !== undefined || process.env.FULL_CHECKS === '1';
  if (runnable.length < faults.length && isStrict)
    throw new FailureError('Nothing may be left out where CI or FULL_CHECKS is set.');
  return runnable;
}
