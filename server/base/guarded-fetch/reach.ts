/** Sends the requests of checks, and explains network errors. */

import { connect } from 'node:tls';
import { createGuard } from './guard.ts';
import { GuardedFetchError } from './index.ts';
import { addressOf, isAddress } from './networks.ts';
import { createOutgoing, type Outgoing } from './outgoing.ts';
import type { OutgoingProxy } from './proxy.ts';
import type { Resolve } from './resolver.ts';
import { tlsProblemOf } from './tls-problems.ts';

/** The functions with which checks reach others. Tests use their own name resolution and certificates. */
export interface Reach {
  /** For the gateway and what belongs to it: any address. */
  readonly anywhere: Outgoing;
  /** For what the gateway itself reaches: addresses that `OUTGOING_NETWORKS` allows. */
  readonly guarded: Outgoing;
  readonly resolve?: Resolve | undefined;
  /** PEM. Default: the certificates that Node trusts. */
  readonly ca?: string | undefined;
}

/** A response in memory. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if it is not JSON. */
  readonly json: unknown;
}

const ANYWHERE = ['0.0.0.0/1', '128.0.0.0/1', '::/1', '8000::/1'];
const MAX_CHARACTERS = 1_000_000;

/** Why there is no response, as a sentence that starts with the name of the host. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError';
}

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'has no address: its name does not resolve',
  EAI_AGAIN: 'has no address: no name server answers',
  ECONNREFUSED: 'refuses connections: nothing listens at this port',
  ECONNRESET: 'closes the connection',
  UND_ERR_SOCKET: 'closes the connection',
  ETIMEDOUT: 'does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'does not answer',
  EHOSTUNREACH: 'cannot be reached: there is no route',
  ENETUNREACH: 'cannot be reached: there is no route',
};

export function createReach(options: {
  networks: readonly string[];
  proxy: OutgoingProxy | null;
  resolve?: Resolve;
  ca?: string;
}): Reach {
  const { networks, proxy, ...own } = options;
  return {
    anywhere: createOutgoing({ ...own, networks: ANYWHERE }),
    guarded: createOutgoing({ ...own, networks, proxy }),
    ...own,
  };
}

/** Sends one request without following redirects. @throws {NoAnswerError} */
export async function ask(outgoing: Outgoing, url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await outgoing.fetch(url, init);
    const text = (await response.text()).slice(0, MAX_CHARACTERS);
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  } catch (cause) {
    throw new NoAnswerError(`${new URL(url).host} ${describeFailure(cause)}`, { cause });
  }
}

/** Explains a network error, as text that follows the name of the host. */
function describeFailure(failure: unknown): string {
  for (let each: unknown = failure; each instanceof Error; each = each.cause) {
    if (each instanceof GuardedFetchError && each.reason === 'address')
      return 'has an address that is not public, and that OUTGOING_NETWORKS does not allow';
    if (each instanceof GuardedFetchError && each.reason === 'proxy')
      return 'cannot be reached through OUTGOING_PROXY, which does not answer or does not allow requests to it';
    if (each instanceof GuardedFetchError && each.reason === 'unresolvable') return WORDS.ENOTFOUND ?? '';
    const code = 'code' in each ? String(each.code) : '';
    const words = WORDS[code] ?? tlsProblemOf(code);
    if (words !== null) return words;
    if (each.name === 'AbortError' || each.name === 'TimeoutError') return 'does not answer in time';
  }
  return 'cannot be reached';
}

/** The certificate of a server. */
interface ServerCertificate {
  /** Null if the certificate is valid for this host and its chain is complete. Otherwise a text that follows the name of the host. */
  readonly problem: string | null;
  /** Milliseconds since 1970. */
  readonly validTo: number;
  /** Organization or name of the signer. */
  readonly issuer: string;
  readonly protocol: string;
}

/** Opens a TLS connection to read the certificate, valid or not. @throws {NoAnswerError} */
export function readCertificate(url: URL, { resolve, ca }: Reach, signal: AbortSignal): Promise<ServerCertificate> {
  const host = addressOf(url.hostname);
  return new Promise((done, fail) => {
    const end = (cause: Error) => fail(new NoAnswerError(`${url.host} ${describeFailure(cause)}`, { cause }));
    const socket = connect({
      host,
      port: Number(url.port || 443),
      rejectUnauthorized: false,
      servername: isAddress(host) ? undefined : host,
      ca,
      lookup: createGuard({ networks: ANYWHERE, resolve }).lookup,
    });
    signal.addEventListener('abort', () => socket.destroy(new Error('aborted')), { once: true });
    socket.once('error', end);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate();
      const code = socket.authorizationError as unknown as string | Error | null;
      done({
        problem: code === null || code === undefined ? null : describeFailure(toError(code)),
        validTo: Date.parse(certificate.valid_to),
        issuer: String(certificate.issuer?.O ?? certificate.issuer?.CN ?? 'unknown'),
        protocol: socket.getProtocol() ?? 'unknown',
      });
      socket.destroy();
    });
  });
}

function toError(code: string | Error): Error {
  return code instanceof Error ? code : Object.assign(new Error(code), { code });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
