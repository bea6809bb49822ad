/** Reads `mcp.json`, and makes the OpenAPI document by which the sandbox answers the calls of its tools. */

import { readFile } from 'node:fs/promises';
import type { Connector } from '../../server/contract/index.ts';
import { isObject, type JsonObject } from '../json.ts';

export const LOCK_FILE = 'mcp.json';

/** A tool as the server lists it (MCP 2026-07-28, `Tool`). */
export interface LockedTool extends JsonObject {
  readonly name: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** The parts of `mcp.json` that the sandbox needs. */
export interface LockedServer {
  readonly url: string;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly tools: readonly LockedTool[];
}

/** @throws {Error} naming the file. */
export async function loadLock(file: string): Promise<LockedServer> {
  const value: unknown = JSON.parse(await readFile(file, 'utf8'));
  if (!isObject(value) || typeof value.url !== 'string' || !Array.isArray(value.tools)) {
    throw new Error(`${file} is not a list of tools that the sandbox can serve.`);
  }
  return value as unknown as LockedServer;
}

/** The path at which requests for a tool are answered inside the sandbox. */
export function pathOfTool(name: string): string {
  return `/tools/${encodeURIComponent(name).replaceAll('.', '%2E')}`;
}

/**
 * Returns a document with one POST operation for each tool: its arguments are the body, and its structured content is the answer.
 *
 * @param credential of the connector. Undefined if the server is open.
 */
export function toDocument({ url, serverInfo, tools }: LockedServer, credential?: Connector['credential']): JsonObject {
  const securitySchemes = toSecuritySchemes(credential);
  const security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }));
  const paths: JsonObject = {};
  for (const { name, inputSchema, outputSchema = {} } of tools) {
    const path = pathOfTool(name);
    paths[path] = {
      post: {
        operationId: name,
        security,
        requestBody: { content: { 'application/json': { schema: rebase(inputSchema, path, 'requestBody/content') } } },
        responses: {
          200: {
            description: '',
            content: { 'application/json': toMediaType(outputSchema, path) },
          },
        },
      },
    };
  }
  const info = { title: serverInfo.name, version: serverInfo.version };
  return { openapi: '3.1.0', info, servers: [{ url: new URL(url).origin }], components: { securitySchemes }, paths };
}

/** The first example of the schema is the answer; without one, the answer is made up. */
function toMediaType(outputSchema: JsonObject, path: string): JsonObject {
  const schema = rebase(outputSchema, path, 'responses/200/content');
  const { examples } = outputSchema;
  return Array.isArray(examples) && examples.length > 0 ? { schema, example: examples[0] } : { schema };
}

/** Local references lead to the place that the schema has in the document. */
function rebase(schema: JsonObject, path: string, place: string): JsonObject {
  const token = path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25');
  const target = `#/paths/${token}/post/${place}/application~1json/schema`;
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && value.startsWith('#') ? target + value.slice(1) : value,
  ) as JsonObject;
}

/** The keys of a credential. Its OAuth 2.0 comes from the connector. */
function toSecuritySchemes(credential: Connector['credential'] | undefined): JsonObject {
  const kinds = credential === undefined ? [] : [credential, ...(credential.alternatives ?? [])];
  const schemes: JsonObject = {};
  for (const part of kinds.flatMap(({ parts }) => parts)) {
    if (part.type === 'bearer') schemes[part.id] = { type: 'http', scheme: 'bearer' };
    if (part.type === 'basic') schemes[part.id] = { type: 'http', scheme: 'basic' };
    if (part.type === 'header' || part.type === 'query') {
      schemes[part.id] = { type: 'apiKey', in: part.type, name: part.name };
    }
  }
  return schemes;
}
