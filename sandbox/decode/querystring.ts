/** Reads a query string that is a single document (`in: querystring`, OpenAPI 3.2 §4.12): a form, JSON, or text. */

import type { SandboxDescriptor, SandboxOperation } from '../descriptor/operations.ts';
import { toEssence } from '../media-types.ts';
import { decodeForm } from './form.ts';
import type { QueryPair } from './query.ts';
import { decodeDocument } from './values.ts';

interface WholeQuery {
  /** By the name of the parameter; empty if the request has no query. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Members of a form; empty for any other document. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** Null: the operation declares no such parameter. @throws {URIError} if percent-encoding is broken. */
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
