/** Turns the table of a tool's request into bytes: compiled once per tool, written once per call. */

import type { HttpMethod, Tool, ToolRequest } from '../../contract/index.ts';
import { compileBody, type SerializedBody } from './serialize-body.ts';
import { compilePath, compileQueryTemplate } from './serialize-path.ts';
import { compileQuery } from './serialize-query.ts';
import { type Arguments, credentialMembersOf, type Secrets, withCredentials } from './serialize-sources.ts';
import { compileCookies, compileHeaders } from './serialize-text.ts';

export { pathArguments } from './serialize-path.ts';
export type { Arguments } from './serialize-sources.ts';
export { CannotSendError } from './serialize-sources.ts';

/** One request without what belongs to the connection: base URL, credential, `User-Agent`, deadline. */
export interface SerializedRequest extends SerializedBody {
  readonly method: HttpMethod;
  /** Path and query as they are sent, to append to the base URL: no URL parser changes them. */
  readonly target: string;
  /** Name, value, name, value; names are lower case, `cookie` and `content-type` are not among them. */
  readonly headers: readonly string[];
  /** Value of the `Cookie` header, or null. */
  readonly cookie: string | null;
}

/**
 * Writes the request of one call.
 *
 * @param secrets of the connection, for paths and bodies that contain a part of its credential.
 * @throws {CannotSendError} for values that no request can carry.
 */
export type RequestWriter = (args: Arguments, secrets?: Secrets) => SerializedRequest;

/** @param createBoundary of each multipart body, in lower case. Default: random. */
export function compileRequest(
  { operation: { method, path, target: written }, request }: Pick<Tool, 'operation' | 'request'>,
  createBoundary?: () => string,
): RequestWriter {
  const writePath = compilePath(written?.path ?? path, request.path);
  const writeFixedQuery = compileQueryTemplate(written?.query ?? '', request.path);
  const writeQuery = compileQuery(request.query);
  const writeHeaders = compileHeaders(request.header);
  const writeCookies = compileCookies(request.cookie);
  const writeBody = compileBody(request.body, createBoundary);
  return (args, secrets) => {
    const target = writePath(args, secrets);
    const fixed = writeFixedQuery(args, secrets);
    const own = writeQuery(args);
    const query = fixed === '' || own === '' ? fixed + own : `${fixed}&${own}`;
    return {
      method,
      target: query === '' ? target : `${target}?${query}`,
      headers: writeHeaders(args),
      cookie: writeCookies(args),
      ...writeBody(args, secrets),
    };
  };
}

interface Written {
  /** Path and query. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/**
 * The request with the credential in place of anything that the tool wrote there.
 *
 * @throws {UnusableCredentialError} when the connection lacks a part of the path.
 * @throws {Error} when a segment has other parameters next to the credential, and for a multipart body: bugs of the tool.
 */
export function withRawCredential(
  tool: Pick<Tool, 'operation' | 'request'>,
  written: Written,
  secrets: Secrets,
): Written {
  const { operation, request } = tool;
  const target = withPath(operation.target?.path ?? operation.path, request.path, written.target, secrets);
  const members = request.body === undefined ? null : credentialMembersOf(request.body);
  if (request.body === undefined || members === null) return { ...written, target };
  const { mediaType, as } = request.body;
  const headers = { 'content-type': mediaType, ...written.headers };
  const text = written.body?.toString('utf8') ?? '';
  if (as === undefined) {
    const body = withCredentials(text === '' ? undefined : JSON.parse(text), members, secrets, null);
    return { target, headers, body: Buffer.from(JSON.stringify(body)) };
  }
  if (as !== 'form') throw new Error(`the credential cannot be written into a body that is ${as}`);
  const taken = new Set(Object.keys(members).map((name) => name.toLowerCase()));
  const others = [...new URLSearchParams(text)].filter(([name]) => !taken.has(name.toLowerCase()));
  const own = Object.entries(withCredentials(undefined, members, secrets, null)).map(([name, value]) => [
    name,
    String(value),
  ]);
  return { target, headers, body: Buffer.from(new URLSearchParams([...others, ...own]).toString()) };
}

function withPath(template: string, bindings: ToolRequest['path'] = {}, target: string, secrets: Secrets): string {
  const end = target.includes('?') ? target.indexOf('?') : target.length;
  const isCredential = (name: string) => typeof bindings[name] === 'object' && 'credential' in bindings[name];
  const wanted = template.split('/').map((segment) => {
    const names = [...segment.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
    if (!names.some(isCredential)) return null;
    if (!names.every(isCredential)) throw new Error(`the credential shares ${segment} with an argument`);
    return compilePath(segment, bindings)({}, secrets);
  });
  const segments = target.slice(0, end).split('/');
  return segments.map((segment, at) => wanted[at] ?? segment).join('/') + target.slice(end);
}
