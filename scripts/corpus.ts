/** `npm run corpus`: published descriptors go through codegen as fresh services, and what comes out is compiled. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createTwoFilesPatch } from 'diff';
import { type Result, runCorpus } from './corpus/run.ts';
import { findDocuments, listSource, toDocuments } from './corpus/sources.ts';
import { toPage } from './corpus/table.ts';

const PAGE = path.resolve(import.meta.dirname, '../docs/corpus.md');

const USAGE = `npm run corpus -- [<file or folder>...] [--write]

Generates a connector from each OpenAPI document in a temporary folder, checks its tools, and compiles it. One line a
document: operations, tools, operations without a tool, seconds, memory, errors of the compiler.

Without files: the documents of .ci/tools, whose outcomes must be those of docs/corpus.md.

  --write            writes docs/corpus.md instead of comparing it
  --list <package>   only prints the files that are taken of this package

Exit codes: 0 all is well, 1 a tool is wrong, something does not compile, or docs/corpus.md differs, 2 wrong arguments.
`;

const { values, positionals } = readArguments();
if (values.list !== undefined) {
  for (const file of listSource(values.list)) print(file);
} else if (values.help || (values.write && positionals.length > 0)) {
  process.stderr.write(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else if (positionals.length > 0) {
  const results = await runCorpus(positionals.flatMap(toDocuments), printResult, print);
  process.exitCode = summarize(results) ? 0 : 1;
} else {
  process.exitCode = (await runAll()) ? 0 : 1;
}

function readArguments() {
  const options = {
    write: { type: 'boolean', default: false },
    list: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n`);
    return { values: { write: true, list: undefined, help: false }, positionals: [''] };
  }
}

async function runAll(): Promise<boolean> {
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
  if (values.write) await writeFile(PAGE, page);
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
