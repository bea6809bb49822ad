/** The command that checks everything except behaviour: types, lint, and that generated files match their sources. */

import type { Command } from 'commander';
import { createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError } from '../../shared/cli/run.ts';
import { runChecks, STATIC_CHECKS } from './checks.ts';

/** `npm run check:static`. */
export function createStaticChecksCommand(output = PROCESS_OUTPUT): Command {
  return createCommand('check:static', output)
    .summary('types, lint, generated files')
    .description('Checks types, lint and generated files side by side. `npm run check` goes on with the tests.')
    .action(async () => {
      const failed = await runChecks(STATIC_CHECKS, output.out);
      if (failed.length > 0) throw new FailureError(`Failed: ${failed.join(', ')}.`);
    });
}
