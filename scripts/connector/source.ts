/** A descriptor from a file or, because a person asked for it, from the network. */

import { readFile, stat } from 'node:fs/promises';
import { UsageError } from '../../cli/run.ts';

/** As much as codegen reads. */
const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** The bytes of a descriptor as they came, and the name under which codegen finds them. */
interface Descriptor {
  readonly bytes: Uint8Array;
  readonly fileName: 'openapi.json' | 'openapi.yaml';
}

/**
 * Reads a file, or fetches an http or https URL.
 *
 * @throws {UsageError} when it cannot be read, is too large, or is not UTF-8 text.
 */
export async function readDescriptor(source: string): Promise<Descriptor> {
  const bytes = isUrl(source) ? await fetchBytes(source) : await readBytes(source);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${source} is not UTF-8 text.`);
  }
  return { bytes, fileName: /^\s*\{/.test(text) ? 'openapi.json' : 'openapi.yaml' };
}

function isUrl(source: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(source);
}

async function readBytes(file: string): Promise<Uint8Array> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new UsageError(`There is no file ${file}.`);
  if (found.size > MAX_BYTES) throw new UsageError(`${file} has ${found.size} bytes; at most ${MAX_BYTES} are read.`);
  return readFile(file);
}

async function fetchBytes(source: string): Promise<Uint8Array> {
  if (!/^https?:\/\//i.test(source) || !URL.canParse(source)) {
    throw new UsageError(`${source} is not an http or https URL.`);
  }
  try {
    const response = await fetch(source, {
      headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.1' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new UsageError(`${source} answers ${response.status}.`);
    return await readBounded(source, response);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new UsageError(`${source} cannot be fetched: ${cause instanceof Error ? cause.message : String(cause)}.`);
  }
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
