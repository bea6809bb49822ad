/** Generates each document as a service, and compiles the output in batches of some megabytes. */

import { type ChildProcess, fork } from 'node:child_process';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { emitIndex } from '../../../codegen/emit/index.ts';
import { type AddedDocument, compileLayout, createLayout, toServiceName } from './layout.ts';
import { type Outcome, type Task, UNFINISHED } from './outcome.ts';

/** Size of one compiler run, measured in descriptors, because emitted files are of similar size. */
const MAX_BATCH_BYTES = 8e6;
const MAX_BATCH_DOCUMENTS = 60;
const WORKERS = 2;
/** Several times the time that the largest document of the corpus takes on a busy machine. */
const TIMEOUT_MS = 240_000;

export interface CorpusDocument extends AddedDocument {
  readonly name: string;
  /** Unique in the whole corpus. */
  readonly id: string;
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
): Promise<void> {
  for (const batch of await toBatches(documents)) {
    const root = await createLayout();
    try {
      for (const result of await runBatch(root, batch)) onResult(result);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }
}

async function toBatches(documents: readonly CorpusDocument[]): Promise<CorpusDocument[][]> {
  const batches: CorpusDocument[][] = [];
  let batch: CorpusDocument[] = [];
  let bytes = 0;
  for (const document of documents) {
    const { size } = await stat(document.file);
    bytes += size;
    if (batch.length === 0 || batch.length === MAX_BATCH_DOCUMENTS || bytes > MAX_BATCH_BYTES) {
      batch = [];
      bytes = size;
      batches.push(batch);
    }
    batch.push(document);
  }
  return batches;
}

async function runBatch(root: string, batch: readonly CorpusDocument[]): Promise<Result[]> {
  const outcomes = new Map<CorpusDocument, Outcome>();
  const queue = batch.values();
  const work = async (): Promise<void> => {
    let worker: ChildProcess | undefined;
    for (const document of queue) {
      if (worker?.connected !== true) worker = fork(path.join(import.meta.dirname, 'worker.ts'));
      outcomes.set(document, await runTask(worker, { root, service: toServiceName(document.id), document }));
    }
    worker?.kill();
  };
  await Promise.all(Array.from({ length: WORKERS }, work));

  const services = batch
    .filter((document) => outcomes.get(document)?.isGenerated === true)
    .map(({ id }) => toServiceName(id));
  const index = emitIndex(services);
  await writeFile(path.join(root, index.path), index.text);
  const errors = services.length === 0 ? [] : compileLayout(root);
  return batch.map((document) => ({
    document,
    outcome: outcomes.get(document) ?? UNFINISHED,
    typeErrors: errors.filter((line) => line.startsWith(`generated/${toServiceName(document.id)}/`)),
  }));
}

/** Returns a defect if the process ends or takes too long. */
function runTask(worker: ChildProcess, task: Task): Promise<Outcome> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => worker.kill('SIGKILL'), TIMEOUT_MS);
    const settle = (outcome: Outcome): void => {
      clearTimeout(timer);
      worker.removeAllListeners();
      resolve(outcome);
    };
    worker.once('message', (outcome) => settle(outcome as Outcome));
    worker.once('exit', (code, signal) => {
      const reason =
        signal === 'SIGKILL' ? `took more than ${TIMEOUT_MS / 1000} s, or all memory` : `ended with ${code ?? signal}`;
      settle({ ...UNFINISHED, defects: [`codegen ${reason}`] });
    });
    worker.send(task);
  });
}
