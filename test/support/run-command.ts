/** Runs a command in this process and captures its output. */

import type { Command } from 'commander';
import { vi } from 'vitest';
import type { Output } from '../../shared/cli/output.ts';
import { runCommand } from '../../shared/cli/run.ts';

export interface CommandResult {
  readonly code: 0 | 1 | 2 | 3;
  readonly out: string;
  readonly err: string;
}

export async function runInProcess(
  create: (output: Output) => Command,
  argv: readonly string[],
): Promise<CommandResult> {
  const texts = { out: '', err: '' };
  const command = create({
    out: (text) => {
      texts.out += text;
    },
    err: (text) => {
      texts.err += text;
    },
  });
  return { code: await runCommand(command, argv), ...texts };
}

/** Runs a command with these settings. @returns its exit code, and what a terminal shows. */
export async function runWithSettings(
  env: Readonly<Record<string, string>>,
  create: (output: Output) => Command,
  argv: readonly string[],
): Promise<{ code: number; output: string }> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  let output = '';
  const print = (text: string) => {
    output += text;
  };
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => print(`${line}\n`));
  try {
    return { code: await runCommand(create({ out: print, err: print }), argv), output };
  } finally {
    log.mockRestore();
    vi.unstubAllEnvs();
  }
}
