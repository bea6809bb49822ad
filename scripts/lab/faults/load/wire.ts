/** Sends the load's requests, each on a new connection, and records every result. */

import { request as openRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Answer, findFault, type Surface } from '../ledger/answer-form.ts';

export interface Request {
  /** Index of the node. */
  readonly node: number;
  readonly surface: Surface;
  readonly method?: 'GET' | 'POST';
  /** Includes the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams;
}

/** One request and its result. */
export interface Exchange {
  readonly node: number;
  /** Method and path, without its query. */
  readonly name: string;
  /** `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null: no response. */
  readonly status: number | null;
  /** What is wrong with the form of the response, or null. */
  readonly fault: string | null;
  /** Why the response was not the expected one; null: it was. */
  failure: string | null;
}

export interface Answered extends Answer {
  readonly exchange: Exchange;
}

/** The connection was refused, was closed early, or timed out. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** Sends one request from one local address. */
export type Wire = (request: Request, from: string) => Promise<Answered>;

/** Longer than a node waits for its database and its upstreams together. */
const TIMEOUT_MS = 25_000;

/** @param ports of the nodes. @param note called for every exchange when it has ended. */
export function createWire(ports: readonly number[], note: (exchange: Exchange) => void): Wire {
  return async (request, from) => {
    const { node, surface, path } = request;
    const startedAt = performance.now();
    const name = `${request.method ?? 'GET'} ${path.replace(/\?.*/, '')}`;
    const end = (status: number | null, fault: string | null, failure: string | null): Exchange => {
      const exchange = { node, name, startedAt, endedAt: performance.now(), status, fault, failure };
      note(exchange);
      return exchange;
    };
    try {
      const answer = await send(request, ports[node] ?? 0, from);
      return { ...answer, exchange: end(answer.status, findFault(surface, answer), null) };
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      end(null, null, reason);
      throw new NoAnswerError(reason);
    }
  };
}

async function send(request: Request, port: number, localAddress: string): Promise<Answer> {
  const body = request.body ?? '';
  const type = body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : 'application/json';
  const bytes = Buffer.from(body.toString());
  const ofBody = bytes.length === 0 ? {} : { 'content-type': type, 'content-length': String(bytes.length) };
  const { method = 'GET', path, headers } = request;
  const late = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    const own = { host: '127.0.0.1', port, method, path, localAddress, agent: false, signal: late } as const;
    const outgoing = openRequest({ ...own, headers: { ...headers, ...ofBody } }, (incoming) => {
      text(incoming).then((content) => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: content });
      }, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}
