/** The failures that the sandbox can be told to make, and their form on the wire. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

/** Every kind of failure and what it does; `--help` and `GET /__sandbox` print this. */
export const MISBEHAVIOURS = {
  slow: 'answers after delayMs (default 30000)',
  'rate-limited': '429 with Retry-After: retryAfterSeconds (default 1)',
  'server-error': '500',
  unauthorized: '401, as where a credential was revoked or has expired',
  unavailable: '503 with Retry-After: retryAfterSeconds (default 1)',
  'broken-json': '200 whose JSON ends in the middle',
  'wrong-content-type': '200 with an HTML page',
  'dropped-connection': 'closes the connection without an answer',
  'half-body': 'closes the connection in the middle of the body',
  'huge-body': '200 with a body of `bytes` (default 100 MiB), made while it is sent',
  redirect: '302 to `location` (default https://elsewhere.example/)',
  'session-lost': 'an MCP server forgets its sessions, and answers 404 for them',
  'changed-definition': 'an MCP server lists its tools with other descriptions, where operationId is mcp:tools/list',
  'tool-error': 'an MCP server says that its tool failed',
  'asks-user': 'an MCP server asks the user before it answers',
  'as-task': 'an MCP server of 2026-07-28 answers with a task, which has ended when it is read',
  'invalid-grant': '400 {"error": "invalid_grant"}, which only token endpoints say',
} as const;

const kinds = Object.keys(MISBEHAVIOURS) as [keyof typeof MISBEHAVIOURS];

/** The body of `POST /__sandbox/misbehave`. */
export const misbehaviourSchema = z.strictObject({
  kind: z.enum(kinds),
  /** Only calls to this service; default: any service. */
  service: z.string().optional(),
  /** Only calls of this operation, or of an endpoint or a message such as `oauth:refresh` and `mcp:tools/list`; default: any operation. */
  operationId: z.string().optional(),
  /** Number of calls that fail before the sandbox answers normally again. */
  times: z.int().min(1).max(1_000_000).default(1),
  delayMs: z.int().min(0).max(600_000).default(30_000),
  retryAfterSeconds: z.int().min(0).max(3_600).default(1),
  bytes: z
    .int()
    .min(1)
    .max(10 * 1024 ** 3)
    .default(100 * 1024 ** 2),
  location: z.string().default('https://elsewhere.example/'),
});

export type Misbehaviour = z.input<typeof misbehaviourSchema>;
type ParsedMisbehaviour = z.output<typeof misbehaviourSchema>;

export interface PlannedFailure extends Readonly<ParsedMisbehaviour> {
  readonly callsLeft: number;
}

/** The planned failures, in the order in which they were requested. */
export interface MisbehaviourPlan {
  /** @throws {z.ZodError} */
  add(misbehaviour: Misbehaviour): void;
  /** The planned failures, with the number of calls left of each. */
  readonly planned: readonly PlannedFailure[];
  /** Takes the failure that is planned for this call and counts it down. Returns null to answer normally. */
  take(service: string, operationId: string): ParsedMisbehaviour | null;
  /** Cancels the failures of this service. Default: all failures. */
  clear(service?: string): void;
}

export function createMisbehaviourPlan(): MisbehaviourPlan {
  let planned: (ParsedMisbehaviour & { callsLeft: number })[] = [];
  return {
    get planned() {
      return planned;
    },
    add(misbehaviour) {
      const plan = misbehaviourSchema.parse(misbehaviour);
      planned.push({ ...plan, callsLeft: plan.times });
    },
    take(service, operationId) {
      const failure = planned.find(
        (plan) =>
          (plan.service ?? service) === service &&
          (plan.operationId === operationId || (plan.operationId === undefined && !hasToBeNamed(operationId))),
      );
      if (failure === undefined) return null;
      failure.callsLeft -= 1;
      planned = planned.filter(({ callsLeft: left }) => left > 0);
      return failure;
    },
    clear(service) {
      planned = service === undefined ? [] : planned.filter((plan) => plan.service !== service);
    },
  };
}

