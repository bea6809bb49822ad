/** Caches large connectors as JSON, so that a start reads one file per connector instead of one module per tool. */

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Connector } from '../../../contract/index.ts';

/** A connector with at least this many modules is cached. Smaller ones load in a tenth of a second. */
export const MIN_KEPT_MODULES = 200;

const DIGEST_LENGTH = 64;

/**
 * Gets a connector from the cache of an earlier start if its modules are byte for byte the same; otherwise loads and
 * caches it.
 *
 * Only connectors that JSON can represent are cached, so none with hand-written tools. The files in `kept` are as
 * trusted as Node's compile cache next to them: anyone who can write there can change the program. If the folder is not
 * writable, only time is lost.
 *
 * @param generated folder of the connector in `generated/`.
 * @param kept folder for the files.
 */
export async function keepConnector(
  generated: string,
  kept: string,
  load: () => Promise<Connector>,
): Promise<Connector> {
  const modules = listModules(generated);
  if (modules.length < MIN_KEPT_MODULES) return load();
  const file = path.join(kept, `${path.basename(generated)}.json`);
  const digest = digestOf(generated, modules);
  const found = read(file, digest);
  if (found !== null) return found;
  const connector = await load();
  write(file, digest, connector);
  return connector;
}

function listModules(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts')).sort();
}

function digestOf(folder: string, modules: readonly string[]): string {
  const digest = createHash('sha256');
  for (const module of modules) {
    const text = readFileSync(path.join(folder, module));
    digest.update(`${module}\0${text.byteLength}\0`).update(text);
  }
  return digest.digest('hex');
}

function read(file: string, digest: string): Connector | null {
  try {
    const text = readFileSync(file, 'utf8');
    return text.startsWith(digest) ? JSON.parse(text.slice(DIGEST_LENGTH)) : null;
  } catch {
    return null;
  }
}

function write(file: string, digest: string, connector: Connector): void {
  if (connector.handWritten !== undefined) return;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const text = JSON.stringify(connector);
    if (!isDeepStrictEqual(JSON.parse(text), connector)) return;
    const written = `${file}.${process.pid}`;
    writeFileSync(written, digest + text);
    renameSync(written, file);
  } catch {
    // Not cached: the next start loads the modules again.
  }
}
