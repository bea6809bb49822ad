/** All tools by name, and each user's tool list, cached as the bytes to send. */

import { LRUCache } from 'lru-cache';
import { asCompact } from '../../../../shared/search/compact.ts';
import { asLean } from '../../../../shared/search/lean.ts';
import { isFinderToolName } from '../../../../shared/search/tool-names.ts';
import {
  type Access,
  type CatalogueMode,
  FULL_PERMISSION,
  mayRead,
  mayWrite,
  type Permission,
} from '../../../base/principal/permission.ts';
import type { Connector, Icon, ToolAlias, ToolFace } from '../../../contract/index.ts';
import { createNearNames } from '../nearest.ts';
import type { ToolList } from '../provider.ts';
import { buildFacts, type CatalogueFacts, isAgreed, type ToolFacts } from './facts.ts';
import { FINDER_TOOLS, finderToolOf } from './finder-tools.ts';
import { DEFAULT_PAGE_TOOLS, type ListedTool, type ListPages, readCursor, toPageAfter, toPages } from './list-pages.ts';
import { type AnyTool, allToolsOf, asPermitted, isPermitted, pinsOf, withAccounts } from './permitted.ts';
import { metaOf, readTool, reasonToRefuse, toPublished } from './published.ts';

/** One tool and its service. */
export interface CatalogueEntry {
  readonly connector: Connector;
  readonly tool: AnyTool;
  /** The old name by which the tool was found. */
  readonly alias?: ToolAlias;
  /** True if an argument is a file. */
  readonly takesFiles: boolean;
}

/** A tool that is not served because it would break the other tools. */
interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

/** All tools of all connectors. */
export interface Catalogue {
  /** By name, sorted by code unit. */
  readonly connectors: readonly Connector[];
  readonly refused: readonly RefusedTool[];
  /** The list mode, unless a connection code sets another. */
  readonly mode: CatalogueMode;
  /** Bytes of the list of all tools in that mode, without icons. */
  readonly listBytes: number;
  /** The facts of every served tool that users allow. */
  readonly facts: CatalogueFacts;
  /** Finds a tool by name, or by an old name that is never listed. */
  find(name: string): CatalogueEntry | undefined;
  findConnector(service: string): Connector | undefined;
  /** The served tools of a connector, sorted by name. */
  toolsOf(connector: Connector): readonly AnyTool[];
  /** Names of the callable tools, sorted by code unit. */
  names(access: Access): readonly string[];
  /** True if the list of that access has the tool's output schema, so that clients validate its answers (MCP, Output Schema). */
  showsSchema(name: string, access: Access): boolean;
  /** The callable names most similar to an unknown name, best first. */
  nearest(name: string, access: Access, limit: number): readonly string[];
  /** All served tools, sorted by name. */
  entries(): Iterable<CatalogueEntry>;
  /** Returns the complete tool as that access sees it: without pinned arguments, and marked if it needs more rights. Null if the tool is hidden. */
  findVisible(name: string, access: Access): ToolFace | null;
  /**
   * The callable tools, sorted by name; for an OAuth client, also those that need its user's consent first.
   *
   * @param cursor of the previous page. Default: null, the first page.
   * @throws {InvalidCursorError} for a cursor that no gateway issues.
   */
  list(access: Access, cursor?: string | null): ToolList;
}

/** A tool of a module, next to those of services, as it is listed. */
export interface ListedCodeTool
  extends Pick<ToolFace, 'name' | 'title' | 'description' | 'annotations' | 'inputSchema'> {
  /** Returns true if the list of that access has it, in every mode; a call is accepted in any case. Default: only the mode `code` has it. */
  readonly isListed?: (access: Access, catalogue: Catalogue) => boolean;
}

interface CatalogueOptions {
  readonly maxKeptLists?: number;
  readonly maxKeptBytes?: number;
  readonly mode?: CatalogueMode;
  readonly pageTools?: number;
  /** Those of open modules. */
  readonly codeTools?: readonly ListedCodeTool[];
  /** The icon of a service's tools. Default: none has one. */
  readonly iconOf?: ((connector: Connector) => Icon | undefined) | undefined;
}

