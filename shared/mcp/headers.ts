/** Arguments that a server wants in HTTP headers too (MCP 2026-07-28, `x-mcp-header`). */

import { rawNumber } from '../exact-json.ts';

const KEYWORD = 'x-mcp-header';
/** Of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const MAX_NAME_CHARS = 64;
const MAX_HEADERS = 20;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/** An argument that is sent in a header. */
export interface HeaderArgument {
  /** Names from the arguments to the value. */
  readonly path: readonly string[];
  /** The name after `Mcp-Param-`. */
  readonly header: string;
}

/** The arguments of a tool that are sent in headers, and the reasons why no client may call it. */
export interface HeaderArguments {
  readonly arguments: readonly HeaderArgument[];
  readonly faults: readonly string[];
}

/**
 * Reads the arguments that an input schema declares for headers.
 *
 * A name is a token, and no other has it in any case. A value is a text, an integer or a boolean, and only `properties` lead to it.
 */
export function readHeaderArguments(inputSchema: unknown): HeaderArguments {
  const found: HeaderArgument[] = [];
  const faults: string[] = [];
  visitProperties(inputSchema, [], (path, schema) => {
    const header = schema[KEYWORD];
    if (header === undefined) return;
    const place = path.join('.');
    if (typeof header !== 'string' || !TOKEN.test(header) || header.length > MAX_NAME_CHARS) {
      faults.push(`${place} names no header of at most ${MAX_NAME_CHARS} characters.`);
    } else if (found.some((other) => other.header.toLowerCase() === header.toLowerCase())) {
      faults.push(`${place} has the header ${header} of another argument.`);
    } else if (!TYPES.includes(schema.type)) {
      faults.push(`${place} is in the header ${header}, but is no text, integer or boolean.`);
    } else found.push({ path, header });
  });
  const declared = countKeyword(inputSchema);
  if (declared > found.length + faults.length)
    faults.push('A header is declared where no argument has only one value.');
  if (found.length > MAX_HEADERS) faults.push(`It has more than ${MAX_HEADERS} headers.`);
  return { arguments: found, faults };
}

/** An argument whose value its header cannot hold. */
interface UnsendableHeader extends HeaderArgument {
  /** Such as `it takes more than 2048 bytes`. */
  readonly reason: string;
}

/** Returns the first argument whose value its header cannot hold. Undefined if all can be sent. @param limit in bytes. */
export function findUnsendableHeader(
  headers: readonly HeaderArgument[],
  args: unknown,
  limit: number,
): UnsendableHeader | undefined {
  for (const argument of headers) {
    const value = argument.path.reduce<unknown>(
      (members, name) => (isObject(members) ? members[name] : undefined),
      args,
    );
    if (typeof value === 'string' && Buffer.byteLength(value) > limit) {
      return { ...argument, reason: `it takes more than ${limit} bytes` };
    }
    // The client of MCP would leave the header out, which servers refuse.
    if (rawNumber(value) !== undefined) return { ...argument, reason: `it is beyond ${Number.MAX_SAFE_INTEGER}` };
  }
  return undefined;
}

type Schema = Readonly<Record<string, unknown>>;

function visitProperties(
  schema: unknown,
  path: readonly string[],
  visit: (path: readonly string[], schema: Schema) => void,
): void {
  if (!isObject(schema)) return;
  if (path.length > 0) visit(path, schema);
  if (!isObject(schema.properties)) return;
  for (const [name, member] of Object.entries(schema.properties)) visitProperties(member, [...path, name], visit);
}

/** Keywords whose members are no schemas: data, or names of arguments. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Counts the keyword in a schema, wherever it may stand. */
function countKeyword(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, item) => sum + countKeyword(item), 0);
  if (!isObject(schema)) return 0;
  let count = KEYWORD in schema ? 1 : 0;
  for (const [keyword, member] of Object.entries(schema)) {
    if (DATA.has(keyword) || keyword === KEYWORD) continue;
    const schemas = MAPS.has(keyword) && isObject(member) ? Object.values(member) : member;
    count += countKeyword(schemas);
  }
  return count;
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
