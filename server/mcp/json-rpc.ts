/** JSON-RPC 2.0 as the endpoint writes it. */

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Outside the range that JSON-RPC and MCP keep for themselves (-32768 to -32000). */
export const TOO_MANY_REQUESTS = 429;

/** The status of the same name; outside that range as well. */
export const FORBIDDEN = 403;

/** Null where no single request's id could be read. */
export type RequestId = string | number | null;

/** A message that is answered with an error before anybody looks at its method. Its texts go on the wire. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
  /** HTTP status. */
  readonly status: number;
  readonly code: number;
  readonly id: RequestId;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: number,
    message: string,
    { id = null, headers = {} }: { id?: RequestId; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.id = id;
    this.headers = headers;
  }
}

/** The JSON of an answer. @param result JSON. */
export function toResultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** The JSON of an error answer. */
export function toErrorText(id: RequestId, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
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

/** A `tools/call`, as far as it can be read before anybody checks it. */
export interface UncheckedCall {
  readonly name: string;
  /** Empty where they are no object. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** The call in a body, null when the body is no such thing. */
export function callOf(body: unknown): UncheckedCall | null {
  if (!isObject(body) || body.method !== 'tools/call' || !isObject(body.params)) return null;
  const { name, arguments: args } = body.params;
  return typeof name === 'string' ? { name, args: isObject(args) ? args : {} } : null;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
