/**
 * Bundles a descriptor and what it refers to into one document. References that cannot be followed stay, for codegen to report.
 */

import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../../../codegen/json.ts';
import { bundleFiles } from '../../../codegen/load/bundle.ts';
import { replaceBrokenReferences } from '../../../codegen/load/check-references.ts';
import { BROKEN_REFERENCE, UNFOLLOWED_REASON } from '../../../codegen/load/openapi/types.ts';
import { UsageError } from '../../../shared/cli/run.ts';
import { type FetchRules, isUrl } from '../source.ts';
import { type CollectedFiles, gather, type Read, type Unfollowed } from './gather.ts';
import { lowerMappings } from './mappings.ts';
import { createOpener, type OpenRules, type ReadLimits } from './open.ts';

export interface BundledSource {
  /** Null if the descriptor refers to no other document. */
  readonly document: unknown;
  /** SHA-256 by URL of what was fetched in addition to the descriptor. */
  readonly fetched: ReadonlyMap<string, string>;
  /** Each distinct reference that was not followed. */
  readonly unfollowed: readonly Unfollowed[];
}

/** The rules for reading what a descriptor refers to. */
export interface BundleRules extends FetchRules {
  /** The folder of files that its references may name. Default: the folder of the descriptor, if it is a file. */
  readonly rootFolder?: string | null;
  /** Default: the limits of `createOpener`. */
  readonly limits?: Partial<ReadLimits>;
  /** Called after each file, with the number of files so far. */
  readonly onRead?: (count: number) => void;
}

/**
 * Reads what the references name: files inside `rootFolder`, and URLs.
 *
 * @throws {UsageError} for a descriptor outside the folder, and for files that cannot be bundled.
 */
export async function bundleSource(
  source: string,
  read: { readonly text: string; readonly extension: 'json' | 'yaml' },
  { rootFolder: folder = null, limits = {}, onRead = () => {}, ...rules }: BundleRules,
): Promise<BundledSource> {
  const documentId = isUrl(source) ? source : await realpath(source);
  const rootFolder = await toRootFolder(documentId, folder);
  if (rootFolder !== null && !isUrl(source) && path.relative(rootFolder, documentId).startsWith('..')) {
    throw new UsageError(`${source} lies outside ${folder}.`);
  }
  const collectedFiles = await gatherAll({ documentId, ...read }, { ...rules, rootFolder, limits, onRead });
  const { unfollowed, fetched } = collectedFiles;
  const isUnchanged = collectedFiles.files.size === 1 && !unfollowed.some(({ isRefusal }) => isRefusal);
  if (isUnchanged) return { document: null, fetched: new Map(), unfollowed };

  const bundled = await bundleFiles(
    collectedFiles.name,
    replaceBrokenReferences(collectedFiles.files, collectedFiles.refused),
  );
  if ('failure' in bundled) throw new UsageError(bundled.failure);
  const document = restore(bundled.document, collectedFiles);
  lowerMappings(document);
  return { document, fetched, unfollowed };
}

/** Returns the real path of the folder that files may be read from. Null if no files may be read. */
async function toRootFolder(documentId: string, folder: string | null): Promise<string | null> {
  if (folder === null) return isUrl(documentId) ? null : path.dirname(documentId);
  const rootFolder = await realpath(folder).catch(() => null);
  if (rootFolder === null) throw new UsageError(`There is no folder ${folder}.`);
  return rootFolder;
}

async function gatherAll(
  descriptor: Read,
  { onRead, ...rules }: OpenRules & Pick<Required<BundleRules>, 'onRead'>,
): Promise<CollectedFiles> {
  const opener = createOpener(rules);
  try {
    return await gather(descriptor, opener, { rootFolder: rules.rootFolder, onRead });
  } finally {
    await opener.close();
  }
}

/** Restores references that could not be followed, with the reason if the gateway refused them. */
function restore(value: unknown, collectedFiles: CollectedFiles): unknown {
  if (Array.isArray(value)) return value.map((item) => restore(item, collectedFiles));
  if (!isRecord(value)) return value;
  const broken = value[BROKEN_REFERENCE];
  const origin = isRecord(broken) && isRecord(broken.origin) ? broken.origin : null;
  const replacement = origin === null ? undefined : collectedFiles.replacements.get(`${origin.file}#${origin.pointer}`);
  if (replacement !== undefined) {
    const { ref, reason } = replacement;
    return reason === undefined ? { $ref: ref } : { $ref: ref, [UNFOLLOWED_REASON]: reason };
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, restore(member, collectedFiles)]));
}