/** Prefix of a description. */
const NEEDS_WRITE = 'Needs write access: calling it asks the user. ';
/** A token without any gateway scope lists nothing, not even tools that its client could ask for. */
const NO_TOOLS: readonly ListedTool[] = [];
const MAX_KEPT_LISTS = 500;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Creates the catalogue.
 *
 * Lists are cached per set of services, permission and names of accounts (which a list has only where a user has several of a service): the `maxKeptLists` most recently used (default 500), up to
 * `maxKeptBytes` in total (default 64 MiB). The default of `mode` is `full`, that of `pageTools` (tools per page)
 * `DEFAULT_PAGE_TOOLS`.
 */
export function createCatalogue(connectors: readonly Connector[], options: CatalogueOptions = {}): Catalogue {
  const sorted = [...connectors].sort((a, b) => compare(a.name, b.name));
  const byService = new Map(sorted.map((connector) => [connector.name, connector]));
  const { entries, aliases, refused } = collectTools(sorted);

  const select = ({ services, permission }: Access) =>
    [...entries.values()].filter((entry) => services.includes(entry.connector.name) && isPermitted(entry, permission));
  const facts = buildFacts(entries.values());
  const isCallable = (entry: CatalogueEntry, access: Access) => mayCall(entry, access, facts.byTool);
  const toVisible = (entry: CatalogueEntry, access: Access, shape: Shape) =>
    toVisibleTool(entry, access, { shape, facts: facts.byTool });
  const { mode = 'full', pageTools = DEFAULT_PAGE_TOOLS, codeTools = [] } = options;
  const findNear = createNearNames([...entries.keys()]);
  const codeList = listCodeTools(codeTools);
  const listTools = (access: Access, shape: CatalogueMode): readonly ListedTool[] => {
    if (!mayRead(access.scopes)) return NO_TOOLS;
    const ofModules = codeTools.filter((tool) => !entries.has(tool.name) && tool.isListed?.(access, catalogue));
    return withOthers(listShaped(access, shape), ofModules.map(toListed));
  };
  const listShaped = (access: Access, shape: CatalogueMode): readonly ListedTool[] => {
    if (shape === 'code') return codeList;
    if (shape === 'search') return FINDERS;
    const tools = select(access).flatMap((entry) => {
      const tool = toVisible(entry, access, SHAPES[shape]);
      if (tool === null) return [];
      const isKept = shape !== 'compact' && tool === SHAPES[shape](entry.tool);
      const json = isKept ? jsonOf(shape, tool, entry, access) : toJson(shape, withNames(tool, entry, access));
      return [[tool.name, withIcon(json, options.iconOf?.(entry.connector))] as const];
    });
    const needsDescriber =
      shape === 'compact' || (shape === 'lean' && tools.some(([name]) => entries.get(name)?.tool.rare));
    return needsDescriber ? withOthers(tools, [DESCRIBER]) : tools;
  };
  const cachedPages = createPageCache(options);

  const catalogue: Catalogue = {
    connectors: sorted,
    refused,
    mode,
    listBytes: bytesOf(mode, [...entries.values()]),
    facts,
    find: (name) => entries.get(name) ?? aliases.get(name),
    findConnector: (service) => byService.get(service),
    toolsOf: (connector) => allToolsOf(connector).filter((tool) => entries.get(tool.name)?.tool === tool),
    names: (access) => select(access).flatMap((entry) => (isCallable(entry, access) ? entry.tool.name : [])),
    entries: () => entries.values(),
    showsSchema(name, { permission }) {
      const tool = (entries.get(name) ?? aliases.get(name))?.tool;
      return tool !== undefined && (permission.catalogue ?? mode) === 'full';
    },
    findVisible(name, access) {
      const entry = entries.get(name) ?? aliases.get(name);
      if (entry === undefined || !access.services.includes(entry.connector.name)) return null;
      const tool = isPermitted(entry, access.permission) ? toVisible(entry, access, asFull) : null;
      return tool === null ? null : withNames(tool, entry, access);
    },
    nearest: (name, access, limit) => {
      const isReachable = (candidate: string): boolean => {
        const entry = entries.get(candidate);
        if (entry === undefined || !access.services.includes(entry.connector.name)) return false;
        return isPermitted(entry, access.permission) && isCallable(entry, access);
      };
      return findNear(name, isReachable, limit);
    },
    list(access, cursor = null) {
      const after = cursor === null ? null : readCursor(cursor);
      const shape = access.permission.catalogue ?? mode;
      // The key has only existing services, so that callers cannot fill the memory with invented names.
      const services = sorted.map((connector) => connector.name).filter((name) => access.services.includes(name));
      const accounts = access.accounts ? JSON.stringify([...access.accounts]) : '';
      const key = `${scopeKeyOf(access)}:${services.join(',')}:${keyOf(access.permission)}${accounts}`;
      let pages = cachedPages.get(key);
      if (pages === undefined) {
        pages = toPages(listTools(access, shape), pageTools);
        cachedPages.set(key, pages);
      }
      return pages.byStart.get(after) ?? toPageAfter(listTools(access, shape), after ?? '', pageTools);
    },
  };
  return catalogue;
}

