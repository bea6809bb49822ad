/** Reads the records of a stream: server-sent events, lines of JSON, JSON text sequences. */

/**
 * The records as the text of one JSON array. A record that is JSON stands as it was written, any other as a text.
 *
 * An event is an object of its `event`, `id` and `data` (HTML Living Standard §9.2.6), as OpenAPI 3.2 describes events.
 *
 * @param isCut whether the stream continues: its last record, where nothing ends it, is then half of one and is left out
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

/** An event counts when a blank line ends it; the rest of the stream is no event. */
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

/** JSON as it was written, anything else as a JSON text. */
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
