/** Calls tools of every document of the corpus, a few documents at the same time. */

import { rm, stat } from 'node:fs/promises';
import { createLayout, toServiceName } from '../layout.ts';
import type { Task } from '../outcome.ts';
import type { CorpusDocument } from '../run.ts';
import { createWorkers } from '../workers.ts';
import type { CallOutcome } from './call.ts';

const WORKERS = 2;
const LARGE_BYTES = 1e6;

export interface DocumentCalls {
  readonly document: CorpusDocument;
  readonly calls: readonly CallOutcome[];
  /** Why nothing was called; null: no failure. */
  readonly failure: string | null;
}

/**
 * Calls only documents of one file that are not the YAML version of another. No published document contains what an overlay or other files
 * add, so there would be nothing to check it against.
 */
export async function callCorpus(
  documents: readonly CorpusDocument[],
  onResult: (result: DocumentCalls) => void,
): Promise<readonly DocumentCalls[]> {
  const workers = createWorkers<Task & { readonly id: string }, Omit<DocumentCalls, 'document'>>(
    'calls/worker.ts',
    (failure) => ({ calls: [], failure }),
  );
  const results = new Map<CorpusDocument, DocumentCalls>();
  const callable = documents.filter(({ compiles, overlay, rootFolder }) => compiles && !overlay && !rootFolder);
  const open = callable.values();
  const work = async (): Promise<void> => {
    for (const document of open) {
      const { file, id } = document;
      const root = await createLayout();
      const { size } = await stat(file);
      const result = {
        document,
        ...(await workers.run({ root, service: toServiceName(id), file, id }, size > LARGE_BYTES)),
      };
      await rm(root, { recursive: true, force: true });
      results.set(document, result);
      onResult(result);
    }
  };
  try {
    await Promise.all(Array.from({ length: WORKERS }, work));
  } finally {
    workers.close();
  }
  return callable.flatMap((document) => results.get(document) ?? []);
}
