/** `npm run connector -- add|update`: a descriptor comes into the project, or a newer one takes its place. */

import { runConnector } from './connector/command.ts';

process.exitCode = await runConnector(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
