/** Every file that a descriptor reaches, each one refused or read before the next is looked for. */

import type { Problem } from '../diagnostics.ts';
import { readReference } from './reference.ts';
import { readInside, type ServiceFolder } from './service-folder.ts';
import { type Survey, surveyDocument } from './survey.ts';
import { parseSource, type Source } from './text/source.ts';

interface ServiceFile extends Source {
  readonly survey: Survey;
}

/** By path relative to the service folder. */
export type ServiceFiles = ReadonlyMap<string, ServiceFile>;

const NOTHING: Survey = { references: [], ids: [], faults: [] };

/** Reads the descriptor and, one after another, the files that its `$ref`s name. A file that cannot be used is a problem. */
export async function loadFiles(
  folder: ServiceFolder,
  descriptor: string,
): Promise<{ files: ServiceFiles; problems: Problem[] }> {
  const files = new Map<string, ServiceFile>();
  const problems: Problem[] = [];

  const entry = await readInside(folder, descriptor);
  if ('refused' in entry) {
    const code = entry.refused === 'outside' ? 'file-outside' : 'file-unreadable';
    problems.push({ code, file: `${folder.file}/${descriptor}`, pointer: '', message: entry.message });
    return { files, problems };
  }
  const queue = [addFile(descriptor, entry.text)];

  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const from = file;
    const report = (code: Problem['code'], pointer: string, message: string): void => {
      problems.push({ code, file: from.file, pointer, message });
    };
    for (const { pointer, ref, isData } of from.survey.references) {
      const target = readReference(ref, from.file.slice(folder.file.length + 1));
      if ('refused' in target) {
        report(target.refused, pointer, target.message);
        continue;
      }
      if (isData || files.has(target.file)) continue;
      const read = await readInside(folder, target.file);
      if ('text' in read) queue.push(addFile(target.file, read.text));
      else {
        const code = read.refused === 'outside' ? 'reference-outside' : 'reference-unresolved';
        report(code, pointer, `$ref ${JSON.stringify(ref)}: ${read.message}`);
      }
    }
  }
  return { files, problems };

  function addFile(relative: string, text: string): ServiceFile {
    const source = parseSource(`${folder.file}/${relative}`, text);
    const survey = source.faults.length === 0 ? surveyDocument(source.value) : NOTHING;
    const file = { ...source, survey };
    files.set(relative, file);
    for (const { line, message } of source.faults) {
      problems.push({ code: 'syntax', file: file.file, pointer: '', line, message });
    }
    for (const { pointer, message } of survey.faults) {
      problems.push({ code: 'document-value', file: file.file, pointer, message });
    }
    for (const { pointer, holder } of survey.ids) {
      delete holder.$id;
      problems.push({ code: 'schema-id-ignored', file: file.file, pointer, message: 'This schema has an `$id`.' });
    }
    return file;
  }
}
