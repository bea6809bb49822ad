/** Writes a stream of two items, as its media type frames them (OpenAPI 3.2 §4.14.1). */

import { isObject } from '../json.ts';
import { toEssence } from '../media-types.ts';

const BOUNDARY = 'sandbox-part';

/** Whether `toStreamBody` can write the media type. */
export function isStream(mediaType: string): boolean {
  return /^text\/event-stream$|[/+](x-)?ndjson$|\/(x-)?jsonl(ines)?$|\/stream\+json$|[/+]json-seq$|^multipart\/mixed$/.test(
    toEssence(mediaType),
  );
}

/** The Content-Type of the stream, with the boundary where there is one. */
export function toStreamType(mediaType: string): string {
  return toEssence(mediaType) === 'multipart/mixed' ? `multipart/mixed; boundary=${BOUNDARY}` : mediaType;
}

export function toStreamBody(mediaType: string, items: readonly unknown[]): Buffer {
  const essence = toEssence(mediaType);
  if (essence === 'text/event-stream') return Buffer.from(items.map(toEvent).join(''));
  if (essence === 'multipart/mixed') {
    const parts = items.map(
      (item) => `--${BOUNDARY}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(item)}\r\n`,
    );
    return Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
  }
  const start = essence.endsWith('json-seq') ? '\x1e' : '';
  return Buffer.from(items.map((item) => `${start}${JSON.stringify(item)}\n`).join(''));
}

/** A string field is written as it is, any other as JSON. */
function toEvent(item: unknown): string {
  const fields = isObject(item) ? Object.entries(item) : [['data', item] as const];
  const lines = fields.flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return text.split('\n').map((line) => `${name}: ${line}\n`);
  });
  return `${lines.join('')}\n`;
}
