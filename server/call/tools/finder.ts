/** The gateway's own four tools, next to those of the connectors. They can be called in every mode, listed or not. */

import { firstSentence } from '../../../shared/search/compact.ts';
import type { ToolIndex } from '../../../shared/search/index.ts';
import type { FinderToolName } from '../../../shared/search/tool-names.ts';
import type { Access } from '../../base/principal/permission.ts';
import type { Principal } from '../../base/principal/principal.ts';
import type { Tool, ToolFace } from '../../contract/index.ts';
import { prepareArguments } from './call/arguments.ts';
import { checkLimit, refuseSuspended } from './call/authorize.ts';
import { refuse } from './call/call-outcome.ts';
import type { CallDependencies } from './call/dependencies.ts';
import type { Catalogue, CatalogueEntry } from './catalogue/catalogue.ts';
import { effectOf } from './catalogue/facts.ts';
import { DEFAULT_FOUND, FINDER_TOOLS_BY_NAME } from './catalogue/finder-tools.ts';
import { toPublished } from './catalogue/published.ts';
import { isObject } from './json.ts';
import type { CompleteToolResult, ContentBlock, ToolCallContext, ToolProvider, ToolResult } from './provider.ts';
import { errorCodeOf, escapeTags } from './results/errors.ts';
import { createValidators } from './validate.ts';

/** The remaining members of a tool, needed to check its arguments: nothing is sent for it. */
const NOTHING_SENT = {
  operation: { id: null, method: 'POST', path: '/', server: '' },
  request: {},
  outputSchema: { type: 'object' },
} as const satisfies Partial<Tool>;

type Arguments = Readonly<Record<string, unknown>>;

/** Calls one of the four tools. Returns null if the name is not among them. */
type CallFinder = (...call: Parameters<ToolProvider['call']>) => Promise<ToolResult> | null;

/**
 * Creates the four tools.
 *
 * `call_reading_tool` and `call_writing_tool` call a tool of the catalogue with `callTool` as if by its own name, so that its rights,
 * pins, limits, approval, records and input requests apply. Searching and describing call no service, and leave no record.
 */
export function createFinder(
  catalogue: Catalogue,
  tools: ToolProvider,
  { codeTools = [] }: Pick<CallDependencies, 'codeTools'> = {},
): CallFinder {
  const callTool = tools.call;
  const served = { catalogue, tools };
  const validators = createValidators();
  const search = createToolSearch(catalogue);

  const answer = async (
    name: FinderToolName,
    args: Arguments,
    principal: Principal,
    context: ToolCallContext,
  ): Promise<ToolResult> => {
    switch (name) {
      case 'search_tools':
        return search(principal, args);
      case 'describe_tools':
        return describeTools(catalogue, principal, args);
      default:
        return callInner(name, args, { callTool, catalogue, principal, context });
    }
  };

  const codeToolsByName = new Map(codeTools.map((tool) => [tool.name, tool]));
  return (principal, name, args, context) => {
    const isCode = (principal.permission.catalogue ?? catalogue.mode) === 'code';
    const named = codeToolsByName.get(name);
    const moduleTool = isCode || named?.isListed !== undefined ? named : undefined;
    const finderTool = FINDER_TOOLS_BY_NAME.get(name);
    const calledTool = moduleTool ?? finderTool;
    if (calledTool === undefined) return null;
    const refusal = checkLimit(context) ?? (principal.isSuspended ? refuseSuspended(principal) : null);
    if (refusal !== null) return Promise.resolve(refusal.result);
    const tool = { ...calledTool, ...NOTHING_SENT };
    const prepared = prepareArguments(tool, args, validators(tool.inputSchema));
    if (!prepared.ok) return Promise.resolve(refuse('invalid_arguments', { message: prepared.text }).result);
    if (moduleTool?.run !== undefined) return moduleTool.run(principal, prepared.args, context, served);
    return finderTool === undefined ? null : answer(finderTool.name, prepared.args, principal, context);
  };
}

/** The tool of the catalogue that a call of one of the four tools calls; undefined if it calls none. */
export function findInnerEntry(catalogue: Catalogue, name: string, args: Arguments): CatalogueEntry | undefined {
  const inner = innerCallOf(name, args);
  return inner === null ? undefined : catalogue.find(inner.name);
}

type SearchTools = (access: Access, args: Readonly<Record<string, unknown>>) => Promise<CompleteToolResult>;

/** Creates the search. A result contains only tools that its caller may call. */
function createToolSearch(catalogue: Catalogue): SearchTools {
  return async (access, { words, service, effect, limit }) => {
    const accepts = (name: string): boolean => {
      const entry = catalogue.find(name);
      if (entry === undefined || (service !== undefined && entry.connector.name !== service)) return false;
      const hasWantedEffect = effect === undefined || entry.tool.annotations.readOnlyHint === (effect === 'reads');
      return hasWantedEffect && catalogue.findVisible(name, access) !== null;
    };
    const maxResults = typeof limit === 'number' ? limit : DEFAULT_FOUND;
    const query = typeof words === 'string' ? words.trim() : '';
    const { names, fits } =
      query === ''
        ? { names: [...catalogue.entries()].map(({ tool }) => tool.name).filter(accepts), fits: true }
        : (await toolIndexOf(catalogue)).search(query, maxResults, accepts);
    const entries = names.slice(0, maxResults).flatMap((name) => catalogue.find(name) ?? []);
    const services =
      entries.length > 0 && fits && service === undefined
        ? {}
        : { services: access.services.filter((name) => catalogue.findConnector(name) !== undefined) };
    if (fits || entries.length === 0) return toJsonResult({ tools: entries.map(toSearchResult), ...services });
    return toJsonResult({
      tools: [],
      ...NOTHING_FITS,
      nearest: entries.slice(0, MAX_NEAREST).map(toSearchResult),
      ...services,
    });
  };
}

