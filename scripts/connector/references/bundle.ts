/**
 * Bundles a descriptor and what it refers to into one document. References that cannot be followed stay, for codegen to report.
 */

import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../../../codegen/json.ts';
import { bundleFiles } from '../../../codegen/load/bundle.ts';
import { replaceBroken } from '../../../codegen/load/check-references.ts';
import { BROKEN_REFERENCE } from '../../../codegen/load/openapi/types.ts';
import { UsageError } from '../../../shared/cli/run.ts';
import { type FetchRules, isUrl } from '../source.ts';
import { type Gathered, gather } from './gather.ts';
import { lowerMappings } from './mappings.ts';
import { createOpener } from './open.ts';

export interface BundledSource {
  /** Null if the descriptor refers to no other document. */
  readonly document: unknown;
  /** SHA-256 by URL of what was fetched in addition to the descriptor. */
  readonly fetched: ReadonlyMap<string, string>;
}

/**
 * Reads what the references name: files inside `rootFolder`, and URLs. Reports what is left out.
 *
 * @throws {UsageError} for a descriptor outside the folder, and for files that cannot be bundled.
 */
export async function bundleSource(
  source: string,
  read: { readonly text: string; readonly extension: 'json' | 'yaml' },
  { rootFolder: folder = null, ...rules }: FetchRules & { readonly rootFolder?: string | null },
): Promise<BundledSource> {
  const rootFolder = folder === null ? null : await realpath(folder).catch(() => null);
  if (folder !== null && rootFolder === null) throw new UsageError(`There is no folder ${folder}.`);
  const place = isUrl(source) ? source : await realpath(source);
  if (rootFolder !== null && !isUrl(source) && path.relative(rootFolder, place).startsWith('..')) {
    throw new UsageError(`${source} lies outside ${folder}.`);
  }
  const gathered = await gather({ place, ...read }, createOpener({ ...rules, rootFolder }), rootFolder);
  for (const [ref, why] of gathered.left) rules.say(`$ref ${JSON.stringify(ref)} is left as it is: ${why}\n`);
  if (gathered.files.size === 1) return { document: null, fetched: new Map() };

  const bundled = await bundleFiles(gathered.name, replaceBroken(gathered.files, gathered.refused));
  if ('failure' in bundled) throw new UsageError(bundled.failure);
  const document = restore(bundled.document, gathered);
  lowerMappings(document);
  return { document, fetched: gathered.fetched };
}

/** Restores references that could not be followed. */
function restore(value: unknown, gathered: Gathered): unknown {
  if (Array.isArray(value)) return value.map((item) => restore(item, gathered));
  if (!isRecord(value)) return value;
  const broken = value[BROKEN_REFERENCE];
  const origin = isRecord(broken) && isRecord(broken.origin) ? broken.origin : null;
  const ref = origin === null ? undefined : gathered.replacements.get(`${origin.file}#${origin.pointer}`);
  if (ref !== undefined) return { $ref: ref };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, restore(member, gathered)]));
}
