/** Reads the records of a stream: server-sent events, JSON lines, JSON text sequences. */

/**
 * Returns the records as one JSON array in text form. JSON records are unchanged, others become JSON strings.
 *
 * An event becomes an object with its `event`, `id` and `data` (HTML Living Standard §9.2.6), as OpenAPI 3.2 describes
 * it.
 *
 * @param isCut whether the stream continues: an unterminated last record is then incomplete, and left out.
 */
export function recordsOf(text: string, mediaType: string, isCut: boolean): string {
  if (mediaType === 'text/event-stream') return toArray(readEvents(text));
  const separator = mediaType.endsWith('json-seq') ? '\x1e' : '\n';
  const parts = text.split(separator);
  const last = parts.pop() ?? '';
  const isWhole = !isCut || isJson(last);
  const records = [...parts, ...(isWhole ? [last] : [])].map((part) => part.trim()).filter((part) => part !== '');
  return toArray(records.map(toRecord));
}

/** Only a blank line completes an event; the rest of the stream is not an event. */
function readEvents(text: string): string[] {
  const blocks = text
    .replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n\n+/);
  blocks.pop();
  return blocks.flatMap((block) => {
    const data: string[] = [];
    const members: string[] = [];
    for (const line of block.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === 'data') data.push(value);
      else if (field === 'event' || field === 'id') members.push(`${JSON.stringify(field)}:${JSON.stringify(value)}`);
    }
    if (data.length > 0) members.push(`"data":${toRecord(data.join('\n'))}`);
    return members.length === 0 ? [] : [`{${members.join(',')}}`];
  });
}

function toArray(records: readonly string[]): string {
  return `[${records.join(',')}]`;
}

/** JSON unchanged, anything else as a JSON string. */
export function toRecord(text: string): string {
  return isJson(text) ? text : JSON.stringify(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
