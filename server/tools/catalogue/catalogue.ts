/** All tools by name, and each user's list of them, kept as the bytes that are sent. */

import { asCompact } from '../../../search/compact.ts';
import type { Connector, JsonSchema, ToolAlias, ToolFace } from '../../contract/index.ts';
import { type Access, type CatalogueMode, type Permission, WHOLE_PERMISSION } from '../../principal/permission.ts';
import { mayRead, mayWrite } from '../../principal/scopes.ts';
import { metaOf } from '../provenance/meta.ts';
import type { ToolList } from '../provider.ts';
import { buildFacts, type CatalogueFacts } from './facts.ts';
import { FINDER_TOOLS, finderToolOf, isFinderToolName } from './finder-tools.ts';
import { type AnyTool, allToolsOf } from './hand-written.ts';
import { findBadPattern } from './patterns.ts';
import { asPermitted, isPermitted, pinsOf } from './permitted.ts';

/** One tool and the service that it belongs to. */
export interface CatalogueEntry {
  readonly connector: Connector;
  readonly tool: AnyTool;
  /** The old name by which the tool was found. */
  readonly alias?: ToolAlias;
  /** Whether an argument is a file. */
  readonly takesFiles: boolean;
}

/** A tool that is not served, because of what it would do to the others. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

/** All tools of all connectors. */
export interface Catalogue {
  /** By name, sorted by code unit. */
  readonly connectors: readonly Connector[];
  readonly refused: readonly RefusedTool[];
  /** How lists show their tools where a connection code does not say. */
  readonly mode: CatalogueMode;
  /** Bytes of the list of every tool, as that mode shows it. */
  readonly listBytes: number;
  /** What users allow with each tool that is served. */
  readonly facts: CatalogueFacts;
  /** By name, or by an old name that is never listed. */
  find(name: string): CatalogueEntry | undefined;
  findConnector(service: string): Connector | undefined;
  /** Those of the connector's tools that are served, sorted by name. */
  toolsOf(connector: Connector): readonly AnyTool[];
  /** Names of the tools that may be called, sorted by code unit. */
  names(access: Access): readonly string[];
  /** Every tool that is served, sorted by name. */
  entries(): Iterable<CatalogueEntry>;
  /** The tool as lists of that access show it whole: with its pins, and with what the client must ask its user for; null: not at all. */
  shown(name: string, access: Access): ToolFace | null;
  /** The tools that may be called, sorted by name; for an OAuth client, also those that it must ask its user for. */
  list(access: Access): ToolList;
}

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** In front of a description. */
export const NEEDS_MORE = 'Needs write access: calling it asks the user. ';
/** A token without a scope of the gateway lists nothing, not even what its client could ask for. */
const NO_TOOLS: ToolList = { json: Buffer.from('[]', 'utf8') };
const MAX_KEPT_LISTS = 500;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Creates the catalogue.
 *
 * Lists are kept per set of services and permission: the most recently used `maxKeptLists` of them (default 500), and no more than have
 * `maxKeptBytes` together (default 64 MiB). `mode` is `full` by default.
 */
