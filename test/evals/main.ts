/** Lets the scripted model of a file of requests drive the tools: `node test/evals/main.ts [requests.yaml] [options of utg evals]`. */

import { join } from 'node:path';
import { createEvalsCommand } from '../../scripts/evals/command.ts';
import { runCommand } from '../../shared/cli/run.ts';
import { playPlans, startModel } from './scripted-model.ts';

const [first = '', ...rest] = process.argv.slice(2);
const [file, options] = first.endsWith('.yaml')
  ? [first, rest]
  : [join(import.meta.dirname, 'requests.yaml'), process.argv.slice(2)];
const model = await startModel({ play: playPlans(file) });
const bounds = ['--max-tokens', '1000000000'];
process.exitCode = await runCommand(createEvalsCommand(), [
  file,
  '--model-url',
  model.url,
  '--model',
  'scripted',
  ...bounds,
  ...options,
]);
await model.close();
