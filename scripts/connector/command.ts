/** The connector command: what its arguments mean, and which exit code tells what happened. */

import path from 'node:path';
import { parseArgs } from 'node:util';
import { addConnector } from './add.ts';
import type { ConnectorDependencies, Output } from './dependencies.ts';
import { SourceError } from './source.ts';
import { updateConnector } from './update.ts';

const HELP = `npm run connector -- <command> [options]

  add <file-or-url> --name <service>   writes specs/<service>/ with the descriptor and a first connector.yaml,
                                       generates the tools, and lists what a person must decide
  update <service> [<file-or-url>]     replaces the descriptor (without one: keeps it), generates the tools
                                       anew, and prints how they changed

A URL is fetched once, now, by http or https, at most 64 MB in 60 seconds. Nothing else of the network is read.

  --root <dir>  folder that holds specs/ and generated/ (default: this project)
  --help        print this

Exit codes
  0  done
  1  the descriptor or connector.yaml has errors; they are printed
  2  wrong arguments, or a source that cannot be read
`;

/** @returns The exit code, as the help text lists them. */
export async function runConnector(
  argv: readonly string[],
  output: Output,
  dependencies: ConnectorDependencies = { fetch: globalThis.fetch },
): Promise<0 | 1 | 2> {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        root: { type: 'string' },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
    if (values.help) {
      output.out(HELP);
      return 0;
    }
    const root = path.resolve(values.root ?? path.join(import.meta.dirname, '../..'));
    const [command, first, second, ...rest] = positionals;
    if (command === 'add' && first !== undefined && second === undefined && values.name !== undefined) {
      return await addConnector({ root, source: first, service: values.name }, output, dependencies);
    }
    if (command === 'update' && first !== undefined && rest.length === 0 && values.name === undefined) {
      return await updateConnector({ root, service: first, source: second ?? null }, output, dependencies);
    }
    throw new SourceError('Say `add <file-or-url> --name <service>` or `update <service> [<file-or-url>]`.');
  } catch (error) {
    const isWrongArgument = error instanceof TypeError && 'code' in error && /^ERR_PARSE_ARGS/.test(String(error.code));
    if (!(error instanceof SourceError) && !isWrongArgument) throw error;
    output.err(`${error.message}\nRun \`npm run connector -- --help\` for what is possible.\n`);
    return 2;
  }
}
