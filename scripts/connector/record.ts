/**
 * `specs/<service>/source.json`: where a descriptor came from, and the SHA-256 of everything that was fetched for it.
 */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { UsageError } from '../../shared/cli/run.ts';

/** File name. Codegen does not read this file: the descriptor already contains what it needs. */
export const RECORD = 'source.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const recordSchema = z.strictObject({
  source: z
    .string()
    .regex(/^https?:\/\//i)
    .optional(),
  sha256: sha256.optional(),
  references: z.record(z.string(), sha256).optional(),
});

/** `source` and `sha256` if the descriptor was fetched; `references` by URL, if it refers to others. */
export type SourceRecord = z.infer<typeof recordSchema>;

/**
 * @returns null if a service has none.
 *
 * @throws {UsageError} for a file that is not a valid record.
 */
export async function loadRecord(folder: string): Promise<SourceRecord | null> {
  const text = await readFile(path.join(folder, RECORD), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`${path.join(folder, RECORD)} is not what \`utg add\` writes.`);
  }
}

/** Returns the URLs whose content changed, sorted. URLs that only one record has are left out. */
export function changedUrls(before: SourceRecord | null, after: SourceRecord | null): string[] {
  const pins = ({ source, sha256: own, references = {} }: SourceRecord): Record<string, string> =>
    source === undefined || own === undefined ? references : { ...references, [source]: own };
  const old = pins(before ?? {});
  const fresh = Object.entries(pins(after ?? {}));
  return fresh.flatMap(([url, pin]) => (Object.hasOwn(old, url) && old[url] !== pin ? [url] : [])).sort();
}
