/** Loads the bundled, valid descriptor of a service by name. */

import { MCP_LOCK_FILE } from '../../shared/mcp/lock.ts';
import type { Problem } from '../diagnostics.ts';
import { isRecord } from '../json.ts';
import { member } from '../json-pointer.ts';
import { bundleFiles } from './bundle.ts';
import { replaceBrokenReferences } from './check-references.ts';
import { loadFiles } from './files.ts';
import type { McpOperation } from './mcp/index.ts';
import { repairDescriptor } from './openapi/index.ts';
import { expandForms } from './openapi/querystring.ts';
import { loadOverlay } from './overlay/index.ts';
import type { ServiceFolder } from './service-folder.ts';
import type { SharedComponent } from './share-components.ts';
import type { Source } from './text/source.ts';

const DESCRIPTOR_NAMES = ['openapi.yaml', 'openapi.yml', 'openapi.json', MCP_LOCK_FILE];

interface LoadedDescriptor {
  /** Path relative to the project's root. */
  readonly file: string;
  /** Null if problems leave no document to build from. */
  readonly document: unknown;
  /** Why operations cannot become tools, by their pointers. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  /** Tools of an MCP server, by the pointer of the operation that stands for each. Empty for an OpenAPI document. */
  readonly mcp: ReadonlyMap<string, McpOperation>;
  readonly problems: readonly Problem[];
  readonly sources: readonly Source[];
}

/** Stages in order: find, overlay, read, version, references, bundle, repair. */
export async function loadDescriptor(folder: ServiceFolder): Promise<LoadedDescriptor> {
  const descriptors = DESCRIPTOR_NAMES.filter((name) => folder.entries.includes(name));
  const name = descriptors[0] ?? 'openapi.yaml';
  const file = `${folder.file}/${name}`;
  if (descriptors.length !== 1) {
    const problem: Problem =
      descriptors.length === 0
        ? { code: 'descriptor-missing', file, pointer: '', message: `${folder.file}/ has no descriptor.` }
        : {
            code: 'descriptor-ambiguous',
            file,
            pointer: '',
            message: `${folder.file}/ has ${descriptors.join(' and ')}.`,
          };
    return { file, document: null, refused: new Map(), mcp: new Map(), problems: [problem], sources: [] };
  }

  const overlay = await loadOverlay(folder);
  const { files, refused: refusedFiles, problems } = await loadFiles(folder, name, overlay);
  const sources: Source[] = [...files.values()];
  if (overlay?.source) sources.push(overlay.source);
  const refuse = (more: readonly Problem[]): LoadedDescriptor => {
    return { file, document: null, refused: new Map(), mcp: new Map(), problems: [...problems, ...more], sources };
  };
  const root = files.get(name);
  if (overlay !== null && 'problems' in overlay) return refuse([]);
  if (root === undefined || root.faults.length > 0 || root.survey.faults.length > 0) return refuse([]);
  const version = checkVersion(root.value, file);
  if (version.length > 0) return refuse(version);

  const bundled = await bundleFiles(name, replaceBrokenReferences(files, refusedFiles));
  const unusable = (message: string) => refuse([{ code: 'descriptor-unusable', file, pointer: '', message }]);
  if ('failure' in bundled) return unusable(bundled.failure);
  const { document, shared } = bundled;
  if (!isRecord(document) || !isRecord(document.paths)) {
    return unusable('`paths` must be an object with the paths of the service, and is none.');
  }
  const sound = repairDescriptor(document);
  expandForms(document);
  const judged = sound.problems.map(({ origin, ...problem }) =>
    origin === undefined
      ? toOrigin({ ...problem, file }, shared, folder)
      : { ...problem, file: `${folder.file}/${origin.file}`, pointer: origin.pointer },
  );
  const located = { ...root, locate: (pointer: string) => root.locate(toReference(pointer, shared)) };
  return {
    file,
    document,
    refused: new Map([...sound.refused, ...(root.mcp?.refused ?? [])]),
    mcp: root.mcp?.operations ?? new Map(),
    problems: [...problems, ...judged],
    sources: [located, ...sources.filter((it) => it !== root)],
  };
}

/** Moves a problem in content from another file to the place where a developer wrote it. */
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

/** The place in the descriptor's own text that references a component. */
function toReference(pointer: string, shared: readonly SharedComponent[]): string {
  return findShared(pointer, shared)?.reference ?? pointer;
}

function findShared(pointer: string, shared: readonly SharedComponent[]): SharedComponent | undefined {
  return shared.find((component) => `${pointer}/`.startsWith(`${component.pointer}/`));
}

/** At most one problem: Swagger 2.0, a version that is not a string, or another version. */
function checkVersion(document: unknown, file: string): Problem[] {
  const problem = (pointer: string, message: string, fix?: string): Problem[] => [
    { code: 'openapi-version', file, pointer, message, fix },
  ];
  const swagger = member(document, 'swagger');
  const version = member(document, 'openapi');
  if (swagger !== undefined && version === undefined) {
    const service = file.split('/')[1];
    const fix = `Run \`npm run utg -- update ${service} ${file}\`: it converts the descriptor, and keeps this one next to it.`;
    return problem('/swagger', `This is Swagger ${swagger} (OpenAPI 2), which is not supported.`, fix);
  }
  if (version === undefined) return problem('', 'The document has no `openapi` version.');
  if (typeof version !== 'string')
    return problem('/openapi', `\`openapi\` is ${JSON.stringify(version)}, not a string.`);
  if (!/^3\.[012]\.\d+$/.test(version)) return problem('/openapi', `OpenAPI ${version} is not supported.`);
  return [];
}
