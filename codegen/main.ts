/** `npm run codegen`: argv -> generate -> write or --check -> diagnostics -> exit code. */

import { toNodeVersionProblem } from './node-version.ts';

const problem = toNodeVersionProblem(process.versions.node);
if (problem !== null) {
  console.error(problem);
  process.exitCode = 2;
} else {
  const { runCodegen } = await import('./command.ts');
  process.exitCode = await runCodegen(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
}
