/** Stores the heads of the audit chains in a file outside the database, one line of JSON each. */

import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { AuditVerdict } from '../../server/modules/audit/verify.ts';
import type { ChainHead } from '../../server/modules/audit/verify-chain.ts';
import { FailureError } from '../../shared/cli/run.ts';

const HEAD = z.object({ chain: z.int().min(1), seq: z.int().min(0), mac: z.string() });

/** @returns an empty list if the file does not exist. @throws {FailureError} if the file contains anything else. */
export async function readHeads(file: string): Promise<ChainHead[]> {
  try {
    const text = await readFile(file, 'utf8');
    return text.split('\n').flatMap((line) => (line === '' ? [] : [HEAD.parse(JSON.parse(line))]));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    if (error instanceof z.ZodError || error instanceof SyntaxError) {
      throw new FailureError(`${file} does not contain the ends of chains. Name another file.`);
    }
    throw error;
  }
}

/** Replaces the whole file. */
export async function writeHeads(file: string, { chains }: AuditVerdict): Promise<void> {
  const lines = chains.map(({ head }) => `${JSON.stringify(head)}\n`);
  await writeFile(`${file}.new`, lines.join(''), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
