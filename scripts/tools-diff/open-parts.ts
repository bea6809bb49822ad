/** Adds the schemas that a tool has no room for to both sides, from each side's `specs/`. */

import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LoadResult, loadService } from '../../codegen/load/index.ts';
import { buildServiceModel } from '../../codegen/model/index.ts';
import { findOpenTools, type ServiceSurface, type WholeSchemas, withWhole } from '../../codegen/report/index.ts';
import { type MatchedTools, matchTools } from '../../codegen/report/match-tools.ts';
import { buildConnectorModel } from '../../codegen/tools/index.ts';
import { listTree, readBlobs } from './git.ts';
import type { Kept } from './kept.ts';
import { findSameOperations } from './same-operations.ts';

type Surfaces = readonly ServiceSurface[];

/** The place of `specs/` of the base: a folder, or a commit of the repository at `root`. */
type SpecsPlace = { readonly folder: string } | { readonly root: string; readonly commit: string };

/** Contents by path relative to the service's folder. */
type Files = ReadonlyMap<string, Buffer>;

interface Sides {
  readonly before: Surfaces;
  readonly after: Surfaces;
}

/**
 * Both sides, with whole schemas for the tools that may omit parts.
 *
 * Only services whose files in `specs/` differ are read, and of these only tools whose operations differ. A side without `specs/` is
 * compared as published.
 *
 * @param kept has what the last run found and built.
 */
export async function addWholeSchemas(
  { before, after }: Sides,
  base: SpecsPlace,
  headDir: string,
  kept: Kept = new Map(),
): Promise<Sides> {
  const result = { before: [...before], after: [...after] };
  for (const [index, was] of before.entries()) {
    const at = after.findIndex(({ service }) => service === was.service);
    const is = after[at];
    if (is === undefined) continue;
    const open = new Set([...findOpenTools(was), ...findOpenTools(is)]);
    const pairs = matchTools(was.tools, is.tools).pairs.filter(
      ({ before: one, after: other }) => open.has(one.name) || open.has(other.name),
    );
    if (pairs.length === 0) continue;
    const [old, now] = [await readSpecs(base, was.service), await readFolderOf(headDir, was.service)];
    if (old.size === 0 || now.size === 0 || isSameFiles(old, now)) continue;
    const one = toSide(old, () => inScratch(old, was.service));
    const other = toSide(now, () => loadService({ root: headDir, service: is.service }));
    const differing = await findDiffering(pairs, one, other, kept);
    result.before[index] = withWhole(was, await wholeOf(one, differing.before, kept));
    result.after[at] = withWhole(is, await wholeOf(other, differing.after, kept));
  }
  return result;
}

/** Files other than the descriptor that determine which parts a tool has. */
function decisionsOf(files: Files): Files {
  return new Map([...files].filter(([file]) => file === 'connector.yaml'));
}

async function readSpecs(base: SpecsPlace, service: string): Promise<Files> {
  if ('folder' in base) return readFolderOf(base.folder, service);
  const prefix = `specs/${service}/`;
  const tree = (await listTree(base.root, base.commit, prefix)).filter(({ path: file }) => isRead(file));
  const blobs = await readBlobs(base.root, [...new Set(tree.map(({ blob }) => blob))]);
  return new Map(
    tree.map((file) => [file.path.slice(prefix.length), Buffer.from(blobs.get(file.blob) ?? '', 'utf8')] as const),
  );
}

async function readFolderOf(root: string, service: string): Promise<Files> {
  const folder = path.join(root, 'specs', service);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && isRead(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(path.join(folder, file))] as const)),
  );
}

/** Descriptors, their parts and connector.yaml. */
function isRead(file: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(file);
}

function isSameFiles(one: Files, other: Files): boolean {
  return one.size === other.size && [...one].every(([file, bytes]) => other.get(file)?.equals(bytes) === true);
}

/** One side of a service. Its descriptor is loaded only for what is not kept. */
interface Side {
  readonly files: Files;
  readonly digest: string;
  readonly load: () => Promise<LoadResult>;
}

function toSide(files: Files, load: () => Promise<LoadResult>): Side {
  const digests = [...files].map(([file, bytes]) => [file, hash('sha256', bytes)]);
  let loaded: Promise<LoadResult> | undefined;
  return {
    files,
    digest: digestOf(digests),
    load: () => {
      loaded ??= load();
      return loaded;
    },
  };
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value));
}

/** Codegen reads folders, so the files of a commit are written to a temporary one. */
async function inScratch(files: Files, service: string): Promise<LoadResult> {
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

interface Differing {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Returns the names of the tools whose operations differ. */
async function findDiffering(pairs: MatchedTools['pairs'], one: Side, other: Side, kept: Kept): Promise<Differing> {
  const operations = pairs.map(({ before, after }) => [before.name, before.operation, after.name, after.operation]);
  const key = digestOf(['differing', one.digest, other.digest, operations]);
  const known = kept.get(key) as Differing | undefined;
  if (known !== undefined) return known;
  const isSame = isSameFiles(decisionsOf(one.files), decisionsOf(other.files))
    ? findSameOperations((await one.load()).document, (await other.load()).document)
    : () => false;
  const differing = pairs.filter((pair) => !isSame(pair.before.operation, pair.after.operation));
  const names = {
    before: differing.map(({ before }) => before.name),
    after: differing.map(({ after }) => after.name),
  };
  kept.set(key, names);
  return names;
}

/** Schemas without limits of size, by tool name, without those that are not tools of the folder. */
async function wholeOf(side: Side, tools: readonly string[], kept: Kept): Promise<ReadonlyMap<string, WholeSchemas>> {
  const key = digestOf(['whole', side.digest, tools]);
  const known = kept.get(key) as ReadonlyMap<string, WholeSchemas> | undefined;
  if (known !== undefined) return known;
  const loaded = await side.load();
  const whole = loaded.document === null || tools.length === 0 ? new Map() : buildWhole(loaded, new Set(tools));
  kept.set(key, whole);
  return whole;
}

function buildWhole(loaded: LoadResult, whole: ReadonlySet<string>): ReadonlyMap<string, WholeSchemas> {
  const { service, config, descriptorFile } = loaded;
  const { model } = buildServiceModel({ name: service, file: descriptorFile, ...loaded });
  const { connector } = buildConnectorModel(model, config, `specs/${service}/connector.yaml`, { whole });
  return new Map(
    connector.tools.map(({ name, inputSchema, outputSchema }) => [name, { inputSchema, outputSchema }] as const),
  );
}
