/** Fetches JSON from URLs that external parties choose: only from public servers, and within tight limits. */

import type { Dispatcher } from 'undici';
import { createRateLimiter } from '../limits/limiter.ts';
import { OpenCounts } from '../open-counts.ts';
import { GuardedFetchError } from './error.ts';
import { checkDocumentUrl } from './guard.ts';
import { createOutgoing, type OutgoingOptions } from './outgoing.ts';

export { GuardedFetchError } from './error.ts';

/** Options of a fetcher. */
export interface GuardedFetchOptions extends OutgoingOptions {
  /** Longest body, in bytes. Default: 64 KiB. */
  readonly maxBytes?: number;
  /** Longest time from the call to the last byte. Default: 5 s. */
  readonly timeoutMs?: number;
  /** Requests that are open at once. Default: 20. */
  readonly maxOpen?: number;
  /** Requests that are open at once to one host name. Default: 4. */
  readonly maxOpenPerHost?: number;
  /** Requests to one host name in a minute. Default: 60. */
  readonly maxPerHostAndMinute?: number;
  /** Requests in a minute. Default: 300. */
  readonly maxPerMinute?: number;
  /** `User-Agent` of every request. */
  readonly userAgent?: string;
}

/** JSON that was fetched. */
interface FetchedJson {
  readonly json: unknown;
  /** The value of a header; null where there is none, or several. @param name lower case. */
  header(name: string): string | null;
}

/** Fetches JSON. */
export interface JsonSource {
  /** @throws {GuardedFetchError} whenever there is no JSON. */
  getJson(url: string): Promise<FetchedJson>;
}

/** Fetches JSON until it is closed. */
export interface GuardedFetch extends JsonSource {
  /** Aborts open requests. */
  close(): Promise<void>;
}

const DEFAULTS = {
  networks: [],
  maxBytes: 65_536,
  timeoutMs: 5_000,
  maxOpen: 20,
  maxOpenPerHost: 4,
  maxPerHostAndMinute: 60,
  maxPerMinute: 300,
  userAgent: 'unified-tool-gateway',
};

const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json[ \t]*(?:;|$)/i;

/**
 * Creates a fetcher with its own `Outgoing`: anyone may name an address here.
 *
 * It sends GET over https, to port 443 of public addresses and to any port in the networks, without any credential, follows no
 * redirect, keeps no connection, and accepts only status 200 with JSON.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const settings = { ...DEFAULTS, ...options };
  const rate = createRateLimiter({ points: settings.maxPerMinute, durationSeconds: 60 });
  const hostRate = createRateLimiter({ points: settings.maxPerHostAndMinute, durationSeconds: 60 });
  const openByHost = new OpenCounts();
  let open = 0;
  const outgoing = createOutgoing({
    ...options,
    publicPort: 443,
    connectTimeoutMs: settings.timeoutMs,
  });
  return {
    async getJson(text) {
      const url = checkDocumentUrl(text, settings.networks);
      const isHostBusy = openByHost.of(url.hostname) >= settings.maxOpenPerHost;
      if (open >= settings.maxOpen || isHostBusy) throw new GuardedFetchError('busy');
      const closeOnHost = openByHost.open(url.hostname);
      open += 1;
      try {
        if ((await hostRate.consume(url.hostname)) !== null) throw new GuardedFetchError('busy');
        if ((await rate.consume('all')) !== null) throw new GuardedFetchError('busy');
        return await exchange(await outgoing.dispatcher(), url, settings);
      } finally {
        closeOnHost();
        open -= 1;
      }
    },
    close: () => outgoing.destroy(),
  };
}

/** The rules of one request. */
interface RequestRules {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly userAgent: string;
}

async function exchange(dispatcher: Dispatcher, url: URL, settings: RequestRules): Promise<FetchedJson> {
  const signal = AbortSignal.timeout(settings.timeoutMs);
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      reset: true,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': settings.userAgent },
      signal,
    });
    const body = await readBody(answer, settings.maxBytes);
    return { json: parse(body), header: (name) => headerOf(answer, name) };
  } catch (error) {
    if (error instanceof GuardedFetchError) throw error;
    throw new GuardedFetchError(signal.aborted ? 'timeout' : 'unreachable', { cause: error });
  }
}

async function readBody(answer: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  try {
    checkHead(answer, maxBytes);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new GuardedFetchError('too_large');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, bytes);
  } finally {
    answer.body.on('error', () => {}).destroy();
  }
}

function checkHead(answer: Dispatcher.ResponseData, maxBytes: number): void {
  const { statusCode } = answer;
  if (statusCode >= 300 && statusCode < 400) throw new GuardedFetchError('redirect');
  if (statusCode !== 200) throw new GuardedFetchError('status');
  const coding = headerOf(answer, 'content-encoding') ?? 'identity';
  if (coding.toLowerCase() !== 'identity') throw new GuardedFetchError('media_type');
  if (!JSON_TYPE.test(headerOf(answer, 'content-type') ?? '')) throw new GuardedFetchError('media_type');
  if (Number(headerOf(answer, 'content-length')) > maxBytes) throw new GuardedFetchError('too_large');
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new GuardedFetchError('not_json', { cause });
  }
}
