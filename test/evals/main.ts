/** Prints what each request of a file takes: `node test/evals/main.ts [requests.yaml]`. */

import { runEvals, toTable } from './run.ts';

process.stdout.write(`${toTable(await runEvals(process.argv[2]))}\n`);
