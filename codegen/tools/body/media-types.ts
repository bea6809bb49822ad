/** Classifies media types for writing request bodies. */

/** `application/json`, from a media type with or without parameters; lower case. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}

/** True for a type and a subtype (RFC 9110 §8.3.1): openapi-fetch has no type for a body under another name. */
export function isMediaType(text: string): boolean {
  return /^[^\s/]+\/[^\s/]+$/.test(essenceOf(text));
}

/** `application/json`, `text/json` and every `+json` (RFC 6839 §3.1). */
export function isJsonMediaType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return essence === 'application/json' || essence === 'text/json' || /^[^/]+\/[^/]+\+json$/.test(essence);
}

/** True for a range, such as `image/*`. */
export function isMediaRange(mediaType: string): boolean {
  return essenceOf(mediaType).includes('*');
}

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

export function isFormMediaType(mediaType: string): boolean {
  return essenceOf(mediaType) === FORM;
}

/** `multipart/form-data`, also as a range. */
export function isMultipartForm(mediaType: string): boolean {
  return essenceOf(mediaType) === MULTIPART || essenceOf(mediaType) === 'multipart/*';
}

/** Types of the `application` tree that are text, in addition to `+xml` and `+yaml`. */
const TEXT_TYPES: ReadonlySet<string> = new Set(
  [
    ...['xml', 'xml-dtd', 'yaml', 'x-yaml', 'toml', 'csv', 'graphql', 'sql', 'sparql-query', 'sparql-update'],
    ...['ndjson', 'x-ndjson', 'jsonl', 'x-jsonl', 'jsonlines', 'x-jsonlines', 'json-seq', 'jsonpath'],
    ...['javascript', 'x-javascript', 'ecmascript', 'typescript', 'x-sh', 'x-httpd-php'],
    ...['n-triples', 'n-quads', 'trig', 'x-turtle', 'jwt', 'jose', 'x-pem-file', 'pem-certificate-chain'],
  ].map((name) => `application/${name}`),
);

/** Media types of responses that the gateway reads item by item. */
const STREAMS: ReadonlySet<string> = new Set([
  'text/event-stream',
  'multipart/mixed',
  ...['x-ndjson', 'ndjson', 'jsonl', 'x-jsonl', 'jsonlines', 'x-jsonlines', 'stream+json', 'json-seq'].map(
    (name) => `application/${name}`,
  ),
]);

export function isStreamMediaType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return STREAMS.has(essence) || essence.endsWith('+json-seq');
}

/** True if a body of this type is text that UTF-8 can encode. */
export function isTextMediaType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  if (!hasUtf8Charset(mediaType)) return false;
  return essence.startsWith('text/') || /\+(xml|yaml|json-seq)$/.test(essence) || TEXT_TYPES.has(essence);
}

/** Text cannot be written in another charset, so such a body is bytes. */
function hasUtf8Charset(mediaType: string): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(mediaType) ?? [];
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset);
}
