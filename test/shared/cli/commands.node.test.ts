import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { LAB } from '../../../scripts/lab/commands.ts';
import { listCommands } from '../../../scripts/utg/commands.ts';
import { type CommandGroups, commandsByName, type ListedCommand } from '../../../shared/cli/command.ts';
import { runCommand, UTG } from '../../../shared/cli/run.ts';
import { numRuns } from '../../support/num-runs.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const commandsOf = (typed: string, program: string, groups: CommandGroups) =>
  [...commandsByName(groups)].map(([name, listed]) => ({
    title: `${typed} ${name}`,
    typed,
    args: [program, name],
    listed,
  }));
const COMMANDS = [
  ...commandsOf(UTG, 'scripts/utg.ts', await listCommands()),
  ...commandsOf(LAB.typed, 'scripts/lab/main.ts', await LAB.list()),
];
const SUBCOMMANDS = (
  await Promise.all(
    COMMANDS.map(async ({ title, typed, listed }) =>
      (
        await listed.load()
      ).commands.map((each) => ({
        title: `${title} ${each.name()}`,
        typed,
        listed,
        name: each.name(),
      })),
    ),
  )
).flat();

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

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

async function runInProcess({ load }: ListedCommand, typed: string, argv: readonly string[]): Promise<Printed> {
  const texts = { out: '', err: '' };
  const command = await load();
  for (const each of [command, ...command.commands]) {
    each.configureOutput({
      writeOut: (text) => {
        texts.out += text;
      },
      writeErr: (text) => {
        texts.err += text;
      },
    });
  }
  return { code: await runCommand(command, argv, typed), ...texts };
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

test('package.json has at most 20 scripts', () => {
  expect(Object.keys(manifest.scripts).length).toBeLessThanOrEqual(20);
});

test('only the help of a command that leaves something out names exit code 3', async () => {
  const named: string[] = [];
  for (const { title, typed, listed } of COMMANDS) {
    const { out } = await runInProcess(listed, typed, ['--help']);
    expect(out).toContain('Exit codes:\n  0  done\n  1  ');
    if (out.includes('\n  3  ')) named.push(title);
  }
  expect(named).toEqual([`${UTG} add`]);
});

/** `npm test` runs some of them: each starts two processes. */
const STARTED = COMMANDS.slice(0, numRuns(COMMANDS.length));

describe.each(STARTED)('$title', ({ title, args }) => {
  test('--help prints the usage, without colours outside a terminal, and changes nothing', async () => {
    // The permission model stops any attempt to write or to start a program.
    const reading = ['--permission', '--allow-fs-read=*', '--allow-addons', '--no-warnings'];
    checkHelp(title, await run([...reading, ...args, '--help']));
  });

  test('an unknown option is wrong usage', async () => {
    checkWrongUsage(title, await run([...args, '--hepl']));
  });
});

describe.each(SUBCOMMANDS)('$title', ({ title, typed, listed, name }) => {
  test('--help prints the usage', async () => {
    checkHelp(title, await runInProcess(listed, typed, [name, '--help']));
  });

  test('an unknown option is wrong usage', async () => {
    checkWrongUsage(title, await runInProcess(listed, typed, [name, '--hepl']));
  });
});
