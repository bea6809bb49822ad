/** `npm run codegen`: argv -> generate -> write or --check -> diagnostics -> exit code. */

import module from 'node:module';
import path from 'node:path';
import { toNodeVersionProblem } from './node-version.ts';

const COMPILED = 'node_modules/.cache/unified-tool-gateway/compiled';

const problem = toNodeVersionProblem(process.versions.node);
if (problem !== null) {
  console.error(problem);
  process.exitCode = 2;
} else {
  // Node keeps the compiled code of every module that is loaded from here on, each with the hash of its source.
  if (!process.argv.includes('--no-cache')) {
    module.enableCompileCache(path.join(path.dirname(import.meta.dirname), COMPILED));
  }
  const { runCodegen } = await import('./command.ts');
  process.exitCode = await runCodegen(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY,
  });
}