export function createCatalogue(
  connectors: readonly Connector[],
  options: { maxKeptLists?: number; maxKeptBytes?: number; mode?: CatalogueMode } = {},
): Catalogue {
  const sorted = [...connectors].sort((a, b) => compare(a.name, b.name));
  const byService = new Map(sorted.map((connector) => [connector.name, connector]));
  const refused: RefusedTool[] = [];
  const entries = new Map<string, CatalogueEntry & { readonly json: string }>();

  const candidates = sorted.flatMap((connector) => allToolsOf(connector).map((tool) => ({ connector, tool })));
  for (const { connector, tool } of candidates.sort((a, b) => compare(a.tool.name, b.tool.name))) {
    const reason = entries.has(tool.name) ? 'another tool has this name' : reasonToRefuse(tool);
    const takesFiles = JSON.stringify(tool.inputSchema).includes('"contentEncoding":"base64"');
    if (reason === null) entries.set(tool.name, { connector, tool, takesFiles, json: toJson('full', tool) });
    else refused.push({ name: tool.name, reason });
  }

  const aliases = new Map<string, CatalogueEntry>();
  for (const entry of entries.values()) {
    for (const alias of entry.tool.aliases ?? []) {
      if (isFinderToolName(alias.name)) continue;
      if (!entries.has(alias.name) && !aliases.has(alias.name)) aliases.set(alias.name, { ...entry, alias });
    }
  }

  const select = ({ services, permission }: Access) =>
    [...entries.values()].filter((entry) => services.includes(entry.connector.name) && isPermitted(entry, permission));
  const isCallable = ({ tool }: CatalogueEntry, { scopes }: Access) =>
    tool.annotations.readOnlyHint ? mayRead(scopes) : mayWrite(scopes);
  const shown = (entry: CatalogueEntry, access: Access, shape: (tool: ToolFace) => ToolFace): ToolFace | null => {
    if (!mayRead(access.scopes)) return null;
    const callable = isCallable(entry, access);
    if (!callable && access.clientId === null) return null;
    const permitted = shape(asPermitted(entry.tool, pinsOf(access.permission, entry.connector.name)));
    return callable ? permitted : asNeedingMore(permitted);
  };
  const mode = options.mode ?? 'full';
  const keep = createListKeeper(options.maxKeptLists ?? MAX_KEPT_LISTS, options.maxKeptBytes ?? MAX_KEPT_BYTES);

  return {
    connectors: sorted,
    refused,
    mode,
    listBytes: bytesOf(mode, [...entries.values()]),
    facts: buildFacts(entries.values()),
    find: (name) => entries.get(name) ?? aliases.get(name),
    findConnector: (service) => byService.get(service),
    toolsOf: (connector) => allToolsOf(connector).filter((tool) => entries.get(tool.name)?.tool === tool),
    names: (access) =>
      select(access)
        .filter((entry) => isCallable(entry, access))
        .map((entry) => entry.tool.name),
    entries: () => entries.values(),
    shown(name, access) {
      const entry = entries.get(name) ?? aliases.get(name);
      const isThere = entry !== undefined && access.services.includes(entry.connector.name);
      return isThere && isPermitted(entry, access.permission) ? shown(entry, access, asWhole) : null;
    },
    list(access) {
      const shape = access.permission.catalogue ?? mode;
      // Only services that exist make the key, so that a caller's words cannot fill the memory.
      const known = sorted.map((connector) => connector.name).filter((name) => access.services.includes(name));
      if (!mayRead(access.scopes)) return NO_TOOLS;
      if (shape === 'search') return FINDERS;
      const reach = mayWrite(access.scopes) ? 'w' : access.clientId !== null ? 'a' : 'r';
      const key = `${reach}:${known.join(',')}:${keyOf(access.permission)}`;
      return keep(key, () => {
        const tools = select(access).flatMap((entry) => {
          const tool = shown(entry, access, shape === 'compact' ? asCompact : asWhole);
          return tool === null ? [] : [[tool.name, tool === entry.tool ? entry.json : toJson(shape, tool)] as const];
        });
        return toList(shape === 'compact' ? [...tools, DESCRIBER] : tools);
      });
    },
  };
}

const asWhole = (tool: ToolFace): ToolFace => tool;

/** A compact list leaves out what answers look like. */
function toJson(mode: CatalogueMode, tool: ToolFace): string {
  const _meta = metaOf(tool) ?? undefined;
  return JSON.stringify({ ...toPublished(tool), ...(mode === 'compact' ? { outputSchema: undefined } : {}), _meta });
}

function toList(tools: readonly (readonly [name: string, json: string])[]): ToolList {
  const sorted = tools.toSorted(([a], [b]) => compare(a, b)).map(([, json]) => json);
  return { json: Buffer.from(`[${sorted.join(',')}]`, 'utf8') };
}