/** Returns a letter for the tools that a list shows under the scopes. */
function scopeKeyOf({ scopes, clientId }: Access): string {
  if (mayWrite(scopes)) return 'w';
  if (!mayRead(scopes)) return 'n';
  return clientId === null ? 'r' : 'a';
}

type Shape = (tool: ToolFace) => ToolFace;

/** Returns the tool as that access sees it in a list of this shape. Null if it does not see it. */
function toVisibleTool(
  entry: CatalogueEntry,
  access: Access,
  { shape, facts }: { readonly shape: Shape; readonly facts: ToolFacts },
): ToolFace | null {
  if (!mayRead(access.scopes)) return null;
  const callable = mayCall(entry, access, facts);
  if (!callable && access.clientId === null) return null;
  const permitted = shape(asPermitted(entry.tool, pinsOf(access.permission, entry.connector.name)));
  return callable ? permitted : asNeedingWrite(permitted);
}

function mayCall(entry: CatalogueEntry, { scopes, permission }: Access, facts: ToolFacts): boolean {
  if (entry.tool.annotations.readOnlyHint) return mayRead(scopes);
  return mayWrite(scopes) && isAgreed(entry, permission, facts);
}

/** A tool as it is kept, with the JSON of its entry in a list. */
type EntryWithJson = CatalogueEntry & { readonly json: string };

/** Collects what is served by name, and by old names that no tool has. @param connectors sorted by name. */
function collectTools(connectors: readonly Connector[]) {
  const refused: RefusedTool[] = [];
  const entries = new Map<string, EntryWithJson>();

  const candidates = connectors.flatMap((connector) =>
    allToolsOf(connector).map((tool) => ({ connector, tool, claim: claimOf(connector, tool) })),
  );
  for (const { connector, tool } of candidates.sort((a, b) => compare(a.tool.name, b.tool.name) || b.claim - a.claim)) {
    const read = readTool(tool);
    const reason = entries.has(tool.name) ? 'another tool has this name' : reasonToRefuse(tool, read.json);
    if (reason === null) entries.set(tool.name, { connector, tool, ...read });
    else refused.push({ name: tool.name, reason });
  }

  const aliases = new Map<string, CatalogueEntry>();
  for (const entry of entries.values()) {
    for (const alias of entry.tool.aliases ?? []) {
      if (isFinderToolName(alias.name)) continue;
      if (!entries.has(alias.name) && !aliases.has(alias.name)) aliases.set(alias.name, { ...entry, alias });
    }
  }
  return { entries, aliases, refused };
}

/** Characters of the service's name with which the tool's begins: of two services with `acme_drive_list`, `acme-drive` comes before `acme`. */
function claimOf({ name }: Connector, tool: ToolFace): number {
  return tool.name.startsWith(`${name.replaceAll('-', '_')}_`) ? name.length : 0;
}

const asFull = (tool: ToolFace): ToolFace => tool;

/** Returns a function that shapes each tool once, and then returns the same object for the same tool. */
function once(shape: (tool: ToolFace) => ToolFace): (tool: ToolFace) => ToolFace {
  const shaped = new WeakMap<ToolFace, ToolFace>();
  return (tool) => getOrCreate(shaped, tool, () => shape(tool));
}

function getOrCreate<Key extends object, Value>(cache: WeakMap<Key, Value>, key: Key, create: () => Value): Value {
  const value = cache.get(key) ?? create();
  cache.set(key, value);
  return value;
}

const SHAPES = { full: asFull, lean: once(asLean), compact: asCompact } as const;

