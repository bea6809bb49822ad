/** Loads the generated connectors: the only place that reads `generated/`. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Connector, GeneratedConnector } from '../../../contract/index.ts';
import { completeConnector } from './complete-connector.ts';
import { keepConnector } from './kept-connectors.ts';

/** Next to Node's compile cache (`scripts/node.mjs`). */
const KEPT = 'node_modules/.cache/unified-tool-gateway/connectors';
/** How `generated/index.ts` names a service (`codegen/emit/index-file.ts`). */
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
 * @param kept folder for cached large connectors.
 */
export async function loadConnectors(
  root = findProject(),
  kept = path.join(root, KEPT),
): Promise<readonly Connector[]> {
  const generated = path.join(root, 'generated');
  const index = readIndex(path.join(generated, 'index.ts'));
  const services = [...index.matchAll(SERVICE)].map(([, service = '']) => path.join(generated, service));
  return Promise.all(services.map((folder) => keepConnector(folder, kept, () => importConnector(folder))));
}

/** The project folder: the working directory, or this code's own repository if only that has `generated/`. */
export function findProject(): string {
  const own = path.resolve(import.meta.dirname, '../../../..');
  const hasOwn = !existsSync(path.resolve('generated/index.ts')) && existsSync(path.join(own, 'generated/index.ts'));
  return hasOwn ? own : process.cwd();
}

function readIndex(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8');
  throw new NoConnectorsError(`There is no ${file}: run "npm run codegen" in the folder that holds specs/.`);
}

async function importConnector(folder: string): Promise<Connector> {
  const module = (await import(pathToFileURL(path.join(folder, 'index.ts')).href)) as Readonly<
    Record<string, GeneratedConnector>
  >;
  const connector = Object.values(module).find(({ name }) => name === path.basename(folder));
  if (connector === undefined) throw new Error(`${folder}/index.ts exports no connector of its name`);
  return completeConnector(connector);
}
