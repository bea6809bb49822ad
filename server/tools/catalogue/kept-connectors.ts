/** Keeps large connectors as JSON, so that a start reads one file for each instead of a module for each tool. */

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Connector } from '../../contract/index.ts';

/** Modules from which on a connector is kept. Those of fewer load in a tenth of a second. */
export const MIN_KEPT_MODULES = 200;

const DIGEST_LENGTH = 64;

/**
 * Gets a connector from what an earlier start kept, where its modules are byte for byte the same; else by `load`, and keeps it.
 *
 * Only what JSON says completely is kept, so no connector with hand-written tools. The files in `kept` are trusted as the compiled code
 * is that Node keeps next to them: who can write there can change the program. A folder that cannot be written costs only time.
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
    // The next start loads the modules again.
  }
}