/** The JSON of a lean tool in a list; and, around the names of accounts, of any tool: made once, when the first list needs it. */
const leanJson = new WeakMap<ToolFace, string>();
const aroundNames = new WeakMap<ToolFace, readonly string[]>();
const NAMES_MARK = '\ue000';

/** Adds an argument that chooses an account, if the user has several accounts of the tool's service. */
function withNames(tool: ToolFace, { connector }: CatalogueEntry, { accounts }: Access): ToolFace {
  const names = accounts?.get(connector.name);
  return names === undefined ? tool : withAccounts(tool, connector, names);
}

/** A tool that no right or pin changes, in a list, with that argument. */
function jsonOf(
  shape: 'full' | 'lean',
  tool: ToolFace,
  { connector, json }: EntryWithJson,
  { accounts }: Access,
): string {
  const names = accounts?.get(connector.name);
  if (names === undefined) return shape === 'full' ? json : getOrCreate(leanJson, tool, () => toJson(shape, tool));
  const jsonAroundNames = getOrCreate(aroundNames, tool, () =>
    toJson(shape, withAccounts(tool, connector, [NAMES_MARK])).split(JSON.stringify([NAMES_MARK])),
  );
  return jsonAroundNames.join(JSON.stringify(names));
}

function toJson(mode: CatalogueMode, tool: ToolFace): string {
  const _meta = metaOf(tool) ?? undefined;
  const published = toPublished(tool);
  return JSON.stringify(mode === 'full' ? { ...published, _meta } : { ...published, outputSchema: undefined, _meta });
}

const DESCRIBER = ['describe_tools', JSON.stringify(finderToolOf('describe_tools'))] as const;
/** @param json of a listed tool. */
function withIcon(json: string, icon: Icon | undefined): string {
  return icon === undefined ? json : `${json.slice(0, -1)},"icons":${JSON.stringify([icon])}}`;
}

/** Lists the mode `code`. */
function listCodeTools(tools: readonly ListedCodeTool[]): readonly ListedTool[] {
  const ofMode = tools.filter(({ isListed }) => isListed === undefined);
  return ofMode.length === 0 ? FINDERS : ofMode.map(toListed);
}

/** Adds tools to a list that is sorted by name. */
function withOthers(tools: readonly ListedTool[], others: readonly ListedTool[]): readonly ListedTool[] {
  return others.length === 0 ? tools : [...tools, ...others].toSorted(([a], [b]) => compare(a, b));
}

function toListed({ name, title, description, annotations, inputSchema }: ListedCodeTool): ListedTool {
  return [name, JSON.stringify({ name, title, description, inputSchema, annotations })];
}

const FINDERS: readonly ListedTool[] = FINDER_TOOLS.map((tool) => [tool.name, JSON.stringify(tool)]);

function bytesOf(mode: CatalogueMode, entries: readonly { readonly tool: AnyTool; readonly json: string }[]): number {
  const texts =
    mode === 'search' || mode === 'code'
      ? FINDERS.map(([, json]) => json)
      : entries.map(({ tool, json }) => (mode === 'full' ? json : toJson(mode, SHAPES[mode](tool))));
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text, 'utf8'), 0);
}

const keys = new WeakMap<Permission, string>([[FULL_PERMISSION, '']]);

/** The part of a permission that decides which tools are listed. */
function keyOf(permission: Permission): string {
  const cachedKey = keys.get(permission);
  if (cachedKey !== undefined) return cachedKey;
  const { destructive, without, only, pins, catalogue, agreed, accepted, allows } = permission;
  const consent = agreed === null ? [] : [agreed, accepted];
  const key = JSON.stringify([destructive, without, only, pins, catalogue, allows, ...consent]);
  keys.set(permission, key);
  return key;
}

/** Lists in use: at most so many, and so many bytes. One that is larger is cached alone. */
function createPageCache({ maxKeptLists = MAX_KEPT_LISTS, maxKeptBytes = MAX_KEPT_BYTES }: CatalogueOptions) {
  return new LRUCache<string, ListPages>({
    max: maxKeptLists,
    maxSize: maxKeptBytes,
    sizeCalculation: ({ bytes }) => Math.min(bytes, maxKeptBytes),
  });
}

/** Marks a tool that needs more rights. The mark is in the description, because models read that. */
function asNeedingWrite(tool: ToolFace): ToolFace {
  return { ...tool, description: `${NEEDS_WRITE}${tool.description}` };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
