/** From the name of a service to its bundled, valid descriptor. */

import type { Problem } from '../diagnostics.ts';
import { member } from '../json-pointer.ts';
import { bundleFiles } from './bundle.ts';
import { checkReferences } from './check-references.ts';
import { checkVersion } from './check-version.ts';
import { loadFiles } from './files.ts';
import type { ServiceFolder } from './service-folder.ts';
import type { SharedComponent } from './share.ts';
import { validate } from './swagger-parser.ts';
import type { Source } from './text/source.ts';
import { toProblems } from './validation-problems.ts';

const FIX_32 = 'Of OpenAPI 3.2, what 3.1 has as well is read. Correct this, or take what is new out of the descriptor.';

const DESCRIPTOR_NAMES = ['openapi.yaml', 'openapi.yml', 'openapi.json'];

interface LoadedDescriptor {
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

  const bundled = await bundleFiles(name, files);
  if ('failure' in bundled) {
    return refused([{ code: 'reference-unresolved', file, pointer: '', message: bundled.failure }]);
  }
  const invalid = toProblems(await validate(bundled.document), bundled.document, file).map((problem) =>
    String(member(root.value, 'openapi')).startsWith('3.2.') ? { ...problem, fix: FIX_32 } : problem,
  );
  if (invalid.length > 0) return refused(invalid.map((problem) => toOrigin(problem, bundled.shared, folder)));
  const located = { ...root, locate: (pointer: string) => root.locate(toReference(pointer, bundled.shared)) };
  return { file, document: bundled.document, problems, sources: [located, ...sources.filter((it) => it !== root)] };
}

function isFatal(problem: Problem): boolean {
  return problem.code !== 'schema-id-ignored';
}

/** A problem of content that another file contributed, moved to where a developer wrote it. */
function toOrigin(problem: Problem, shared: readonly SharedComponent[], folder: ServiceFolder): Problem {
  const component = findShared(problem.pointer, shared);
  if (component === undefined) return problem;
  const { file, pointer } = component.origin;
  return {
    ...problem,
    file: `${folder.file}/${file}`,
    pointer: pointer + problem.pointer.slice(component.pointer.length),
  };
}

/** The place in the descriptor's own text that brought a component in. */
function toReference(pointer: string, shared: readonly SharedComponent[]): string {
  return findShared(pointer, shared)?.reference ?? pointer;
}

function findShared(pointer: string, shared: readonly SharedComponent[]): SharedComponent | undefined {
  return shared.find((component) => `${pointer}/`.startsWith(`${component.pointer}/`));
}
