/** A service's files for its descriptor: the original, the version that codegen reads, and its source. */

import { hash } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toRecord } from '../../codegen/json.ts';
import { surveyDocument } from '../../codegen/load/survey.ts';
import type { SyntaxFault } from '../../codegen/load/text/parsed-text.ts';
import { parseSource } from '../../codegen/load/text/source.ts';
import { createProgressPrinter } from '../../codegen/progress.ts';
import type { Output } from '../../shared/cli/output.ts';
import { MCP_LOCK_FILE } from '../../shared/mcp/lock.ts';
import { RECORD, type SourceRecord } from './record.ts';
import { type BundledSource, type BundleRules, bundleSource } from './references/bundle.ts';
import type { Unfollowed } from './references/gather.ts';
import { namesFiles } from './references/mappings.ts';
import { isUrl, NoDescriptorError, readDescriptor } from './source.ts';
import { convertSwagger2, isSwagger2 } from './swagger2/convert.ts';

const NAMES = ['openapi.json', 'openapi.yaml', 'openapi.yml', 'swagger.json', 'swagger.yaml', MCP_LOCK_FILE, RECORD];

const NOTHING_BUNDLED: BundledSource = { document: null, fetched: new Map(), unfollowed: [] };

/** The rules for reading a descriptor. */
interface SourceRules extends Omit<BundleRules, 'mayBePrivate'> {
  /** True if the host of the source may have an address that is not public. For a file as source, this applies to every host that it names. */
  readonly allowPrivate: boolean;
  /** Further hosts that may. */
  readonly privateHosts?: readonly string[];
}

/** The rules that the options of a command set. */
export type CommandRules = Omit<SourceRules, 'say' | 'onRead' | 'limits'>;

interface ServiceFiles {
  /** Names and contents; the first is what codegen reads. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Null if nothing was fetched. */
  readonly record: SourceRecord | null;
  /** Of the descriptor as it was read, in hexadecimal digits. */
  readonly sha256: string;
  /** Each distinct reference that was not followed. */
  readonly unfollowed: readonly Unfollowed[];
}

/**
 * `openapi.json` or `openapi.yaml`, unchanged; if it refers to other documents, `openapi.json` with everything that it refers to. For
 * Swagger 2.0, the conversion as `openapi.json` and the original as `swagger.*`, with everything that it refers to.
 *
 * @throws {UsageError} for a source that cannot be read, bundled or converted.
 */
export async function readServiceFiles(source: string, sourceRules: SourceRules): Promise<ServiceFiles> {
  const sourceHost = isUrl(source) && URL.canParse(source) ? new URL(source).host : null;
  const { allowPrivate, privateHosts = [] } = sourceRules;
  const mayBePrivate = (host: string) =>
    (allowPrivate && (sourceHost === null || host === sourceHost)) || privateHosts.includes(host);
  const rules = { ...sourceRules, mayBePrivate };
  const read = await readDescriptor(source, rules);
  const { value, faults } = parseSource(`descriptor.${read.extension}`, read.text, { isTolerant: true });
  requireDescriptor(source, value, faults);
  const files = new Map<string, string | Uint8Array>([[`openapi.${read.extension}`, read.bytes]]);
  const sha256 = hash('sha256', read.bytes);
  const record: SourceRecord = isUrl(source) ? { source, sha256 } : {};
  const isExternal = ({ ref, isData }: { ref: string; isData: boolean }) => !isData && !ref.startsWith('#');
  const hasExternal = faults.length === 0 && (surveyDocument(value).references.some(isExternal) || namesFiles(value));
  const { document, fetched, unfollowed } = hasExternal ? await bundleSource(source, read, rules) : NOTHING_BUNDLED;
  const descriptor = document ?? value;
  if (document !== null || isSwagger2(descriptor)) files.clear();
  if (isSwagger2(descriptor)) {
    files.set('openapi.json', toText(convertSwagger2(descriptor, /^http:/i.test(source) ? 'http' : 'https')));
    if (document === null) files.set(`swagger.${read.extension}`, read.bytes);
    else files.set('swagger.json', toText(document));
  } else if (document !== null) files.set('openapi.json', toText(document));
  if (fetched.size > 0) record.references = Object.fromEntries([...fetched].sort());
  const isEmpty = Object.keys(record).length === 0;
  if (!isEmpty) files.set(RECORD, toText(record));
  return { files, record: isEmpty ? null : record, sha256, unfollowed };
}

/** Milliseconds of reading before its progress is printed, and between two lines of it. */
const QUIET_MS = 2000;
const TERMINAL_INTERVAL_MS = 100;
const LOG_INTERVAL_MS = 5000;

/** Does the same, and prints redirects and, once it takes long, how many files were read. */
export async function readWithProgress(
  source: string,
  rules: CommandRules,
  { service, output }: { readonly service: string; readonly output: Output },
): Promise<ServiceFiles> {
  const { isTerminal = false, err } = output;
  const intervalMs = isTerminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS;
  const progress = createProgressPrinter({ write: err, isTerminal, quietMs: QUIET_MS, intervalMs });
  progress.stage(service, 'load');
  try {
    return await readServiceFiles(source, {
      ...rules,
      say: err,
      onRead: (count) => progress.step(service, 'load', `${count} files`),
    });
  } finally {
    progress.end();
  }
}

/** @throws {UsageError} for a text that is not an OpenAPI descriptor. */
function requireDescriptor(source: string, value: unknown, faults: readonly SyntaxFault[]): void {
  const { openapi, swagger } = toRecord(value);
  if ((openapi ?? swagger) !== undefined) return;
  const [fault] = faults;
  const reason =
    fault === undefined
      ? 'it has neither openapi nor swagger'
      : `line ${fault.position.line} is neither YAML nor JSON. ${fault.message}`;
  throw new NoDescriptorError(
    `${source} is not an OpenAPI descriptor: ${reason.replace(/\.$/, '')}. Nothing was changed. ` +
      'If the address asks for a sign-in, download the file and pass its path.',
  );
}

/**
 * Writes new and changed files, and removes files of another descriptor.
 *
 * @returns the names of both
 */
export async function writeServiceFiles(
  folder: string,
  { files }: ServiceFiles,
): Promise<{ readonly writtenFiles: readonly string[]; readonly removedFiles: readonly string[] }> {
  const writtenFiles: string[] = [];
  const removedFiles: string[] = [];
  for (const [name, content] of files) {
    const file = path.join(folder, name);
    const old = await readFile(file).catch(() => null);
    if (old?.equals(Buffer.from(content))) continue;
    await writeFile(file, content);
    writtenFiles.push(name);
  }
  for (const name of NAMES.filter((fileName) => !files.has(fileName))) {
    const file = path.join(folder, name);
    if (!(await stat(file).catch(() => null))?.isFile()) continue;
    await rm(file);
    removedFiles.push(name);
  }
  return { writtenFiles, removedFiles };
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
