/** The corpus command: runs codegen on published descriptors as new services, and compiles the output. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { createTwoFilesPatch } from 'diff';
import { createCommand } from '../../../shared/cli/command.ts';
import { FailureError, UsageError } from '../../../shared/cli/run.ts';
import { toCallsPage, toShare } from './calls/page.ts';
import { callCorpus, type DocumentCalls } from './calls/run.ts';
import { type Result, runCorpus } from './run.ts';
import { fetchSources } from './sources/fetch.ts';
import { findDocuments, toDocuments } from './sources/index.ts';
import { toLines, toPage } from './table.ts';

const DOCS = path.resolve(import.meta.dirname, '../../../docs/reference');
/** Required share of right calls among those that can be judged. */
const RIGHT_SHARE = 0.99;

interface CorpusOptions {
  readonly write?: boolean;
  readonly package?: string;
  readonly fetch?: boolean;
  readonly calls?: boolean;
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
      'default: the documents of .ci/tools, whose outcomes must be those of docs/reference/corpus.md',
    )
    .option('--fetch', 'first install the missing packages, with only the documents of the corpus')
    .option('--package <text>', 'only the packages whose names contain this')
    .option(
      '--calls',
      'call some tools of each document instead, and have the requests judged by an independent validator',
    )
    .option('--write', 'write docs/reference/corpus.md instead of comparing it')
    .action(run);
}

async function run(files: readonly string[], options: CorpusOptions): Promise<void> {
  const isPart = files.length > 0 || options.package !== undefined;
  if (options.write && isPart)
    throw new UsageError('--write needs the whole corpus: docs/reference/corpus.md holds all of it.');
  if (options.fetch) await fetchSources(print);
  const isWell = options.calls
    ? await runCalls(files, options)
    : files.length > 0
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
  if (wanted !== '') return compareLines(await readFile(path.join(DOCS, 'corpus.md'), 'utf8'), pageParts) && isWell;
  return (await comparePage('corpus.md', '', (introduction) => toPage(introduction, pageParts), write)) && isWell;
}

/** Writes a page under its introduction, or reports how it would differ. */
async function comparePage(
  name: string,
  options: string,
  toText: (introduction: string) => string,
  write = false,
): Promise<boolean> {
  const file = path.join(DOCS, name);
  const before = await readFile(file, 'utf8');
  const [introduction = ''] = before.split(/^## /m);
  const page = toText(introduction);
  if (write) await writeFile(file, page);
  else if (page !== before) {
    print(
      createTwoFilesPatch(`docs/reference/${name}`, `docs/reference/${name} (now)`, before, page, '', '', {
        context: 0,
      }),
    );
    print(`docs/reference/${name} says otherwise. If the change is intended: npm run lab -- corpus ${options}--write`);
    return false;
  }
  return true;
}

async function runCalls(files: readonly string[], { package: wanted = '', write }: CorpusOptions): Promise<boolean> {
  if (files.length > 0) return isMostlyRight(await callCorpus(files.flatMap(toDocuments), printCalls));
  const parts = findDocuments().filter(({ title }) => title.includes(wanted));
  const results = await callCorpus(
    parts.flatMap(({ documents }) => documents),
    printCalls,
  );
  const isWell = isMostlyRight(results);
  if (wanted !== '') return isWell;
  const of = new Map(results.map((result) => [result.document.id, result]));
  const pageParts = parts.map(({ title, documents }) => {
    return { title, results: documents.flatMap((document) => of.get(document.id) ?? []) };
  });
  return (await comparePage('foreign-calls.md', '--calls ', (intro) => toCallsPage(intro, pageParts), write)) && isWell;
}

function isMostlyRight(results: readonly DocumentCalls[]): boolean {
  const { text, share } = toShare(results.flatMap(({ calls }) => calls));
  print(text);
  return share >= RIGHT_SHARE && results.every(({ failure }) => failure === null);
}

function printCalls({ document, calls, failure }: DocumentCalls): void {
  const counts = [...Map.groupBy(calls, ({ verdict }) => verdict)].map(
    ([verdict, group]) => `${group.length} ${verdict}`,
  );
  print(`${document.name} | ${failure === null ? counts.join(', ') : `failed: ${failure}`}`);
  for (const { tool, verdict, problems, arguments: args } of calls) {
    if (verdict === 'right') continue;
    print(`    ${verdict} ${tool}: ${problems.join('; ').slice(0, 500)}`);
    if (args !== null) print(`        ${JSON.stringify(args).slice(0, 300)}`);
  }
}

/** Whether these documents have the same rows on the page. */
function compareLines(
  page: string,
  parts: readonly { readonly title: string; readonly results: readonly Result[] }[],
): boolean {
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
    print('docs/reference/corpus.md says otherwise. If the change is intended: npm run lab -- corpus --write');
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
