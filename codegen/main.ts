/** `npm run codegen`: runs the command, and caches the compiled code of its modules for the next run. */

import module from 'node:module';
import path from 'node:path';
import { toNodeVersionProblem } from './node-version.ts';

const COMPILED = 'node_modules/.cache/unified-tool-gateway/compiled';

const problem = toNodeVersionProblem(process.versions.node);
if (problem !== null) {
  console.error(problem);
  process.exitCode = 2;
} else {
  // From here on, Node caches the compiled code of every loaded module, with the hash of its source.
  if (!process.argv.includes('--no-cache')) {
    module.enableCompileCache(path.join(path.dirname(import.meta.dirname), COMPILED));
  }
  const [{ runCommand }, { createCodegenCommand }] = await Promise.all([
    import('../shared/cli/run.ts'),
    import('./command.ts'),
  ]);
  process.exitCode = await runCommand(createCodegenCommand());
}
