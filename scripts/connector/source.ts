/** A descriptor from a file or, because a person asked for it, from the network. */

import { readFile, stat } from 'node:fs/promises';

/** As much as codegen reads. */
const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** Arguments or a source that the person at the keyboard can mend. */
export class SourceError extends Error {
  override name = 'SourceError';
}

/** The bytes of a descriptor as they came, and the name under which codegen finds them. */
interface Descriptor {
  readonly bytes: Uint8Array;
  readonly fileName: 'openapi.json' | 'openapi.yaml';
}

/**
 * Reads a file, or fetches an http or https URL.
 *
 * @throws {SourceError} when it cannot be read, is too large, or is not UTF-8 text.
 */
export async function readDescriptor(source: string, fetchUrl: typeof fetch): Promise<Descriptor> {
  const bytes = isUrl(source) ? await fetchBytes(source, fetchUrl) : await readBytes(source);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SourceError(`${source} is not UTF-8 text.`);
  }
  return { bytes, fileName: /^\s*\{/.test(text) ? 'openapi.json' : 'openapi.yaml' };
}

function isUrl(source: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(source);
}

async function readBytes(file: string): Promise<Uint8Array> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new SourceError(`There is no file ${file}.`);
  if (found.size > MAX_BYTES) throw new SourceError(`${file} has ${found.size} bytes; at most ${MAX_BYTES} are read.`);
  return readFile(file);
}

async function fetchBytes(source: string, fetchUrl: typeof fetch): Promise<Uint8Array> {
  if (!/^https?:\/\//i.test(source) || !URL.canParse(source)) {
    throw new SourceError(`${source} is not an http or https URL.`);
  }
  try {
    const response = await fetchUrl(source, {
      headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.1' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new SourceError(`${source} answers ${response.status}.`);
    return await readBounded(source, response);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new SourceError(`${source} cannot be fetched: ${cause instanceof Error ? cause.message : String(cause)}.`);
  }
}

async function readBounded(source: string, response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new SourceError(`${source} has more than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
