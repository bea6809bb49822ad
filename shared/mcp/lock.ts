/** `mcp.json`: the tools of a remote MCP server as a person reviewed them, and the digest that tells when one has changed. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { byCodeUnit, canonicalJson } from '../canonical-json.ts';

/** Name of the file in `specs/<name>/`. */
export const MCP_LOCK_FILE = 'mcp.json';

/** The most that is read from one server. */
export const MCP_LIMITS = {
  tools: 1000,
  /** Of the JSON of one tool, in characters. */
  toolChars: 256 * 1024,
  /** Of the JSON of all tools, in characters. */
  chars: 8 * 1024 * 1024,
  /** Levels of objects and arrays in one tool. */
  depth: 64,
  nameChars: 128,
  textChars: 64 * 1024,
} as const;

/** A tool exactly as the server sent it (MCP 2026-07-28, `Tool`), with the members that we do not know. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** Claims of the server: `title` and the four hints. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

export interface McpLock {
  /** Absolute http or https address of the server's MCP endpoint, without a user, query or fragment. */
  readonly url: string;
  readonly serverInfo: { readonly name: string; readonly version: string; readonly title?: string };
  /** Newest revision that the server speaks, such as `2026-07-28`. */
  readonly protocolVersion: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions?: string;
  /** ISO date, such as `2026-11-30`. */
  readonly lockedAt: string;
  /** `lockDigest(tools)`. */
  readonly digest: string;
  /** Sorted by name. */
  readonly tools: readonly McpTool[];
}

const objectSchema = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);
const text = z.string().max(MCP_LIMITS.textChars);

const toolSchema = z
  .looseObject({
    name: z.string().min(1).max(MCP_LIMITS.nameChars),
    title: text.optional(),
    description: text.optional(),
    inputSchema: objectSchema,
    outputSchema: objectSchema.optional(),
    annotations: objectSchema.optional(),
  })
  .refine((tool) => isShallow(tool, MCP_LIMITS.depth), `nested deeper than ${MCP_LIMITS.depth} levels`)
  .refine(
    (tool) => JSON.stringify(tool).length <= MCP_LIMITS.toolChars,
    `longer than ${MCP_LIMITS.toolChars} characters`,
  );

const lockSchema = z.strictObject({
  url: z
    .string()
    .max(2048)
    .refine(isServerAddress, 'expected an http or https address without user, query or fragment'),
  serverInfo: z.object({ name: text, version: text, title: text.optional() }),
  protocolVersion: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  capabilities: objectSchema,
  instructions: text.optional(),
  lockedAt: z.iso.date(),
  digest: z.string().max(64),
  tools: z.array(toolSchema).max(MCP_LIMITS.tools),
});

/** A reason why a value is no lock or no tool. `path` leads to the place. */
export interface LockFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Returns the value itself, with every member that it has: a copy by the schema would lose some, such as `__proto__`. */
export function readMcpLock(value: unknown): { readonly lock: McpLock } | { readonly faults: readonly LockFault[] } {
  const { error } = lockSchema.safeParse(value);
  return error === undefined ? { lock: value as McpLock } : { faults: toFaults(error) };
}

/** Returns the faults of a tool that a server sent, none if it is within all bounds. */
export function findToolFaults(value: unknown): readonly LockFault[] {
  const { error } = toolSchema.safeParse(value);
  return error === undefined ? [] : toFaults(error);
}

/** Members of a tool that a model reads or that decide a call. `_meta` and icons are not among them. */
export const DEFINITION_MEMBERS = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
] as const;

/**
 * SHA-256 of the canonical JSON of a tool's definition, base64url: members sorted, absent ones left out.
 *
 * @param tool a tool without faults (`findToolFaults`): one that is nested too deeply overflows the stack.
 */
export function definitionDigest(tool: McpTool): string {
  const definition = Object.fromEntries(DEFINITION_MEMBERS.map((member) => [member, tool[member]]));
  return sha256(canonicalJson(definition));
}

/** The digest of a whole list of tools, in any order. */
export function lockDigest(tools: readonly McpTool[]): string {
  const digests = tools.map((tool) => [tool.name, definitionDigest(tool)] as const);
  return sha256(canonicalJson(digests.toSorted(([a], [b]) => byCodeUnit(a, b))));
}

/** True for an address that a lock may hold. */
export function isServerAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  // The parser removes line breaks, but the address is also printed and written into files as it is.
  if (/[\s\p{Cc}\p{Cf}]/u.test(address)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}

function toFaults(error: z.ZodError): readonly LockFault[] {
  return error.issues.map(({ path, message }) => ({ path: path as readonly (string | number)[], message }));
}

function sha256(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}
