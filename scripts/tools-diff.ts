/** `npm run tools:diff`: how the agents' tools change between two states of this project. */

import { runToolsDiff } from './tools-diff/command.ts';

process.exitCode = await runToolsDiff(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
