/** Runs a command in this process and captures its output. */

import type { Command } from 'commander';
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
