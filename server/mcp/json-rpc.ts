/** JSON-RPC errors that are answered before the SDK sees the request. */

/** Codes of JSON-RPC 2.0 §5.1. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;

/** Null where no single request's id could be read. */
export type RequestId = string | number | null;

/** The body of an error answer. */
export interface ErrorBody {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly error: { readonly code: number; readonly message: string };
}

/** Builds an error answer. `message` goes on the wire. */
export function errorBody(code: number, message: string, id: RequestId = null): ErrorBody {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** The id of a request, null when the body is none: an error answer carries it wherever it can be read. */
export function idOf(body: unknown): RequestId {
  if (!isObject(body) || typeof body.method !== 'string') return null;
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null;
}

/** The method of a request or notification, null when the body is neither. */
export function methodOf(body: unknown): string | null {
  return isObject(body) && typeof body.method === 'string' ? body.method : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
