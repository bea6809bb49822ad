/** Reads a query that is one document as a whole (`in: querystring`, OpenAPI 3.2 §4.12): a form, JSON, or a text. */

import type { SandboxDescriptor, SandboxOperation } from '../descriptor/operations.ts';
import { toEssence } from '../media-types.ts';
import { decodeForm } from './form.ts';
import type { QueryPair } from './query.ts';
import { decodeDocument } from './values.ts';

interface WholeQuery {
  /** By the name of its parameter; empty where the request has no query. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Members of a form; of another document none. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** Null: the operation has parameters in its query, or none. @throws {URIError} where percent-encoding is broken. */
export async function decodeWholeQuery(
  pairs: readonly QueryPair[],
  { parameters }: SandboxOperation,
  descriptor: SandboxDescriptor,
): Promise<WholeQuery | null> {
  const parameter = parameters.find((one) => one.in === 'querystring');
  if (parameter === undefined) return null;
  if (pairs.length === 0) return { values: {}, members: {} };
  const { name, document } = parameter;
  if (document !== null && toEssence(document.name) === 'application/x-www-form-urlencoded') {
    const text = pairs.map((pair) => `${encodeURIComponent(pair.name)}=${pair.raw}`).join('&');
    const members = await decodeForm({ body: Buffer.from(text), contentType: document.name }, document, descriptor);
    return { values: { [name]: members }, members };
  }
  const text = pairs
    .map((pair) => (pair.raw === '' ? pair.name : `${pair.name}=${decodeURIComponent(pair.raw)}`))
    .join('&');
  return { values: { [name]: decodeDocument(parameter, [text]) }, members: {} };
}
