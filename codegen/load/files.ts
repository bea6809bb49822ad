/** Every file that a descriptor references, each read or refused before the next is opened. */

import { MCP_LOCK_FILE } from '../../shared/mcp/lock.ts';
import type { Problem } from '../diagnostics.ts';
import { type McpDescriptor, toOpenApiText } from './mcp/index.ts';
import { type LoadedOverlay, overlayDescriptor } from './overlay/index.ts';
import { readReference } from './reference.ts';
import { readInside, type ServiceFolder } from './service-folder.ts';
import { type Survey, surveyDocument } from './survey.ts';
import { parseSource, type Source } from './text/source.ts';

interface ServiceFile extends Source {
  readonly survey: Survey;
  /** Undefined for an OpenAPI document. */
  readonly mcp?: McpDescriptor;
}

/** By path relative to the service folder. */
export type ServiceFiles = ReadonlyMap<string, ServiceFile>;

/** Why a referenced file was not read, by path relative to the service folder. */
export type RefusedFiles = ReadonlyMap<
  string,
  { readonly code: 'reference-outside' | 'reference-unresolved'; readonly message: string }
>;

const NOTHING: Survey = { references: [], ids: [], faults: [], notNumbers: [] };

/**
 * Reads the descriptor, applies the overlay to it and reads, one after another, the files that its `$ref`s name. A
 * fault of the descriptor itself is a problem; any other file that cannot be used is refused, and only operations that
 * refer to it are lost.
 */
export async function loadFiles(
  folder: ServiceFolder,
  descriptor: string,
  overlay: LoadedOverlay | null = null,
): Promise<{ files: ServiceFiles; refused: RefusedFiles; problems: Problem[] }> {
  const files = new Map<string, ServiceFile>();
  const refused = new Map<string, { code: 'reference-outside' | 'reference-unresolved'; message: string }>();
  const problems: Problem[] = [];

  const entry = await readInside(folder, descriptor);
  if ('refused' in entry) {
    const code = entry.refused === 'outside' ? 'file-outside' : 'file-unreadable';
    problems.push({ code, file: `${folder.file}/${descriptor}`, pointer: '', message: entry.message });
    return { files, refused, problems };
  }
  const queue = [addFile(descriptor, entry.text)];
  for (let from = queue.shift(); from !== undefined; from = queue.shift()) {
    for (const { ref, isData } of from.survey.references) {
      const target = readReference(ref, from.file.slice(folder.file.length + 1));
      if (isData || 'refused' in target || files.has(target.file) || refused.has(target.file)) continue;
      const read = await readInside(folder, target.file);
      if ('text' in read) queue.push(addFile(target.file, read.text));
      else {
        const code = read.refused === 'outside' ? 'reference-outside' : 'reference-unresolved';
        refused.set(target.file, { code, message: read.message });
      }
    }
  }
  return { files, refused, problems };

  function addFile(relative: string, text: string): ServiceFile {
    const isLock = relative === descriptor && relative === MCP_LOCK_FILE;
    const parsed = parseSource(`${folder.file}/${relative}`, text, { isTolerant: !isLock });
    const source = isLock ? { ...parsed, ...toOpenApiText(parsed) } : parsed;
    if (relative === descriptor && source.faults.length === 0)
      problems.push(...overlayDescriptor(source.value, overlay));
    const survey = source.faults.length === 0 ? surveyDocument(source.value) : NOTHING;
    const file = { ...source, survey };
    files.set(relative, file);
    const faults: Problem[] = [
      ...source.faults.map(({ position, message }) => ({
        code: parsed.faults.length > 0 ? ('syntax' as const) : ('mcp-lock-invalid' as const),
        file: file.file,
        pointer: '',
        position,
        message,
      })),
      ...survey.faults.map((fault) => ({ code: 'document-value' as const, file: file.file, ...fault })),
    ];
    if (relative === descriptor) problems.push(...faults);
    else if (faults[0] !== undefined)
      refused.set(relative, { code: 'reference-unresolved', message: toText(relative, faults[0]) });
    for (const { position, pointer = '', message } of source.repairs) {
      problems.push({ code: 'descriptor-repaired', file: file.file, pointer, position, message });
    }
    for (const { pointer, holder, key, message } of survey.notNumbers) {
      Object.assign(holder, { [key]: null });
      problems.push({
        code: 'descriptor-repaired',
        file: file.file,
        pointer,
        message: `${message} It is read as null.`,
      });
    }
    for (const { pointer, holder } of survey.ids) {
      delete holder.$id;
      problems.push({ code: 'schema-id-ignored', file: file.file, pointer, message: 'This schema has an `$id`.' });
    }
    return file;
  }
}

function toText(file: string, { position, pointer, message }: Problem): string {
  return `${file}${position === undefined ? '' : `, line ${position.line}`}${pointer === '' ? '' : ` at ${pointer}`}: ${message}`;
}