const DESCRIBER = ['describe_tools', JSON.stringify(finderToolOf('describe_tools'))] as const;
const FINDERS = toList(FINDER_TOOLS.map((tool) => [tool.name, JSON.stringify(tool)]));

function bytesOf(mode: CatalogueMode, entries: readonly { readonly tool: AnyTool; readonly json: string }[]): number {
  if (mode === 'search') return FINDERS.json.byteLength;
  const texts = entries.map(({ tool, json }) => (mode === 'full' ? json : toJson(mode, asCompact(tool))));
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text, 'utf8'), 0);
}

const keys = new WeakMap<Permission, string>([[WHOLE_PERMISSION, '']]);

/** What of a permission decides which tools are listed. */
function keyOf(permission: Permission): string {
  const found = keys.get(permission);
  if (found !== undefined) return found;
  const { destructive, without, only, pins, catalogue } = permission;
  const key = JSON.stringify([destructive, without, only, pins, catalogue]);
  keys.set(permission, key);
  return key;
}

/** Gets a list by its key, or builds it; forgets those that were not asked for the longest time. */
function createListKeeper(maxLists: number, maxBytes: number): (key: string, build: () => ToolList) => ToolList {
  const kept = new Map<string, ToolList>();
  let bytes = 0;
  return (key, build) => {
    const found = kept.get(key);
    const list = found ?? build();
    if (found === undefined) bytes += list.json.byteLength;
    kept.delete(key);
    kept.set(key, list);
    for (const [oldest, { json }] of kept) {
      if (kept.size === 1 || (kept.size <= maxLists && bytes <= maxBytes)) break;
      kept.delete(oldest);
      bytes -= json.byteLength;
    }
    return list;
  };
}

/** What `tools/list` says of a tool: everything that a model or a host reads, nothing of the call behind it. */
export function toPublished(tool: ToolFace): object {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: withoutHeaderParameters(tool.inputSchema),
    outputSchema: withoutHeaderParameters(tool.outputSchema),
    annotations: tool.annotations,
  };
}

/** A tool that the client must ask its user for. In the description, because that is what models read. */
function asNeedingMore(tool: ToolFace): ToolFace {
  return { ...tool, description: `${NEEDS_MORE}${tool.description}` };
}

/** Clients refuse a whole list for one such tool (and then have none), or one argument of it could stop the gateway. */
function reasonToRefuse(tool: ToolFace): string | null {
  if (isFinderToolName(tool.name)) return 'the gateway has a tool of this name';
  if (!TOOL_NAME.test(tool.name)) return 'its name is not 1 to 64 letters, digits, underscores or hyphens';
  if (typeof tool.title !== 'string' || typeof tool.description !== 'string') return 'it has no title or description';
  if (tool.inputSchema.type !== 'object') return 'the root of its input schema is not an object';
  if (tool.outputSchema.type !== 'object') return 'the root of its output schema is not an object';
  return findBadPattern(tool.inputSchema) ?? findBadPattern(tool.outputSchema);
}

/**
 * Takes `x-mcp-header` out of a schema.
 *
 * An upstream's descriptor has no say in the headers of our clients' requests, and a browser's client cannot call a tool
 * that has it (MCP 2026-07-28, Streamable HTTP).
 */
function withoutHeaderParameters<S extends JsonSchema>(schema: S): S {
  if (!JSON.stringify(schema).includes('"x-mcp-header"')) return schema;
  return stripKeyword(schema) as S;
}

function stripKeyword(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(stripKeyword);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(([keyword]) => keyword !== 'x-mcp-header');
  return Object.fromEntries(
    members.map(([keyword, value]) => [keyword, KEEPS_NAMES.has(keyword) ? stripMembers(value) : stripKeyword(value)]),
  );
}

/** Keywords whose value maps names to schemas: a property may well be called `x-mcp-header`. */
const KEEPS_NAMES = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

function stripMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, stripKeyword(schema)]));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