/** True for endpoints of OAuth 2.0, and messages of MCP that are no calls: a failure that is planned without an operation skips them. */
function hasToBeNamed(operationId: string): boolean {
  return /^(?:oauth|mcp):/.test(operationId);
}

/** Failures without any effect; with any other failure, a token endpoint has already issued and rotated its tokens. */
export const FAILS_UNREAD: ReadonlySet<ParsedMisbehaviour['kind']> = new Set([
  'rate-limited',
  'server-error',
  'unauthorized',
  'unavailable',
  'redirect',
  'invalid-grant',
]);

/** The facts about the answer that a failure replaces. */
interface FaultyAnswer {
  readonly response: ServerResponse;
  /** The answer that would have been sent. */
  readonly good: { readonly status: number; readonly mediaType: string; readonly bytes: Buffer };
  /** The body of an error status; the descriptor's own example if it has one. */
  errorBody(status: number, message: string): Buffer;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Sends the faulty answer. False: the normal answer must still be sent. */
export async function misbehave(
  plan: ParsedMisbehaviour,
  { response, good, errorBody, signal }: FaultyAnswer,
): Promise<boolean> {
  const retryAfter = { 'retry-after': String(plan.retryAfterSeconds) };
  const send = (status: number, headers: Record<string, string>, body: Buffer | string): true => {
    response.writeHead(status, { 'content-length': String(Buffer.byteLength(body)), ...headers }).end(body);
    return true;
  };
  const sendError = (status: number, message: string, headers: Record<string, string> = {}): true =>
    send(status, { 'content-type': 'application/json', ...headers }, errorBody(status, message));

  switch (plan.kind) {
    case 'slow':
      await wait(plan.delayMs, undefined, { signal }).catch(() => undefined);
      return signal.aborted;
    case 'rate-limited':
      return sendError(429, 'Too many requests.', retryAfter);
    case 'server-error':
      return sendError(500, 'Something went wrong.');
    case 'unauthorized':
      return sendError(401, 'The credential was revoked or has expired.');
    case 'unavailable':
      return sendError(503, 'The service is unavailable.', retryAfter);
    case 'broken-json':
      return send(good.status, { 'content-type': 'application/json' }, '{"data": [{"id": "1", "name": "cut o');
    case 'wrong-content-type': {
      const page = '<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>';
      return send(good.status, { 'content-type': 'text/html; charset=utf-8' }, page);
    }
    case 'dropped-connection':
      response.socket?.resetAndDestroy();
      return true;
    case 'half-body': {
      const bytes = good.bytes.length > 1 ? good.bytes : Buffer.from('{"data": []}');
      const headers = { 'content-type': good.mediaType, 'content-length': String(bytes.length) };
      response.writeHead(good.status, headers);
      await new Promise((resolve) => response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), resolve));
      response.socket?.destroy();
      return true;
    }
    case 'huge-body':
      await sendHugeBody(response, plan.bytes, signal);
      return true;
    case 'redirect':
      return send(302, { location: plan.location }, '');
    case 'session-lost':
    case 'changed-definition':
    case 'tool-error':
    case 'asks-user':
    case 'as-task':
      return false;
    case 'invalid-grant':
      return send(400, { 'content-type': 'application/json' }, '{"error":"invalid_grant"}');
  }
}

/** Sends one JSON string of about `bytes` bytes without holding it in memory. */
async function sendHugeBody(response: ServerResponse, bytes: number, signal: AbortSignal): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024, 'a');
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"data": "');
  for (let sentBytes = 0; sentBytes < bytes && !signal.aborted; sentBytes += chunk.length) {
    if (response.write(chunk)) continue;
    await once(response, 'drain', { signal }).catch(() => undefined);
  }
  if (!signal.aborted) response.end('"}');
}
