/** The corpus command: published descriptors go through codegen as fresh services, and what comes out is compiled. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { createTwoFilesPatch } from 'diff';
import { createCommand } from '../../cli/command.ts';
import { FailureError, UsageError } from '../../cli/run.ts';
import { type Result, runCorpus } from './run.ts';
import { findDocuments, listSource, toDocuments } from './sources.ts';
import { toPage } from './table.ts';

const PAGE = path.resolve(import.meta.dirname, '../../docs/corpus.md');

/** `npm run corpus`. */
export function createCorpusCommand(): Command {
  return createCommand('corpus')
    .description(
      'Generates a connector from each OpenAPI document in a temporary folder, checks its tools, and compiles it. ' +
        'One line a document: operations, tools, operations without a tool, seconds, memory, errors of the compiler.',
    )
    .argument(
      '[file-or-folder...]',
      'default: the documents of .ci/tools, whose outcomes must be those of docs/corpus.md',
    )
    .option('--write', 'write docs/corpus.md instead of comparing it')
    .option('--list <package>', 'only print the files that are taken of this package')
    .action(run);
}

async function run(files: readonly string[], options: { readonly write?: boolean; readonly list?: string }) {
  const { write = false, list } = options;
  if (list !== undefined) {
    for (const file of listSource(list)) print(file);
    return;
  }
  if (write && files.length > 0)
    throw new UsageError('--write takes no files: docs/corpus.md holds those of .ci/tools.');
  const isWell =
    files.length > 0 ? summarize(await runCorpus(files.flatMap(toDocuments), printResult, print)) : await runAll(write);
  if (!isWell) throw new FailureError();
}

async function runAll(write: boolean): Promise<boolean> {
  const parts = findDocuments();
  const all = parts.flatMap(({ documents }) => documents);
  const results = await runCorpus(all, printResult, print);
  const byFile = new Map(results.map(({ document, outcome }) => [document.file, outcome]));
  const before = await readFile(PAGE, 'utf8').catch(() => '');
  const [introduction = ''] = before.split(/^## /m);
  const page = toPage(
    introduction,
    parts.map(({ title, documents }) => ({
      title,
      rows: documents.flatMap((document) => {
        const outcome = byFile.get(document.file);
        return outcome === undefined ? [] : [{ name: document.name, outcome }];
      }),
    })),
  );
  const isWell = summarize(results);
  if (write) await writeFile(PAGE, page);
  else if (page !== before) {
    print(createTwoFilesPatch('docs/corpus.md', 'docs/corpus.md (now)', before, page, '', '', { context: 0 }));
    print('docs/corpus.md says otherwise. If the change is meant: npm run corpus -- --write');
    return false;
  }
  return isWell;
}

function summarize(results: readonly Result[]): boolean {
  const sum = (count: (result: Result) => number) => results.reduce((all, result) => all + count(result), 0);
  const defects = sum(({ outcome }) => outcome.defects.length);
  const typeErrors = sum(({ typeErrors: lines }) => lines.length);
  print(
    `${results.length} documents, ${sum(({ outcome }) => outcome.operations ?? 0)} operations, ` +
      `${sum(({ outcome }) => outcome.tools)} tools, ${defects} defects, ${typeErrors} errors of the compiler`,
  );
  return defects === 0 && typeErrors === 0;
}

function printResult({ document, outcome, typeErrors }: Result): void {
  const { operations, tools, refused, decided, errors, warnings, defects, messages } = outcome;
  const without = Object.values(refused).reduce((sum, count) => sum + count, 0);
  const counts = (codes: Readonly<Record<string, number>>) =>
    Object.entries(codes)
      .map(([code, count]) => `${count} ${code}`)
      .join(', ');
  print(
    [
      document.name,
      `${operations ?? '?'} operations, ${tools} tools, ${without} without`,
      `${outcome.seconds.toFixed(1)} s, ${outcome.megabytes} MB`,
      ...(decided.length === 0 ? [] : [`decided: ${decided.join(', ')}`]),
      ...(Object.keys(errors).length === 0 ? [] : [`errors: ${counts(errors)}`]),
      ...(Object.keys(warnings).length === 0 ? [] : [`warnings: ${counts(warnings)}`]),
      ...(typeErrors.length === 0 ? [] : [`tsc: ${typeErrors.length} errors`]),
    ].join(' | '),
  );
  const details = [...messages, ...defects.slice(0, 5), ...typeErrors.slice(0, 5)];
  for (const detail of details) print(`    ${detail.slice(0, 400)}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
