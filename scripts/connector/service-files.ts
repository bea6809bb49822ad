/** The files that a service's folder holds of its descriptor: as it came, and as codegen reads it. */

import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseSource } from '../../codegen/load/text/source.ts';
import { type FetchRules, readDescriptor } from './source.ts';
import { convertSwagger2, isSwagger2 } from './swagger2/convert.ts';

const NAMES = ['openapi.json', 'openapi.yaml', 'openapi.yml', 'swagger.json', 'swagger.yaml'];

/** Names and contents; the first is what codegen reads. */
type ServiceFiles = ReadonlyMap<string, string | Uint8Array>;

/**
 * `openapi.json` or `openapi.yaml` as it came. Of Swagger 2.0, the conversion as `openapi.json` and the original as `swagger.*`.
 *
 * @throws {UsageError} for a source that cannot be read, or a conversion that fails.
 */
export async function readServiceFiles(source: string, rules: FetchRules): Promise<ServiceFiles> {
  const { bytes, text, extension } = await readDescriptor(source, rules);
  const { value } = parseSource(`descriptor.${extension}`, text, { isTolerant: true });
  if (!isSwagger2(value)) return new Map([[`openapi.${extension}`, bytes]]);
  const converted = convertSwagger2(value, /^http:/i.test(source) ? 'http' : 'https');
  return new Map<string, string | Uint8Array>([
    ['openapi.json', `${JSON.stringify(converted, null, 2)}\n`],
    [`swagger.${extension}`, bytes],
  ]);
}

/** Writes them, and removes what was there of another descriptor. */
export async function writeServiceFiles(folder: string, files: ServiceFiles): Promise<void> {
  for (const [name, content] of files) await writeFile(path.join(folder, name), content);
  for (const other of NAMES.filter((name) => !files.has(name))) await rm(path.join(folder, other), { force: true });
}
