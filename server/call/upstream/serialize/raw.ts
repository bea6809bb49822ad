/** Puts the credential into the path and the body of a request that a hand-written tool wrote. */

import type { Tool, ToolRequest } from '../../../contract/index.ts';
import { credentialMembersOf, type Secrets, withCredentials } from './credentials.ts';
import { compilePath } from './path.ts';

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
