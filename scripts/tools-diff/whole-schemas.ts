/** Adds the schemas that a tool has no room for to both sides, from each side's `specs/`. */

import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LoadResult, loadService } from '../../codegen/load/index.ts';
import { buildServiceModel } from '../../codegen/model/index.ts';
import { findOpenTools, type ServiceSurface, type WholeSchemas, withWholeSchemas } from '../../codegen/report/index.ts';
import { type MatchedTools, matchTools } from '../../codegen/report/match-tools.ts';
import { buildConnectorModel } from '../../codegen/tools/index.ts';
import { listTree, readBlobs } from './git.ts';
import type { ReportCache } from './report-cache.ts';
import { findSameOperations } from './same-operations.ts';

type Surfaces = readonly ServiceSurface[];

/** The place of `specs/` of the base: a folder, or a commit of the repository at `root`. */
type SpecsSource = { readonly folder: string } | { readonly root: string; readonly commit: string };

/** Contents by path relative to the service's folder. */
type Files = ReadonlyMap<string, Buffer>;

interface SurfacePair {
  readonly before: Surfaces;
  readonly after: Surfaces;
}

/**
 * Both sides, with whole schemas for the tools that may omit parts.
 *
 * Only services whose files in `specs/` differ are read, and of these only tools whose operations differ. A side without `specs/` is
 * compared as published.
 *
 * @param cache has what the last run found and built.
 */
export async function addWholeSchemas(
  { before, after }: SurfacePair,
  base: SpecsSource,
  headDir: string,
  cache: ReportCache = new Map(),
): Promise<SurfacePair> {
  const result = { before: [...before], after: [...after] };
  for (const [index, baseSurface] of before.entries()) {
    const headIndex = after.findIndex(({ service }) => service === baseSurface.service);
    const headSurface = after[headIndex];
    if (headSurface === undefined) continue;
    const openTools = new Set([...findOpenTools(baseSurface), ...findOpenTools(headSurface)]);
    const pairs = matchTools(baseSurface.tools, headSurface.tools).pairs.filter(
      ({ before: baseTool, after: headTool }) => openTools.has(baseTool.name) || openTools.has(headTool.name),
    );
    if (pairs.length === 0) continue;
    const [baseFiles, headFiles] = [
      await readSpecs(base, baseSurface.service),
      await readFolderOf(headDir, baseSurface.service),
    ];
    if (baseFiles.size === 0 || headFiles.size === 0 || isSameFiles(baseFiles, headFiles)) continue;
    const baseSpecs = toLazySpecs(baseFiles, () => loadFromScratch(baseFiles, baseSurface.service));
    const headSpecs = toLazySpecs(headFiles, () => loadService({ root: headDir, service: headSurface.service }));
    const differingNames = await findDiffering(pairs, baseSpecs, headSpecs, cache);
    result.before[index] = withWholeSchemas(baseSurface, await wholeSchemasOf(baseSpecs, differingNames.before, cache));
    result.after[headIndex] = withWholeSchemas(
      headSurface,
      await wholeSchemasOf(headSpecs, differingNames.after, cache),
    );
  }
  return result;
}

/** Files other than the descriptor that determine which parts a tool has. */
function decisionsOf(files: Files): Files {
  return new Map([...files].filter(([file]) => file === 'connector.yaml'));
}

async function readSpecs(base: SpecsSource, service: string): Promise<Files> {
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
interface LazySpecs {
  readonly files: Files;
  readonly digest: string;
  readonly load: () => Promise<LoadResult>;
}

function toLazySpecs(files: Files, load: () => Promise<LoadResult>): LazySpecs {
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
async function loadFromScratch(files: Files, service: string): Promise<LoadResult> {
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

interface DifferingTools {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Returns the names of the tools whose operations differ. */
async function findDiffering(
  pairs: MatchedTools['pairs'],
  base: LazySpecs,
  head: LazySpecs,
  cache: ReportCache,
): Promise<DifferingTools> {
  const operations = pairs.map(({ before, after }) => [before.name, before.operation, after.name, after.operation]);
  const key = digestOf(['differing', base.digest, head.digest, operations]);
  const cachedNames = cache.get(key) as DifferingTools | undefined;
  if (cachedNames !== undefined) return cachedNames;
  const isSame = isSameFiles(decisionsOf(base.files), decisionsOf(head.files))
    ? findSameOperations((await base.load()).document, (await head.load()).document)
    : () => false;
  const differing = pairs.filter((pair) => !isSame(pair.before.operation, pair.after.operation));
  const names = {
    before: differing.map(({ before }) => before.name),
    after: differing.map(({ after }) => after.name),
  };
  cache.set(key, names);
  return names;
}

/** Schemas without limits of size, by tool name, without those that are not tools of the folder. */
async function wholeSchemasOf(
  specs: LazySpecs,
  tools: readonly string[],
  cache: ReportCache,
): Promise<ReadonlyMap<string, WholeSchemas>> {
  const key = digestOf(['whole', specs.digest, tools]);
  const cachedSchemas = cache.get(key) as ReadonlyMap<string, WholeSchemas> | undefined;
  if (cachedSchemas !== undefined) return cachedSchemas;
  const loaded = await specs.load();
  const wholeSchemas = loaded.document === null || tools.length === 0 ? new Map() : buildWhole(loaded, new Set(tools));
  cache.set(key, wholeSchemas);
  return wholeSchemas;
}

function buildWhole(loaded: LoadResult, toolNames: ReadonlySet<string>): ReadonlyMap<string, WholeSchemas> {
  const { service, config, descriptorFile } = loaded;
  const { model } = buildServiceModel({ name: service, file: descriptorFile, ...loaded });
  const { connector } = buildConnectorModel(model, config, `specs/${service}/connector.yaml`, { onlyTools: toolNames });
  return new Map(
    connector.tools.map(({ name, inputSchema, outputSchema }) => [name, { inputSchema, outputSchema }] as const),
  );
}
