/** `npm run docs`: writes the pages of docs/reference/ that are generated from code. */

import { runCommand } from '../shared/cli/run.ts';
import { createDocsCommand } from './docs/command.ts';

process.exitCode = await runCommand(createDocsCommand());
