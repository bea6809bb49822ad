/** The corpus command: runs codegen on published descriptors as new services, and compiles the output. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { createTwoFilesPatch } from 'diff';
import { createCommand } from '../../../shared/cli/command.ts';
import { FailureError, UsageError } from '../../../shared/cli/run.ts';
import { type Result, runCorpus } from './run.ts';
import { fetchSources } from './sources/fetch.ts';
import { findDocuments, toDocuments } from './sources/index.ts';
import { toLines, toPage } from './table.ts';

/** Holds the pages of the last run with `--write`, which are not committed. */
const FOLDER = path.resolve(import.meta.dirname, '../../../.cache/docs');
const HEADING = '# Published descriptors through codegen';

interface CorpusOptions {
  readonly write?: boolean;
  readonly package?: string;
  readonly fetch?: boolean;
}

/** `npm run lab -- corpus`. */
export function createCorpusCommand(): Command {
  return createCommand('corpus')
    .description(
      'Generates a connector from each OpenAPI document in a temporary folder, checks its tools, and compiles it. ' +
        'One line a document: operations, tools, operations without a tool, seconds, memory, errors of the compiler.',
    )
    .argument(
      '[file-or-folder...]',
      'default: the documents of .ci/tools, compared with .cache/docs/corpus.md if --write wrote it',
    )
    .option('--fetch', 'first install the missing packages, with only the documents of the corpus')
    .option('--package <text>', 'only the packages whose names contain this')
    .option('--write', 'write .cache/docs/corpus.md instead of comparing it')
    .action(run);
}

async function run(files: readonly string[], options: CorpusOptions): Promise<void> {
  const isPart = files.length > 0 || options.package !== undefined;
  if (options.write && isPart)
    throw new UsageError('--write needs the whole corpus: .cache/docs/corpus.md holds all of it.');
  if (options.fetch) await fetchSources(print);
  const isWell =
    files.length > 0
      ? summarize(await runCorpus(files.flatMap(toDocuments), printResult, print))
      : await runPackages(options);
  if (!isWell) throw new FailureError();
}

async function runPackages({ package: wanted = '', write }: CorpusOptions): Promise<boolean> {
  const parts = findDocuments().filter(({ title }) => title.includes(wanted));
  const results = await runCorpus(
    parts.flatMap(({ documents }) => documents),
    printResult,
    print,
  );
  const of = new Map(results.map((result) => [result.document.id, result]));
  const pageParts = parts.map(({ title, documents }) => {
    return { title, results: documents.flatMap((document) => of.get(document.id) ?? []) };
  });
  const isWell = summarize(results);
  if (wanted !== '') return compareLines(await readPage('corpus.md'), pageParts) && isWell;
  return (await comparePage('corpus.md', toPage(HEADING, pageParts), write)) && isWell;
}

/** @returns the page of the last run with `--write`, or an empty text. */
async function readPage(name: string): Promise<string> {
  return await readFile(path.join(FOLDER, name), 'utf8').catch(() => '');
}

/** Writes a page, or reports how it differs from the one that was written. */
async function comparePage(name: string, page: string, write = false): Promise<boolean> {
  if (write) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(path.join(FOLDER, name), page);
    return true;
  }
  const before = await readPage(name);
  if (before === '' || before === page) return true;
  print(createTwoFilesPatch(`.cache/docs/${name}`, `.cache/docs/${name} (now)`, before, page, '', '', { context: 0 }));
  print(`.cache/docs/${name} says otherwise. If the change is intended: npm run lab -- corpus --write`);
  return false;
}

/** Whether these documents have the same rows on the page, if there is one. */
function compareLines(
  page: string,
  parts: readonly { readonly title: string; readonly results: readonly Result[] }[],
): boolean {
  if (page === '') return true;
  const sections = new Map(
    page.split(/^## /m).map((section) => [section.split('\n', 1)[0] ?? '', section.split('\n')]),
  );
  const different = parts.flatMap(({ title, results }) => {
    const lines = new Set(sections.get(title));
    return toLines(results).flatMap((line) => {
      const [, name = ''] = line.split('|');
      const old = [...lines].find((one) => one.startsWith(`|${name}|`)) ?? `|${name}| (no such row)`;
      return lines.has(line) ? [] : [`- ${old}`, `+ ${line}`];
    });
  });
  for (const line of different) print(line);
  if (different.length > 0)
    print('.cache/docs/corpus.md says otherwise. If the change is intended: npm run lab -- corpus --write');
  return different.length === 0;
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
