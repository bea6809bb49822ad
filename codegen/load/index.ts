/** The trust boundary of codegen: a folder of `specs/` in, one bundled descriptor and its decisions out. */

import { hash } from 'node:crypto';
import type { Locate, Problem } from '../diagnostics.ts';
import { byCodeUnit } from '../json.ts';
import { loadConfig } from './config.ts';
import { type ConnectorConfig, connectorConfigSchema } from './connector-config.ts';
import { loadDescriptor } from './descriptor.ts';
import type { HandWrittenFile } from './hand-written/index.ts';
import { type Logo, loadLogo } from './image/logo.ts';
import { openServiceFolder, type ServiceFolder } from './service-folder.ts';
import type { Source } from './text/source.ts';

export { listServices } from './service-folder.ts';

export interface LoadResult {
  readonly service: string;
  /** Path of the descriptor relative to the project's root. */
  readonly descriptorFile: string;
  /** SHA-256 of the descriptor, in hexadecimal digits; where it has several files, of the list of theirs. */
  readonly descriptorDigest: string;
  /** Path of `connector.yaml` relative to the project's root; null where there is none. */
  readonly configFile: string | null;
  /** The descriptor with local references only, without what cannot be read; null where it has errors. */
  readonly document: unknown;
  /** Why operations can have no tool, by their pointers in `document`, which has nothing but their names and texts. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  /** The defaults where there is no `connector.yaml`, or where it has errors. */
  readonly config: ConnectorConfig;
  /** Files of `tools/`, sorted by name. */
  readonly handWritten: readonly HandWrittenFile[];
  readonly logo: Logo | null;
  readonly problems: readonly Problem[];
  /**
   * Where a place in any file that was read stands; its nearest parent where the pointer leads into content
   * that another file contributed. Null for files that were not read or do not parse.
   */
  readonly locate: Locate;
}

/** Lower-case words joined by single hyphens: each becomes part of tool names, identifiers and environment names. */
const SERVICE_NAME = /^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Reads one service. Every fault of the files is a problem of the result; nothing is thrown for them. */
export async function loadService({ root, service }: { root: string; service: string }): Promise<LoadResult> {
  const folder = SERVICE_NAME.test(service) ? await openServiceFolder(root, service) : null;
  if (folder === null) return refuse(service);
  const [descriptor, config, handWritten] = await Promise.all([
    loadDescriptor(folder),
    loadConfig(folder),
    loadTools(folder),
  ]);
  const { logo, problems: logoProblems } = await loadLogo(folder, config.file, config.config);
  const sources = new Map<string, Pick<HandWrittenFile, 'locate'>>();
  for (const source of [...descriptor.sources, ...config.sources, ...handWritten.tools])
    sources.set(source.file, source);
  return {
    service,
    descriptorFile: descriptor.file,
    descriptorDigest: digestOf(descriptor.sources),
    configFile: config.file,
    document: descriptor.document,
    refused: descriptor.refused,
    config: config.config,
    handWritten: handWritten.tools,
    logo,
    problems: [...descriptor.problems, ...config.problems, ...handWritten.problems, ...logoProblems],
    locate: (file, pointer) => sources.get(file)?.locate(pointer) ?? null,
  };
}

/** Imported on first use, because a parser of TypeScript takes a quarter of a second to load. */
async function loadTools(folder: ServiceFolder) {
  if (!folder.entries.includes('tools')) return { tools: [], problems: [] };
  const { loadHandWritten } = await import('./hand-written/index.ts');
  return loadHandWritten(folder);
}

/** Of one file what `sha256sum` prints; of several, the SHA-256 of what it prints of them in the order of their paths. */
function digestOf(sources: readonly Pick<Source, 'file' | 'digest'>[]): string {
  const sorted = sources.toSorted((a, b) => byCodeUnit(a.file, b.file));
  const lines = sorted.map(({ file, digest }) => `${digest}  ${file}\n`);
  return sources.length === 1 ? (sources[0]?.digest ?? '') : hash('sha256', lines.join(''));
}

function refuse(service: string): LoadResult {
  const file = `specs/${service}`;
  const problem: Problem = SERVICE_NAME.test(service)
    ? { code: 'service-missing', file, pointer: '', message: `There is no folder specs/${service}/.` }
    : { code: 'service-name', file, pointer: '', message: `${JSON.stringify(service)} cannot name a service.` };
  return {
    service,
    descriptorFile: `${file}/openapi.yaml`,
    descriptorDigest: '',
    configFile: null,
    document: null,
    refused: new Map(),
    config: connectorConfigSchema.parse({}),
    handWritten: [],
    logo: null,
    problems: [problem],
    locate: () => null,
  };
}
