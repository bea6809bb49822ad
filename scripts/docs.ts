/** `npm run docs`: writes the pages of docs/reference/ that are made from code. */

import { runCommand } from '../cli/run.ts';
import { createDocsCommand } from './docs/command.ts';

process.exitCode = await runCommand(createDocsCommand());