/**
 * The answer if no tool fits. It describes the nearest tools like found ones, so that no second search is needed if one of them fits
 * after all.
 */
const NOTHING_FITS = {
  note: 'No tool seems to do this. If one of the nearest does, use it; if not, tell the user, or search in other words.',
} as const;
const MAX_NEAREST = 5;

function toSearchResult({ connector, tool }: CatalogueEntry): object {
  return {
    name: tool.name,
    does: firstSentence(tool.description),
    service: connector.name,
    effect: effectOf(tool),
  };
}

const indexes = new WeakMap<Catalogue, Promise<ToolIndex>>();

/**
 * The shared index of all served tools. `accepts` excludes tools that a caller may not see.
 *
 * Built at the first search, not at the start: 64 tools take 60 ms, a thousand 200 ms.
 */
export function toolIndexOf(catalogue: Catalogue): Promise<ToolIndex> {
  const index = indexes.get(catalogue) ?? createIndex(catalogue);
  indexes.set(catalogue, index);
  return index;
}

async function createIndex(catalogue: Catalogue): Promise<ToolIndex> {
  const [{ createToolIndex }, { toSearchWords }] = await Promise.all([
    import('../../../shared/search/index.ts'),
    import('../../../shared/search/search-words.ts'),
  ]);
  const wordsByText = new Map<string, readonly string[]>();
  const entries = [...catalogue.entries()];
  return createToolIndex(
    new Map(entries.map(({ connector, tool }) => [tool.name, toSearchWords(tool, connector, wordsByText)])),
  );
}

const NEAREST = 3;

/** Describes tools as the list of that access shows them. Tools that it may not call count as unknown. */
function describeTools(
  catalogue: Catalogue,
  access: Access,
  { names, answers }: Readonly<Record<string, unknown>>,
): CompleteToolResult {
  const requestedNames = [...new Set((names as readonly string[]).map(String))];
  const requestedTools = requestedNames.map((name) => ({ name, tool: catalogue.findVisible(name, access) }));
  const unknown = requestedTools.filter(({ tool }) => tool === null);
  const tools = requestedTools.flatMap(({ tool }) => (tool === null ? [] : [toDescription(tool, answers === true)]));
  if (unknown.length === 0) return toJsonResult({ tools });
  const unknownTools = unknown.map(({ name }) => ({ name, nearest: catalogue.nearest(name, access, NEAREST) }));
  return toJsonResult({ tools, unknown: unknownTools });
}

/** The input schema of a tool, for a caller that did not know it. */
function schemaBlock(tool: ToolFace): ContentBlock {
  return { type: 'text', text: `What ${tool.name} takes: ${JSON.stringify(toDescription(tool, false))}` };
}

function toDescription(tool: ToolFace, withAnswers: boolean): object {
  const published = toPublished(tool);
  return withAnswers ? published : { ...published, outputSchema: undefined };
}

interface InnerCall {
  readonly name: string;
  readonly args: Arguments;
}

interface CallParts {
  /** Calls the inner tool. */
  readonly callTool: ToolProvider['call'];
  readonly catalogue: Catalogue;
  readonly principal: Principal;
  readonly context: ToolCallContext;
}

/** Returns the inner call of one of the two tools that call others. Null for another tool, and if no inner tool is named. */
function innerCallOf(name: string, { name: inner, arguments: args }: Arguments): InnerCall | null {
  if ((name !== 'call_reading_tool' && name !== 'call_writing_tool') || typeof inner !== 'string') return null;
  return { name: inner, args: isObject(args) ? args : {} };
}

/** Makes the call. The result of a wrong name or wrong arguments shows the right ones. */
async function callInner(name: FinderToolName, args: Arguments, parts: CallParts): Promise<ToolResult> {
  const { callTool, catalogue, principal, context } = parts;
  const inner = innerCallOf(name, args) ?? { name: '', args: {} };
  const entry = catalogue.find(inner.name);
  if (entry === undefined) return unknownTool(inner.name, parts);
  if (name === 'call_reading_tool' && !entry.tool.annotations.readOnlyHint) {
    const advice = 'Call it with call_writing_tool and the same name and arguments.';
    return refuse('invalid_arguments', { message: `${inner.name} writes, and call_reading_tool only reads.`, advice })
      .result;
  }
  const result = await callTool(principal, inner.name, inner.args, context);
  if (result.resultType === 'input_required' || errorCodeOf(result) !== 'invalid_arguments') return result;
  return withSchema(result, inner.name, parts);
}

function unknownTool(name: string, parts: CallParts): CompleteToolResult {
  const nearest = parts.catalogue.nearest(name, parts.principal, NEAREST);
  const [first] = nearest;
  const suggestion = first === undefined ? '' : ` Did you mean ${nearest.join(' or ')}?`;
  const { result } = refuse('invalid_arguments', {
    message: `There is no tool ${JSON.stringify(name.slice(0, 128))}.${suggestion}`,
    advice: 'search_tools finds the available tools.',
  });
  return first === undefined ? result : withSchema(result, first, parts);
}

function withSchema(result: CompleteToolResult, name: string, { catalogue, principal }: CallParts): CompleteToolResult {
  const tool = catalogue.findVisible(name, principal);
  return tool === null ? result : { ...result, content: [...result.content, schemaBlock(tool)] };
}

/** Returns structured content, and the same as text for clients that read only text. */
function toJsonResult(value: Readonly<Record<string, unknown>>): CompleteToolResult {
  const text = JSON.stringify(value);
  return { content: [{ type: 'text', text: escapeTags(text) }], structuredContent: JSON.parse(text) };
}
