/** Runs `npm run lab`: what measures the gateway, and what keeps this repository in order. It is not part of the package. */

import { runTree } from '../utg/run.ts';
import { LAB } from './commands.ts';

process.exitCode = await runTree(LAB, process.argv.slice(2));
