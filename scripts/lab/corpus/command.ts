/** The corpus command: runs codegen on published descriptors as new services, and compiles the output. */

import type { Command } from 'commander';
import { createCommand } from '../../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import { type Result, runCorpus } from './run.ts';
import { fetchSources, findDocuments, toDocuments } from './sources.ts';

interface CorpusOptions {
  readonly package?: string;
  readonly fetch?: boolean;
}

/** `npm run lab -- corpus`. */
export function createCorpusCommand({ out } = PROCESS_OUTPUT): Command {
  return createCommand('corpus')
    .description(
      'Generates a connector from each OpenAPI document in a temporary folder, checks its tools, and compiles it. ' +
        'One line a document: operations, tools, seconds, what it needs in connector.yaml, and what is wrong.',
    )
    .argument('[file-or-folder...]', 'default: the documents of .ci/tools')
    .option('--fetch', 'first install the missing packages, with only the documents of the corpus')
    .option('--package <text>', 'only the packages whose names contain this')
    .action(async (files: readonly string[], options: CorpusOptions) => {
      const print = (line: string): void => out(`${line}\n`);
      if (options.fetch) await fetchSources(print);
      const documents = files.length > 0 ? files.flatMap(toDocuments) : findDocuments(options.package ?? '');
      let tools = 0;
      let problems = 0;
      await runCorpus(documents, (result) => {
        tools += result.outcome.tools;
        problems += result.outcome.defects.length + result.typeErrors.length;
        for (const line of describe(result)) print(line);
      });
      print(`${documents.length} documents, ${tools} tools, ${problems} defects of codegen and errors of the compiler`);
      if (problems > 0) throw new FailureError();
    });
}

/** Returns a line for the document, and one for each of its first errors, defects and compiler messages. */
function describe({ document, outcome, typeErrors }: Result): string[] {
  const { operations, tools, decided, errors, defects, seconds } = outcome;
  const counts = `${operations ?? '?'} operations, ${tools} tools, ${seconds.toFixed(1)} s`;
  const decisions = decided.length === 0 ? '' : ` | decided: ${decided.join(', ')}`;
  const details = [errors, defects, typeErrors].flatMap((list) => list.slice(0, 5));
  return [`${document.name} | ${counts}${decisions}`, ...details.map((detail) => `    ${detail.slice(0, 400)}`)];
}
