/** Loads the generated connectors: the only place that reads `generated/`. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type {
  Connector,
  GeneratedConnector,
  GeneratedPageRule,
  GeneratedTool,
  PageRule,
  Tool,
} from '../../../contract/index.ts';

/** Next to Node's compile cache (`scripts/node.mjs`). */
const CACHE_FOLDER = 'node_modules/.cache/unified-tool-gateway/connectors';
/** A line with the name of a service in `generated/index.ts` (`codegen/emit/index-file.ts`). */
const SERVICE = /^import .* from '\.\/([^'/]+)\/index\.ts';$/gm;

/** Nothing was generated in the folder, or it is not a project folder. */
export class NoConnectorsError extends Error {
  override readonly name = 'NoConnectorsError';
}

/**
 * Loads every connector that `generated/index.ts` names, sorted by name.
 *
 * The import paths are not literals, so that `tsc` checks `generated/` only under its own settings
 * (`tsconfig.generated.json`), not under those of `server/` too.
 *
 * @throws {NoConnectorsError}
 * @param root folder that contains `generated/`. Default: see `findProject`.
 * @param cacheFolder folder for cached large connectors.
 */
export async function loadConnectors(
  root = findProject(),
  cacheFolder = path.join(root, CACHE_FOLDER),
): Promise<readonly Connector[]> {
  const generated = path.join(root, 'generated');
  const index = readIndex(path.join(generated, 'index.ts'));
  requireModules(generated);
  const services = [...index.matchAll(SERVICE)].map(([, service = '']) => path.join(generated, service));
  return Promise.all(services.map((folder) => loadCachedConnector(folder, cacheFolder, () => importConnector(folder))));
}

/** The project folder: the working directory, or this code's own repository if only that has `generated/`. */
export function findProject(): string {
  const repository = path.resolve(import.meta.dirname, '../../../..');
  const isFallback =
    !existsSync(path.resolve('generated/index.ts')) && existsSync(path.join(repository, 'generated/index.ts'));
  return isFallback ? repository : process.cwd();
}

function readIndex(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8');
  throw new NoConnectorsError(
    `There is no ${file}: run "npm run codegen" or "npx utg codegen" in the folder that holds specs/.`,
  );
}

/** @throws {NoConnectorsError} if Node would read the generated files as CommonJS, which `npm init` chooses. */
function requireModules(generated: string): void {
  const manifest = findPackageJSON(pathToFileURL(path.join(generated, 'index.ts')));
  // Without any package.json above it, Node names the file itself.
  if (manifest === undefined || path.basename(manifest) !== 'package.json') return;
  const { type } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly type?: string };
  if (type !== 'commonjs') return;
  throw new NoConnectorsError(
    `${manifest} must have "type": "module", because generated files are ES modules: run "npm pkg set type=module" there.`,
  );
}

async function importConnector(folder: string): Promise<Connector> {
  const module = (await import(pathToFileURL(path.join(folder, 'index.ts')).href)) as Readonly<
    Record<string, GeneratedConnector>
  >;
  const connector = Object.values(module).find(({ name }) => name === path.basename(folder));
  if (connector === undefined) throw new Error(`${folder}/index.ts exports no connector of its name`);
  return completeConnector(connector);
}

/** The connector with every default of the contract. A complete connector is returned unchanged. */
export function completeConnector(connector: GeneratedConnector): Connector {
  const { rules = {}, ...rest } = connector;
  const server = connector.servers[0]?.url ?? '';
  return { ...rest, tools: connector.tools.map((tool) => completeTool(tool, server, rules[tool.name])) };
}

function completeTool({ page, ...tool }: GeneratedTool, server: string, rules: string | undefined): Tool {
  const operation = { ...tool.operation, server: tool.operation.server ?? server };
  const completed = rules === undefined ? { ...tool, operation } : { ...tool, operation, rules };
  return page === undefined ? completed : { ...completed, page: completePage(page) };
}

function completePage(rule: GeneratedPageRule): PageRule {
  if (rule.kind === 'last') return { ...rule, more: rule.more ?? null };
  if (rule.kind !== undefined) return rule;
  const { argument, next, queryParameter = null, more = null, ...otherMembers } = rule;
  return { argument, next, queryParameter, more, ...otherMembers };
}

/** A connector with at least this many modules is cached. */
const MIN_CACHED_MODULES = 8;
/** Functions that completed a cached connector after its modules were loaded. */
const COMPLETED_BY = [completeConnector, completeTool, completePage].join('\n');

const DIGEST_LENGTH = 64;

/**
 * Gets a connector from the cache of an earlier start if its modules are byte for byte the same; otherwise loads and
 * caches it.
 *
 * Only connectors that JSON can represent are cached, so none with hand-written tools. The files in `cacheFolder` are as
 * trusted as Node's compile cache next to them: anyone who can write there can change the program. If the folder is not
 * writable, only time is lost.
 *
 * @param generated folder of the connector in `generated/`.
 * @param cacheFolder folder for the files.
 */
export async function loadCachedConnector(
  generated: string,
  cacheFolder: string,
  load: () => Promise<Connector>,
): Promise<Connector> {
  const modules = listModules(generated);
  if (modules.length < MIN_CACHED_MODULES) return load();
  const file = path.join(cacheFolder, `${path.basename(generated)}.json`);
  const digest = digestOf(generated, modules);
  const cachedConnector = readCache(file, digest);
  if (cachedConnector !== null) return cachedConnector;
  const connector = await load();
  writeCache(file, digest, connector);
  return connector;
}

function listModules(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts')).sort();
}

function digestOf(folder: string, modules: readonly string[]): string {
  const digest = createHash('sha256').update(COMPLETED_BY);
  for (const module of modules) {
    const text = readFileSync(path.join(folder, module));
    digest.update(`${module}\0${text.byteLength}\0`).update(text);
  }
  return digest.digest('hex');
}

function readCache(file: string, digest: string): Connector | null {
  try {
    const text = readFileSync(file, 'utf8');
    return text.startsWith(digest) ? JSON.parse(text.slice(DIGEST_LENGTH)) : null;
  } catch {
    return null;
  }
}

function writeCache(file: string, digest: string, connector: Connector): void {
  if (connector.handWritten !== undefined) return;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const text = JSON.stringify(connector);
    if (!isDeepStrictEqual(JSON.parse(text), connector)) return;
    const temporaryFile = `${file}.${process.pid}`;
    writeFileSync(temporaryFile, digest + text);
    renameSync(temporaryFile, file);
  } catch {
    // Not cached: the next start loads the modules again.
  }
}
