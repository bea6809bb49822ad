/** Reads the files of a service in `specs/` of one side of a comparison, and loads its descriptor only when that is needed. */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LoadResult, listServices, loadService } from '../../codegen/load/index.ts';
import { listTree, readBlobs } from './git.ts';

/** The place of `specs/` of the base: a folder, or a commit of the repository at `root`. */
export type SpecsSource = { readonly folder: string } | { readonly root: string; readonly commit: string };

/** Contents by path relative to the service's folder. */
export type SpecsFiles = ReadonlyMap<string, Buffer>;

/** One side of a service. */
export interface LazySpecs {
  readonly service: string;
  readonly files: SpecsFiles;
  /** Loads the service once, however often it is called. */
  readonly load: () => Promise<LoadResult>;
  /** Loads it as the upstream publishes it: without our overlay, if there is one. */
  readonly loadUpstream: () => Promise<LoadResult>;
}

const OVERLAY = /^overlay\.(?:ya?ml|json)$/;

/** Reads the descriptor, its parts and `connector.yaml`. There are none if the side does not have the service. */
export async function readSpecs(source: SpecsSource, service: string): Promise<LazySpecs> {
  const files = 'folder' in source ? await readFolder(source.folder, service) : await readCommit(source, service);
  const upstreamFiles = new Map([...files].filter(([file]) => !OVERLAY.test(file)));
  const load = once(() => loadFromScratch(files, service));
  return {
    service,
    files,
    load,
    loadUpstream: upstreamFiles.size === files.size ? load : once(() => loadFromScratch(upstreamFiles, service)),
  };
}

export function hasSameFiles({ files: one }: LazySpecs, { files: other }: LazySpecs): boolean {
  return one.size === other.size && [...one].every(([file, bytes]) => other.get(file)?.equals(bytes) === true);
}

/** True if `connector.yaml` is the same: it determines which parts a tool has. */
export function hasSameDecisions(one: LazySpecs, other: LazySpecs): boolean {
  const [bytes, otherBytes] = [one, other].map(({ files }) => files.get('connector.yaml'));
  return bytes === undefined || otherBytes === undefined ? bytes === otherBytes : bytes.equals(otherBytes);
}

/** Returns the texts of every `connector.yaml` of a side. */
export async function readConnectorFiles(source: SpecsSource): Promise<readonly string[]> {
  const isConnectorFile = (file: string) => /^specs\/[^/]+\/connector\.yaml$/.test(file);
  if ('folder' in source) {
    const services = await listServices(source.folder);
    const files = services.map((service) => path.join(source.folder, 'specs', service, 'connector.yaml'));
    return Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  }
  const tree = (await listTree(source.root, source.commit, 'specs')).filter(({ path: file }) => isConnectorFile(file));
  return [...(await readBlobs(source.root, [...new Set(tree.map(({ blob }) => blob))])).values()];
}

async function readCommit(source: { readonly root: string; readonly commit: string }, service: string) {
  const prefix = `specs/${service}/`;
  const tree = (await listTree(source.root, source.commit, prefix)).filter(({ path: file }) => isRead(file));
  const blobs = await readBlobs(source.root, [...new Set(tree.map(({ blob }) => blob))]);
  return new Map(
    tree.map((file) => [file.path.slice(prefix.length), Buffer.from(blobs.get(file.blob) ?? '', 'utf8')] as const),
  );
}

async function readFolder(root: string, service: string): Promise<SpecsFiles> {
  const folder = path.join(root, 'specs', service);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && isRead(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  return new Map(
    await Promise.all(files.sort().map(async (file) => [file, await readFile(path.join(folder, file))] as const)),
  );
}

function isRead(file: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(file);
}

function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** Codegen reads folders, so the files of a side are written to a temporary one. */
async function loadFromScratch(files: SpecsFiles, service: string): Promise<LoadResult> {
  const root = await mkdtemp(path.join(tmpdir(), 'tools-diff-'));
  try {
    for (const [file, bytes] of files) {
      const target = path.join(root, 'specs', service, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, bytes);
    }
    return await loadService({ root, service });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
