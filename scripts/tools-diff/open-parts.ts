/** Adds the schemas that a tool has no room for to both sides, from each side's `specs/`. */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadService } from '../../codegen/load/index.ts';
import { buildServiceModel } from '../../codegen/model/index.ts';
import { findOpenTools, type ServiceSurface, withWhole } from '../../codegen/report/index.ts';
import { matchTools } from '../../codegen/report/match-tools.ts';
import { buildConnectorModel } from '../../codegen/tools/index.ts';
import type { ToolModel } from '../../codegen/tools/types.ts';
import { listTree, readBlobs } from './git.ts';
import { findSameOperations } from './same-operations.ts';

type Surfaces = readonly ServiceSurface[];

/** Where `specs/` of the base is: a folder, or a commit of the repository at `root`. */
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
 */
export async function addWholeSchemas({ before, after }: Sides, base: SpecsPlace, headDir: string): Promise<Sides> {
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
    const sides = [await inScratch(old, was.service), await loadWholeService(headDir, is.service)] as const;
    const isSame = isSameFiles(decisionsOf(old), decisionsOf(now))
      ? findSameOperations(sides[0].document, sides[1].document)
      : () => false;
    const differing = pairs.filter((pair) => !isSame(pair.before.operation, pair.after.operation));
    result.before[index] = withWhole(was, sides[0].build(new Set(differing.map((pair) => pair.before.name))));
    result.after[at] = withWhole(is, sides[1].build(new Set(differing.map((pair) => pair.after.name))));
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

/** Codegen reads folders, so the files of a commit are written to a temporary one. */
async function inScratch(files: Files, service: string) {
  const root = await mkdtemp(path.join(tmpdir(), 'tools-diff-'));
  try {
    for (const [file, bytes] of files) {
      const target = path.join(root, 'specs', service, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, bytes);
    }
    return await loadWholeService(root, service);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** A service of `specs/`, before it becomes tools: its schemas have no limits of size. Null for a descriptor with errors. */
async function loadWholeService(root: string, service: string) {
  const loaded = await loadService({ root, service });
  return {
    document: loaded.document,
    /** By tool name, without those that are not tools of the folder. */
    build(tools: ReadonlySet<string>): ReadonlyMap<string, Pick<ToolModel, 'inputSchema' | 'outputSchema'>> {
      if (loaded.document === null || tools.size === 0) return new Map();
      const { model } = buildServiceModel({ name: service, file: loaded.descriptorFile, ...loaded });
      const { connector } = buildConnectorModel(model, loaded.config, `specs/${service}/connector.yaml`, {
        whole: tools,
      });
      return new Map(
        connector.tools.map(({ name, inputSchema, outputSchema }) => [name, { inputSchema, outputSchema }] as const),
      );
    },
  };
}
