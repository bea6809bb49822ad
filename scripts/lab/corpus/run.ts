/** Generates each document as a service, and compiles the output in batches of some megabytes. */

import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { emitIndex } from '../../../codegen/emit/index.ts';
import { type AddedDocument, compileLayout, createLayout, toServiceName } from './layout.ts';
import type { Outcome } from './outcome.ts';
import { createWorkers, type Workers } from './workers.ts';

/** Size of one compiler run, measured in descriptors, because emitted files are of similar size. */
const BATCH_BYTES = 8e6;
const MAX_BATCH = 60;
/** Larger documents get their own process. */
const LARGE_BYTES = 1e6;
const WORKERS = 2;

export interface CorpusDocument extends AddedDocument {
  /** Name in tables and lines. */
  readonly name: string;
  /** Unique in the whole corpus. */
  readonly id: string;
  /** False: its types are those of another document, which is compiled. */
  readonly compiles: boolean;
}

export interface Result {
  readonly document: CorpusDocument;
  readonly outcome: Outcome;
  /** Compiler messages about its files. */
  readonly typeErrors: readonly string[];
}

/**
 * Calls `onResult` for each document, in the given order.
 *
 * @throws {Error} if the compiler itself fails.
 */
export async function runCorpus(
  documents: readonly CorpusDocument[],
  onResult: (result: Result) => void,
  print: (line: string) => void,
): Promise<readonly Result[]> {
  const workers = createWorkers();
  const results: Result[] = [];
  try {
    for (const batch of await toBatches(documents)) {
      const root = await createLayout();
      try {
        for (const result of await runBatch(root, batch, workers, print)) {
          results.push(result);
          onResult(result);
        }
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    }
  } finally {
    workers.close();
  }
  return results;
}

type Sized = CorpusDocument & { readonly bytes: number };

async function toBatches(documents: readonly CorpusDocument[]): Promise<Sized[][]> {
  const batches: Sized[][] = [];
  let bytes = 0;
  for (const document of documents) {
    const { size } = await stat(document.file);
    const last = batches.at(-1);
    bytes = last === undefined ? 0 : bytes + size;
    if (last === undefined || bytes > BATCH_BYTES || last.length === MAX_BATCH) {
      batches.push([{ ...document, bytes: size }]);
      bytes = size;
    } else last.push({ ...document, bytes: size });
  }
  return batches;
}

async function runBatch(
  root: string,
  batch: readonly Sized[],
  workers: Workers,
  print: (line: string) => void,
): Promise<Result[]> {
  const outcomes = new Map<CorpusDocument, Outcome>();
  const open = batch.values();
  const work = async (): Promise<void> => {
    for (const document of open) {
      const service = toServiceName(document.id);
      const { file, rootFolder, overlay } = document;
      const task = { root, service, file, ...(rootFolder && { rootFolder }), ...(overlay && { overlay }) };
      outcomes.set(document, await workers.run(task, document.bytes > LARGE_BYTES));
      if (!document.compiles) await rm(path.join(root, 'generated', service), { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  const emitted = batch.filter((document) => document.compiles && (outcomes.get(document)?.bytes ?? 0) > 0);
  const errors = await compileServices(root, emitted, print);
  return batch.flatMap((document) => {
    const outcome = outcomes.get(document);
    const folder = `generated/${toServiceName(document.id)}/`;
    const typeErrors = errors.filter((line) => line.startsWith(folder));
    return outcome === undefined ? [] : [{ document, outcome, typeErrors }];
  });
}

async function compileServices(
  root: string,
  documents: readonly CorpusDocument[],
  print: (line: string) => void,
): Promise<readonly string[]> {
  if (documents.length === 0) return [];
  const index = emitIndex(documents.map(({ id }) => toServiceName(id)));
  await writeFile(path.join(root, index.path), index.text);
  const { errors, seconds, megabytes } = compileLayout(root);
  print(`tsc: ${documents.length} services in ${seconds.toFixed(1)} s, ${megabytes} MB, ${errors.length} errors`);
  return errors;
}
