/** A service's files for its descriptor: the original, the version that codegen reads, and its source. */

import { hash } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toRecord } from '../../codegen/json.ts';
import { surveyDocument } from '../../codegen/load/survey.ts';
import { parseSource } from '../../codegen/load/text/source.ts';
import { UsageError } from '../../shared/cli/run.ts';
import { RECORD, type SourceRecord } from './record.ts';
import { type BundledSource, bundleSource } from './references/bundle.ts';
import { namesFiles } from './references/mappings.ts';
import { type FetchRules, isUrl, readDescriptor } from './source.ts';
import { convertSwagger2, isSwagger2 } from './swagger2/convert.ts';

const NAMES = ['openapi.json', 'openapi.yaml', 'openapi.yml', 'swagger.json', 'swagger.yaml', RECORD];

const NO_OTHERS: BundledSource = { document: null, fetched: new Map() };

/** The rules for reading a descriptor. */
export interface SourceRules extends FetchRules {
  /** The folder of files that its references may name. Default: none. */
  readonly rootFolder?: string | null;
}

interface ServiceFiles {
  /** Names and contents; the first is what codegen reads. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Null if nothing was fetched. */
  readonly record: SourceRecord | null;
  /** Of the descriptor as it was read, in hexadecimal digits. */
  readonly sha256: string;
}

/**
 * `openapi.json` or `openapi.yaml`, unchanged; if it refers to other documents, `openapi.json` with everything that it refers to. For
 * Swagger 2.0, the conversion as `openapi.json` and the original as `swagger.*`, with everything that it refers to.
 *
 * @throws {UsageError} for a source that cannot be read, bundled or converted.
 */
export async function readServiceFiles(source: string, rules: SourceRules): Promise<ServiceFiles> {
  const read = await readDescriptor(source, rules);
  const { value, faults } = parseSource(`descriptor.${read.extension}`, read.text, { isTolerant: true });
  const { openapi, swagger } = toRecord(value);
  if ((openapi ?? swagger) === undefined) {
    throw new UsageError(
      `${source} is not an OpenAPI descriptor: it has neither openapi nor swagger. Nothing was changed. ` +
        'If the address asks for a sign-in, download the file and pass its path.',
    );
  }
  const files = new Map<string, string | Uint8Array>([[`openapi.${read.extension}`, read.bytes]]);
  const sha256 = hash('sha256', read.bytes);
  const record: SourceRecord = isUrl(source) ? { source, sha256 } : {};
  const isOther = ({ ref, isData }: { ref: string; isData: boolean }) => !isData && !ref.startsWith('#');
  const hasOthers = faults.length === 0 && (surveyDocument(value).references.some(isOther) || namesFiles(value));
  const { document, fetched } = hasOthers ? await bundleSource(source, read, rules) : NO_OTHERS;
  const whole = document ?? value;
  if (document !== null || isSwagger2(whole)) files.clear();
  if (isSwagger2(whole)) {
    files.set('openapi.json', toText(convertSwagger2(whole, /^http:/i.test(source) ? 'http' : 'https')));
    if (document === null) files.set(`swagger.${read.extension}`, read.bytes);
    else files.set('swagger.json', toText(document));
  } else if (document !== null) files.set('openapi.json', toText(document));
  if (fetched.size > 0) record.references = Object.fromEntries([...fetched].sort());
  const isEmpty = Object.keys(record).length === 0;
  if (!isEmpty) files.set(RECORD, toText(record));
  return { files, record: isEmpty ? null : record, sha256 };
}

/**
 * Writes new and changed files, and removes files of another descriptor.
 *
 * @returns the names of both
 */
export async function writeServiceFiles(
  folder: string,
  { files }: ServiceFiles,
): Promise<{ readonly written: readonly string[]; readonly removed: readonly string[] }> {
  const written: string[] = [];
  const removed: string[] = [];
  for (const [name, content] of files) {
    const file = path.join(folder, name);
    const old = await readFile(file).catch(() => null);
    if (old?.equals(Buffer.from(content))) continue;
    await writeFile(file, content);
    written.push(name);
  }
  for (const name of NAMES.filter((one) => !files.has(one))) {
    const file = path.join(folder, name);
    if (!(await stat(file).catch(() => null))?.isFile()) continue;
    await rm(file);
    removed.push(name);
  }
  return { written, removed };
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
