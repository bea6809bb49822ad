/** Tools as they are published in `tools/list`, and which tools must not be served. */

import manifest from '../../../../package.json' with { type: 'json' };
import { findObviousPatternProblem } from '../../../../shared/patterns/index.ts';
import { isFinderToolName, UPLOAD_TOOL_NAME } from '../../../../shared/search/tool-names.ts';
import type { ToolFace } from '../../../contract/index.ts';
import type { AnyTool } from './permitted.ts';
import { publishedOutput } from './published-output.ts';

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A tool as in `tools/list`: everything that a model or a host reads, nothing about the request behind it. */
export function toPublished({ name, title, description, inputSchema, outputSchema, annotations }: ToolFace): object {
  const published = { name, title, description, inputSchema, outputSchema: publishedOutput(outputSchema), annotations };
  return mentionsHeaders(JSON.stringify(published)) ? withoutHeaderParameters(published) : published;
}

/** Prepares a served tool once: a hundred tools have half a megabyte of JSON. */
export function readTool(tool: AnyTool): { readonly json: string; readonly takesFiles: boolean } {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const _meta = metaOf(tool) ?? undefined;
  const output = publishedOutput(outputSchema);
  const published = { name, title, description, inputSchema, outputSchema: output, annotations, _meta };
  const json = JSON.stringify(published);
  return {
    json: mentionsHeaders(json) ? JSON.stringify(withoutHeaderParameters(published)) : json,
    takesFiles: json.includes(FILE) && JSON.stringify(inputSchema).includes(FILE),
  };
}

const FILE = '"contentEncoding":"base64"';

function mentionsHeaders(json: string): boolean {
  return json.includes('"x-mcp-header"');
}

/**
 * Returns the reason why a tool is not served, or null if it is served. A refused tool would make clients reject the whole list, or one argument of
 * it could stop the gateway.
 */
export function reasonToRefuse(tool: ToolFace, json: string): string | null {
  if (isFinderToolName(tool.name) || tool.name === UPLOAD_TOOL_NAME) return 'the gateway has a tool of this name';
  if (!TOOL_NAME.test(tool.name)) return 'its name is not 1 to 64 letters, digits, underscores or hyphens';
  if (typeof tool.title !== 'string' || typeof tool.description !== 'string') return 'it has no title or description';
  if (tool.inputSchema.type !== 'object') return 'the root of its input schema is not an object';
  if (tool.outputSchema.type !== 'object') return 'the root of its output schema is not an object';
  if (!json.includes('"pattern')) return null;
  return findBadPattern(tool.inputSchema) ?? findBadPattern(tool.outputSchema);
}

interface Schemas {
  readonly inputSchema: ToolFace['inputSchema'];
  readonly outputSchema?: ToolFace['outputSchema'] | undefined;
}

/**
 * Removes `x-mcp-header` from the schemas of a tool.
 *
 * An upstream's descriptor must not set headers of our clients' requests, and a client in a browser cannot call a tool
 * with such headers (MCP 2026-07-28, Streamable HTTP).
 */
function withoutHeaderParameters(tool: Schemas): object {
  return { ...tool, inputSchema: stripKeyword(tool.inputSchema), outputSchema: stripKeyword(tool.outputSchema) };
}

function stripKeyword(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(stripKeyword);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(([keyword]) => keyword !== 'x-mcp-header');
  return Object.fromEntries(
    members.map(([keyword, value]) => [keyword, KEEPS_NAMES.has(keyword) ? stripMembers(value) : stripKeyword(value)]),
  );
}

/** Keywords whose value maps names to schemas: a property may be called `x-mcp-header`. */
const KEEPS_NAMES = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

function stripMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, stripKeyword(schema)]));
}

/** Keywords that hold values, not schemas. */
const VALUES = new Set(['default', 'examples', 'example', 'const', 'enum']);

/** Describes the first such pattern of a schema, or null. */
function findBadPattern(schema: unknown): string | null {
  for (const pattern of patternsIn(schema)) {
    const problem = findObviousPatternProblem(pattern);
    if (problem !== null) return `its pattern ${JSON.stringify(pattern)} ${problem}`;
  }
  return null;
}

function* patternsIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'pattern' && typeof value === 'string') yield value;
    else if (!VALUES.has(keyword)) yield* patternsIn(value);
    if (keyword === 'patternProperties' && typeof value === 'object' && value !== null) yield* Object.keys(value);
  }
}

const DEFINITION = `${manifest.name}/definition`;

/** Hosts do not pass `_meta` to their models, so it costs no tokens. Null if the provenance is not known. */
export function metaOf({ provenance }: ToolFace): Readonly<Record<string, string>> | null {
  if (provenance === undefined) return null;
  return { [DEFINITION]: `sha256:${provenance.definition}` };
}
