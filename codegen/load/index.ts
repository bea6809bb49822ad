/** The trust boundary of codegen: reads a folder of `specs/` into one bundled descriptor and its configuration. */

import type { Locate, Problem } from '../diagnostics.ts';
import { loadConfig } from './config.ts';
import { type ConnectorConfig, connectorConfigSchema } from './connector-config.ts';
import { loadDescriptor } from './descriptor.ts';
import type { HandWrittenFile } from './hand-written/index.ts';
import { type Logo, loadLogo } from './image/logo.ts';
import type { McpOperation } from './mcp/index.ts';
import { openServiceFolder, type ServiceFolder } from './service-folder.ts';
import { type LoadedSkill, loadSkills } from './skills.ts';

export { listServices } from './service-folder.ts';

export interface LoadResult {
  readonly service: string;
  /** Path of the descriptor relative to the project's root. */
  readonly descriptorFile: string;
  /** Path of `connector.yaml` relative to the project's root; null if there is none. */
  readonly configFile: string | null;
  /** The descriptor with local references only, without unreadable parts; null if it has errors. */
  readonly document: unknown;
  /** By pointer in `document`, why an operation cannot become a tool. Of an operation of OpenAPI, the document then has its names and texts, and no request. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  /** Tools of an MCP server, by the pointer of the operation that stands for each. Empty for an OpenAPI document. */
  readonly mcp: ReadonlyMap<string, McpOperation>;
  /** The defaults if there is no `connector.yaml`, or if it has errors. */
  readonly config: ConnectorConfig;
  /** Files of `tools/`, sorted by name. */
  readonly handWritten: readonly HandWrittenFile[];
  readonly logo: Logo | null;
  /** Folders of `skills/`, sorted by name. */
  readonly skills: readonly LoadedSkill[];
  readonly problems: readonly Problem[];
  /**
   * The position of a place in any file that was read; its nearest parent if the pointer leads into content of another
   * file. Null for files that were not read or do not parse.
   */
  readonly locate: Locate;
}

/** Lower-case words joined by single hyphens: each becomes part of tool names, identifiers and environment names. */
const SERVICE_NAME = /^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Reads one service. Every fault in its files is a problem in the result; none is thrown. */
export async function loadService({ root, service }: { root: string; service: string }): Promise<LoadResult> {
  const folder = SERVICE_NAME.test(service) ? await openServiceFolder(root, service) : null;
  if (folder === null) return refuse(service);
  const [descriptor, config, handWritten, skills] = await Promise.all([
    loadDescriptor(folder),
    loadConfig(folder),
    loadTools(folder),
    loadSkills(folder),
  ]);
  const { logo, problems: logoProblems } = await loadLogo(folder, config.file, config.config.logo);
  const sources = new Map<string, Pick<HandWrittenFile, 'locate'>>();
  for (const source of [...descriptor.sources, ...config.sources, ...handWritten.tools])
    sources.set(source.file, source);
  return {
    service,
    descriptorFile: descriptor.file,
    configFile: config.file,
    document: descriptor.document,
    refused: descriptor.refused,
    mcp: descriptor.mcp,
    config: config.config,
    handWritten: handWritten.tools,
    logo,
    skills: skills.skills,
    problems: [
      ...descriptor.problems,
      ...config.problems,
      ...handWritten.problems,
      ...logoProblems,
      ...skills.problems,
    ],
    locate: (file, pointer) => sources.get(file)?.locate(pointer) ?? null,
  };
}

/** Imported on first use, because the TypeScript parser takes a quarter of a second to load. */
async function loadTools(folder: ServiceFolder) {
  if (!folder.entries.includes('tools')) return { tools: [], problems: [] };
  const { loadHandWritten } = await import('./hand-written/index.ts');
  return loadHandWritten(folder);
}

function refuse(service: string): LoadResult {
  const file = `specs/${service}`;
  const problem: Problem = SERVICE_NAME.test(service)
    ? { code: 'service-missing', file, pointer: '', message: `There is no folder specs/${service}/.` }
    : { code: 'service-name', file, pointer: '', message: `${JSON.stringify(service)} cannot name a service.` };
  return {
    service,
    descriptorFile: `${file}/openapi.yaml`,
    configFile: null,
    document: null,
    refused: new Map(),
    mcp: new Map(),
    config: connectorConfigSchema.parse({}),
    handWritten: [],
    logo: null,
    skills: [],
    problems: [problem],
    locate: () => null,
  };
}
