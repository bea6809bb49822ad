/** Media types whose content is one record after another, possibly without an end. */

const STREAMS = new Set([
  'text/event-stream',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonl',
  'application/jsonlines',
  'application/x-jsonlines',
  'application/stream+json',
  'application/json-seq',
]);

/** Whether an answer of this Content-Type is a stream: server-sent events, lines of JSON, or a JSON text sequence (RFC 7464). */
export function isStream(contentType: string | null): boolean {
  const [essence = ''] = (contentType ?? '').split(';');
  const name = essence.trim().toLowerCase();
  return STREAMS.has(name) || name.endsWith('+json-seq');
}
