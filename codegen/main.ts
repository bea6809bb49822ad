/** `npm run codegen`: runs the command, with the compiled code of its modules kept for the next run. */

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
  const [{ runCommand }, { createCodegenCommand }] = await Promise.all([
    import('../cli/run.ts'),
    import('./command.ts'),
  ]);
  process.exitCode = await runCommand(createCodegenCommand());
}
