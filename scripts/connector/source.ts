/** Reads a descriptor from a file or, at a person's request, from the network. */

import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { Agent, fetch, type Response } from 'undici';
import { createGuard } from '../../server/base/guarded-fetch/guard.ts';
import { isPublicAddress } from '../../server/base/guarded-fetch/public-address.ts';
import { UsageError } from '../../shared/cli/run.ts';

/** The limit of codegen. */
const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 5;

/** The permissions for a fetch, and the function that its progress is reported to. */
export interface FetchRules {
  /**
   * Returns true if a host, with its port, may have an address that is not public: this machine, a private network, the metadata service of a cloud.
   * It is called for every redirect and reference too.
   */
  readonly mayBePrivate: (host: string) => boolean;
  readonly say: (line: string) => void;
}

/** A descriptor as it was read. */
export interface Descriptor {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly extension: 'json' | 'yaml';
}

/** Reads descriptors one after another, or several at a time, over the same connections. */
interface DescriptorReader {
  /**
   * Reads a file, or fetches an http or https URL. Follows and reports redirects, but not to a private address.
   *
   * @throws {UsageError} if it cannot be read, is too large, or is not UTF-8 text.
   */
  read(source: string): Promise<Descriptor>;
  /** Closes the connections. */
  close(): Promise<void>;
}

interface ReaderRules extends FetchRules {
  /** For one address, in milliseconds. Default: 60 seconds. */
  readonly timeoutMs?: number;
  /** Ends every fetch. Default: none. */
  readonly deadline?: AbortSignal;
}

/** The source can be read, and is no descriptor: it may be something else. */
export class NoDescriptorError extends UsageError {}

/** Reads one descriptor. @throws {UsageError} as `DescriptorReader.read` does. */
export async function readDescriptor(source: string, rules: FetchRules): Promise<Descriptor> {
  const reader = createDescriptorReader(rules);
  try {
    return await reader.read(source);
  } finally {
    await reader.close();
  }
}

/** Opens no connection before the first fetch. */
export function createDescriptorReader(rules: ReaderRules): DescriptorReader {
  const agents = createAgents();
  return {
    async read(source) {
      const bytes = isUrl(source) ? await fetchBytes(source, agents, rules) : await readBytes(source);
      return { bytes, ...toDescriptorText(source, bytes) };
    },
    close: agents.close,
  };
}

/** The connections of a command, by where they may lead. */
export interface Agents {
  readonly anyAddress: Agent;
  readonly publicAddresses: Agent;
  close(): Promise<void>;
}

export function createAgents(): Agents {
  const { lookup } = createGuard({ networks: [] });
  const anyAddress = new Agent();
  const publicAddresses = new Agent({ connect: { lookup } });
  return {
    anyAddress,
    publicAddresses,
    async close() {
      await Promise.all([anyAddress.destroy(), publicAddresses.destroy()]);
    },
  };
}

/**
 * Returns the agent for a request. That for public addresses checks the addresses of a name when it connects.
 *
 * @throws {UsageError} for what is no http or https URL, and for an IP address that is not public where `mayBePrivate` does not allow it.
 */
export function chooseAgent(url: string, agents: Agents, mayBePrivate: FetchRules['mayBePrivate']): Agent {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new UsageError(`${url} is not an http or https URL.`);
  const { host, hostname } = new URL(url);
  if (mayBePrivate(host)) return agents.anyAddress;
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && !isPublicAddress(address)) throw notPublic(url);
  return agents.publicAddresses;
}

function toDescriptorText(source: string, bytes: Uint8Array): Omit<Descriptor, 'bytes'> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${source} is not UTF-8 text.`);
  }
  return { text, extension: /^\s*\{/.test(text) ? 'json' : 'yaml' };
}

/** Returns true if the source names a scheme and a host, or appears to. */
export function isUrl(source: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(source);
}

async function readBytes(file: string): Promise<Uint8Array> {
  const stats = await stat(file).catch(() => null);
  if (!stats?.isFile()) throw new UsageError(`There is no file ${file}.`);
  if (stats.size > MAX_BYTES) throw new UsageError(`${file} has ${stats.size} bytes; at most ${MAX_BYTES} are read.`);
  return readFile(file);
}

async function fetchBytes(source: string, agents: Agents, rules: ReaderRules): Promise<Uint8Array> {
  try {
    return await readBounded(source, await follow(source, agents, rules));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${source} cannot be fetched: ${toFetchReason(source, error)}. Download it in another way, and name the file in place of the address (for a recipe: --from <file>).`,
    );
  }
}

/** Returns why a request failed, as a clause. @throws {UsageError} if the address is not public. */
export function toFetchReason(url: string, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  if ('reason' in cause && cause.reason === 'address') throw notPublic(url);
  return 'reason' in cause && cause.reason === 'unresolvable' ? 'its host has no address' : cause.message;
}

async function follow(source: string, agents: Agents, rules: ReaderRules): Promise<Response> {
  const { say, timeoutMs = TIMEOUT_MS, deadline } = rules;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = deadline === undefined ? timeout : AbortSignal.any([timeout, deadline]);
  const headers = { accept: 'application/json, application/yaml, text/yaml, */*;q=0.1' };
  let url = source;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const dispatcher = chooseAgent(url, agents, rules.mayBePrivate);
    const response = await fetch(url, { headers, signal, dispatcher, redirect: 'manual' });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) {
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      if (response.ok && !isStream) return response;
      await response.body?.cancel();
      throw new NoDescriptorError(`${url} answers ${isStream ? 'with a stream of events' : response.status}.`);
    }
    await response.body?.cancel();
    const next = URL.canParse(location, url) ? new URL(location, url).href : location;
    say(`${url} redirects to ${next}\n`);
    url = next;
  }
  throw new UsageError(`${source} redirects more than ${MAX_REDIRECTS} times.`);
}

function notPublic(url: string): UsageError {
  return new UsageError(
    `${url} leads to an address that is not public. --allow-private allows the host that you name to be there, --private-host another one.`,
  );
}

async function readBounded(source: string, response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new UsageError(`${source} has more than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
