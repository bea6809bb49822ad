/** Runs `npm run corpus`. */

import { runCommand } from '../shared/cli/run.ts';
import { createCorpusCommand } from './corpus/command.ts';

process.exitCode = await runCommand(createCorpusCommand());
