/** JSON-RPC 2.0 as the endpoint writes it. */

import { decodeText } from '../../base/http/exchange.ts';

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Outside the range that JSON-RPC and MCP reserve (-32768 to -32000). */
export const TOO_MANY_REQUESTS = 429;

/** Named after the HTTP status, and outside the reserved range too. */
export const FORBIDDEN = 403;

/** The refusal of `server/base/http/front.ts`, outside the reserved range too. */
export const UNAVAILABLE = 503;

interface MessageErrorText {
  /** HTTP statuses of the answer. */
  readonly statuses: readonly number[];
  readonly meaning: string;
  readonly toDo: string;
}

/** Every code of an error answer. The MCP SDK sends those from -32000 to -32022, as the protocol requires. */
export const MESSAGE_ERRORS = {
  [PARSE_ERROR]: { statuses: [400], meaning: 'The body is not JSON in UTF-8.', toDo: 'Correct the body.' },
  [INVALID_REQUEST]: {
    statuses: [400, 405, 413, 415],
    meaning: 'The body is no message of JSON-RPC, is too large or too deep, or was not sent with POST as JSON.',
    toDo: 'Correct the request as the message says.',
  },
  [METHOD_NOT_FOUND]: {
    statuses: [200, 404],
    meaning: 'The server has no such method.',
    toDo: 'Use what the server offers: tools.',
  },
  [INVALID_PARAMS]: {
    statuses: [200, 400],
    meaning:
      'No tool has this name (the message names the nearest), the cursor is of no page, an idempotency key is malformed, or the parameters lack what the revision asks for.',
    toDo: 'Correct the parameters as the message says; list the tools again.',
  },
  [INTERNAL_ERROR]: {
    statuses: [200, 500],
    meaning: 'A defect of the gateway. The log has the error.',
    toDo: 'Try again later.',
  },
  [FORBIDDEN]: {
    statuses: [403],
    meaning: "The user's partner is suspended. A call gets the outcome `partner_suspended` instead.",
    toDo: 'Keep the tokens. The user asks the partner.',
  },
  [TOO_MANY_REQUESTS]: {
    statuses: [429],
    meaning: 'The user has reached `TOOL_CALLS_PER_MINUTE`. A call gets the outcome `too_many_calls` instead.',
    toDo: 'Wait for `Retry-After`.',
  },
  [UNAVAILABLE]: {
    statuses: [503],
    meaning: 'The gateway cannot reach its database, or is reading too many large requests.',
    toDo: 'Keep the tokens, and wait for `Retry-After`.',
  },
  [-32000]: {
    statuses: [400, 415],
    meaning: 'The revision of the protocol in `MCP-Protocol-Version` is unknown, or the body is not JSON.',
    toDo: 'Initialize again with a revision that the server names.',
  },
  [-32020]: {
    statuses: [400],
    meaning: 'A header (`MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`) is missing, or differs from the message.',
    toDo: 'Send the headers that the revision asks for.',
  },
  [-32021]: {
    statuses: [400],
    meaning: 'The call needs a capability of the client that it did not declare.',
    toDo: 'Declare the capability, or do without the tool.',
  },
  [-32022]: {
    statuses: [400],
    meaning: 'The server does not speak this revision of the protocol.',
    toDo: 'Use one of those in `data`.',
  },
} as const satisfies Readonly<Record<number, MessageErrorText>>;

export type MessageErrorCode = keyof typeof MESSAGE_ERRORS;

/** Null if no single request's id could be read. */
type RequestId = string | number | null;

/** A message that is answered with an error before its method is read. Its texts are sent to the caller. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
  /** HTTP status. */
  readonly status: number;
  readonly code: MessageErrorCode;
  readonly id: RequestId;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: MessageErrorCode,
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
export function toErrorText(id: RequestId, code: MessageErrorCode, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** The id of a request, null when the body is not a request: an error answer carries it whenever it can be read. */
export function idOf(body: unknown): RequestId {
  if (!isObject(body) || typeof body.method !== 'string') return null;
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null;
}

/** The method of a request or notification, null when the body is neither. */
export function methodOf(body: unknown): string | null {
  return isObject(body) && typeof body.method === 'string' ? body.method : null;
}

/** A `tools/call`, as far as it can be read before it is checked. */
export interface UncheckedCall {
  readonly name: string;
  /** Empty if they are not an object. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** The call in a body, null when the body is not a call. */
export function callOf(body: unknown): UncheckedCall | null {
  if (!isObject(body) || body.method !== 'tools/call' || !isObject(body.params)) return null;
  const { name, arguments: args } = body.params;
  if (typeof name !== 'string') return null;
  return { name, args: isObject(args) ? args : {} };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Limits of one JSON text. */
export interface JsonLimits {
  /** Values of all kinds, in total. */
  readonly nodes: number;
  /** Members of one object. */
  readonly keys: number;
  /** Depth of nested objects and arrays. */
  readonly depth: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Says which limit a JSON text exceeds, or null when it exceeds none.
 *
 * Takes time in proportion to the bytes, whatever they are. Text that is not JSON may pass: parsing it is cheap.
 */
export function findBrokenLimit(json: Uint8Array, limits: JsonLimits): string | null {
  // A deeper text has at least two bytes for each level, and the other limits need even more bytes.
  if (json.byteLength <= 2 * limits.depth) return null;
  const keysAtDepth = new Uint32Array(limits.depth + 1);
  let depth = 0;
  let nodes = 1;
  for (let index = 0; index < json.byteLength; index += 1) {
    switch (json[index]) {
      case QUOTE:
        index = endOfString(json, index);
        break;
      case COMMA:
        nodes += 1;
        break;
      case COLON: {
        const keys = (keysAtDepth[depth] ?? 0) + 1;
        if (keys > limits.keys) return `an object has more than ${limits.keys} members`;
        keysAtDepth[depth] = keys;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth += 1;
        nodes += 1;
        if (depth > limits.depth) return `nested deeper than ${limits.depth} levels`;
        keysAtDepth[depth] = 0;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth = Math.max(0, depth - 1);
        break;
    }
    if (nodes > limits.nodes) return `more than ${limits.nodes} values`;
  }
  return null;
}

/**
 * Parses the beginning of a JSON text as far as its values are complete: `{"a":1,"b":{"c":"x` is `{"a":1,"b":{}}`.
 *
 * Undefined when it is not JSON.
 */
export function parseBeginning(json: Buffer): unknown {
  const closing: string[] = [];
  let depth = 0;
  let cut = { end: 0, depth: 0 };
  for (let index = 0; index < json.byteLength; index += 1) {
    const byte = json[index];
    if (byte === QUOTE) index = endOfString(json, index);
    else if (byte === COMMA) cut = { end: index, depth };
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth = Math.max(0, depth - 1);
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      closing[depth] = byte === OPEN_OBJECT ? '}' : ']';
      depth += 1;
      cut = { end: index + 1, depth };
    }
  }
  const rest = closing.slice(0, cut.depth).reverse().join('');
  try {
    return JSON.parse(decodeText(json.subarray(0, cut.end)) + rest);
  } catch {
    return undefined;
  }
}

/** Returns the end of the string that begins at `start`, or the end of the text if the string does not end. */
function endOfString(json: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < json.byteLength && json[index] !== QUOTE) index += json[index] === BACKSLASH ? 2 : 1;
  return index;
}
