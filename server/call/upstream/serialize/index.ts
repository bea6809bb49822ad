/** Turns the table of a tool's request into bytes: compiled once per tool, written once per call. */

import type { HttpMethod, Tool } from '../../../contract/index.ts';
import { compileBody, type SerializedBody } from './body.ts';
import { compileCookies } from './cookies.ts';
import type { Secrets } from './credentials.ts';
import { compileHeaders } from './headers.ts';
import { compilePath, compileQueryTemplate } from './path.ts';
import { compileQuery } from './query.ts';
import type { Arguments } from './sources.ts';

export { CannotSendError } from './cannot-send.ts';
export { pathArguments } from './path.ts';
export { withRawCredential } from './raw.ts';
export type { Arguments } from './sources.ts';

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
