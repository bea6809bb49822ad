/** Makes an OpenAPI document of `mcp.json`, so that every later stage treats an MCP server like any other service. */

import { quoteText } from '../../../shared/invisible.ts';
import { readHeaderArguments } from '../../../shared/mcp/headers.ts';
import {
  definitionDigest,
  lockDigest,
  MCP_LOCK_FILE,
  type McpLock,
  type McpTool,
  readMcpLock,
} from '../../../shared/mcp/lock.ts';
import { isRecord, withoutUndefined } from '../../json.ts';
import { pointerTokens, toPointer } from '../../json-pointer.ts';
import type { ParsedText, SyntaxFault } from '../text/parsed-text.ts';
import { convertSchema, hidesCharacters } from './schemas.ts';

/** The claims of a server about a tool (MCP 2026-07-28, `ToolAnnotations`). Undefined where it claims nothing. */
export interface McpClaims {
  readonly readOnly: boolean | undefined;
  readonly destructive: boolean | undefined;
  readonly idempotent: boolean | undefined;
}

/** The tool of a server behind an operation of the document. */
export interface McpOperation {
  readonly tool: string;
  readonly definition: string;
  readonly claims: McpClaims;
}

/** An `mcp.json` in the place of a descriptor. */
export interface McpDescriptor {
  /** By pointer of the operation. */
  readonly operations: ReadonlyMap<string, McpOperation>;
  /** Why tools cannot be called, by pointer of the operation. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
}

/** More faults of a file say nothing new. */
const MAX_FAULTS = 20;

/**
 * The parsed file as an OpenAPI document: one POST operation for each tool, with the schema of its arguments as the request body and that
 * of its structured content as the answer. A file that is no lock, or that was changed by hand, has faults.
 */
export function toOpenApiText(parsed: ParsedText): ParsedText & { readonly mcp: McpDescriptor } {
  const nothing: McpDescriptor = { operations: new Map(), refused: new Map() };
  if (parsed.faults.length > 0) return { ...parsed, mcp: nothing };
  const fault = (pointer: string, message: string): SyntaxFault => ({
    position: parsed.locate(pointer) ?? { line: 1, column: 1 },
    message,
  });
  const read = readMcpLock(parsed.value);
  const faults =
    'faults' in read
      ? read.faults
          .slice(0, MAX_FAULTS)
          .map(({ path, message }) => fault(toPointer(path), `${path.join('.') || MCP_LOCK_FILE}: ${message}.`))
      : findWrongParts(read.lock).map((message) => fault('/digest', message));
  if ('faults' in read || faults.length > 0) return { ...parsed, value: undefined, faults, mcp: nothing };
  const { document, mcp } = toDocument(read.lock);
  return { ...parsed, value: document, mcp, locate: (pointer) => parsed.locate(toLockPointer(pointer, read.lock)) };
}

function findWrongParts({ tools, digest }: McpLock): readonly string[] {
  const twice = tools.find(({ name }, index) => tools[index + 1]?.name === name);
  if (twice !== undefined) return [`The tool ${quoteText(twice.name)} is listed twice.`];
  if (lockDigest(tools) === digest) return [];
  return [
    `The digest is not that of the tools, so ${MCP_LOCK_FILE} is not what the server sent. Texts and arguments are changed in connector.yaml; utg update writes this file.`,
  ];
}

function toDocument({ url, serverInfo, tools }: McpLock): { readonly document: object; readonly mcp: McpDescriptor } {
  const operations = new Map<string, McpOperation>();
  const refused = new Map<string, readonly string[]>();
  const paths: Record<string, object> = {};
  for (const tool of tools) {
    const path = toPath(tool.name);
    const pointer = toPointer(['paths', path, 'post']);
    const { operation, problems } = toOperation(tool, pointer);
    paths[path] = { post: operation };
    operations.set(pointer, { tool: tool.name, definition: definitionDigest(tool), claims: toClaims(tool) });
    if (problems.length > 0) refused.set(pointer, problems);
  }
  const info = { title: serverInfo.title ?? serverInfo.name, version: serverInfo.version };
  return { document: { openapi: '3.1.0', info, servers: [{ url }], paths }, mcp: { operations, refused } };
}

/** Dots are encoded too: a segment `..` would leave the base URL. */
function toPath(tool: string): string {
  return `/tools/${encodeURIComponent(tool.toWellFormed()).replaceAll('.', '%2E')}`;
}

/** Names of the official clients (MCP 2026-07-28, Tools, Tool Names). */
const TOOL_NAME = /^[A-Za-z0-9_.-]+$/;
const BODY = ['requestBody', 'content', 'application/json', 'schema'];
const ANSWER = ['responses', '200', 'content', 'application/json', 'schema'];

function toOperation(
  tool: McpTool,
  pointer: string,
): { readonly operation: object; readonly problems: readonly string[] } {
  const { name, description, inputSchema, outputSchema = {} } = tool;
  const title = tool.title ?? tool.annotations?.title;
  const input = convertSchema(inputSchema, pointer + toPointer(BODY));
  const output = convertSchema(outputSchema, pointer + toPointer(ANSWER));
  const problems: string[] = [];
  if (!TOOL_NAME.test(name))
    problems.push(`The name ${quoteText(name)} has characters other than letters, digits, _, . and -.`);
  if ('problem' in input) problems.push(`Its inputSchema ${input.problem}.`);
  else if (inputSchema.type !== 'object') problems.push('Its inputSchema is not of the type object.');
  if (hidesCharacters(inputSchema) || hidesCharacters(outputSchema))
    problems.push('Its schemas have hidden characters in a name or value.');
  for (const fault of readHeaderArguments(inputSchema).faults) problems.push(`In its inputSchema, ${fault}`);
  const answer = 'problem' in output ? {} : output.schema;
  const operation = {
    operationId: name,
    summary: typeof title === 'string' ? title : undefined,
    description,
    requestBody: 'problem' in input ? undefined : toBody(input.schema),
    responses: { 200: { description: 'The result', content: { 'application/json': { schema: answer } } } },
  };
  return { operation: withoutUndefined(operation), problems };
}

/** A tool that names no argument takes none: `{type: 'object'}` alone is what many servers write for that. */
function toBody(schema: Readonly<Record<string, unknown>>): object | undefined {
  const names = Object.keys(isRecord(schema.properties) ? schema.properties : {});
  const isOpen =
    isRecord(schema.additionalProperties) || ['allOf', 'anyOf', 'oneOf', '$ref'].some((key) => key in schema);
  if (names.length === 0 && !isOpen) return undefined;
  return { required: true, content: { 'application/json': { schema } } };
}

function toClaims({ annotations = {} }: McpTool): McpClaims {
  const claim = (name: string) => (typeof annotations[name] === 'boolean' ? annotations[name] : undefined);
  return {
    readOnly: claim('readOnlyHint'),
    destructive: claim('destructiveHint'),
    idempotent: claim('idempotentHint'),
  };
}

/** The place in `mcp.json` of a place in the document. */
function toLockPointer(pointer: string, { tools }: McpLock): string {
  const [section, path, , member, ...rest] = pointerTokens(pointer);
  if (section === 'servers') return '/url';
  if (section !== 'paths') return '/serverInfo';
  const tool = ['tools', tools.findIndex(({ name }) => toPath(name) === path)];
  if (member === 'requestBody') return toPointer([...tool, 'inputSchema', ...rest.slice(BODY.length - 1)]);
  if (member === 'responses') return toPointer([...tool, 'outputSchema', ...rest.slice(ANSWER.length - 1)]);
  return toPointer([...tool, member === 'operationId' ? 'name' : (member ?? 'name')]);
}
