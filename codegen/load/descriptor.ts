/** From the name of a service to its bundled, valid descriptor. */

import type { Problem } from '../diagnostics.ts';
import { checkReferences } from './check-references.ts';
import { checkVersion } from './check-version.ts';
import { loadFiles, type ServiceFiles } from './files.ts';
import type { ServiceFolder } from './service-folder.ts';
import type { Source } from './source.ts';
import { surveyDocument } from './survey.ts';
import { bundle, validate } from './swagger-parser.ts';
import { toProblems } from './validation-problems.ts';

const DESCRIPTOR_NAMES = ['openapi.yaml', 'openapi.yml', 'openapi.json'];

export interface LoadedDescriptor {
  /** Path relative to the project's root. */
  readonly file: string;
  /** Null where there are problems that leave no document to build from. */
  readonly document: unknown;
  readonly problems: readonly Problem[];
  readonly sources: readonly Source[];
}

/** Stages in order, each only where the one before found nothing: find, read, references, version, bundle, validate. */
export async function loadDescriptor(folder: ServiceFolder): Promise<LoadedDescriptor> {
  const found = DESCRIPTOR_NAMES.filter((name) => folder.entries.includes(name));
  const name = found[0] ?? 'openapi.yaml';
  const file = `${folder.file}/${name}`;
  if (found.length !== 1) {
    const problem: Problem =
      found.length === 0
        ? { code: 'descriptor-missing', file, pointer: '', message: `${folder.file}/ has no descriptor.` }
        : { code: 'descriptor-ambiguous', file, pointer: '', message: `${folder.file}/ has ${found.join(' and ')}.` };
    return { file, document: null, problems: [problem], sources: [] };
  }

  const { files, problems } = await loadFiles(folder, name);
  const sources = [...files.values()];
  const refused = (more: readonly Problem[]): LoadedDescriptor => {
    return { file, document: null, problems: [...problems, ...more], sources };
  };
  const root = files.get(name);
  if (root === undefined || root.faults.length > 0 || root.survey.faults.length > 0) return refused([]);

  const version = checkVersion(root.value, file);
  const references = checkReferences(files);
  if (version.length > 0 || references.length > 0 || problems.some(isFatal))
    return refused([...version, ...references]);

  const document = await bundleFiles(name, files, file);
  if ('problem' in document) return refused([document.problem]);
  const invalid = toProblems(await validate(document.value), file);
  return invalid.length > 0 ? refused(invalid) : { file, document: document.value, problems, sources };
}

function isFatal(problem: Problem): boolean {
  return problem.code !== 'schema-id-ignored';
}

/** A single file is its own bundle. */
async function bundleFiles(
  name: string,
  files: ServiceFiles,
  file: string,
): Promise<{ value: unknown } | { problem: Problem }> {
  if (files.size === 1) return { value: files.get(name)?.value };
  const failed = (message: string): { problem: Problem } => {
    return { problem: { code: 'reference-unresolved', file, pointer: '', message } };
  };
  try {
    const value = await bundle(name, files);
    const bundled = { file, value, faults: [], locate: () => null, survey: surveyDocument(value) };
    const left = bundled.survey.references.find(({ ref, isData }) => !isData && !ref.startsWith('#'));
    if (left !== undefined) return failed(`$ref ${JSON.stringify(left.ref)} could not be bundled.`);
    const [broken] = checkReferences(new Map([[name, bundled]]));
    return broken === undefined ? { value } : { problem: broken };
  } catch (error) {
    return failed(`The files could not be bundled: ${error instanceof Error ? error.message : String(error)}`);
  }
}
