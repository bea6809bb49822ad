/** Splits a multipart body into its parts (RFC 2046 §5.1). */

export interface Part {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** @returns null if the body is incomplete, or its parts have another encoding (`Content-Transfer-Encoding`). */
export function partsOf(body: Uint8Array, contentType: string): Part[] | null {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return null;
  const text = `\n${Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')}`;
  const [, ...sections] = text.split(`\n--${boundary}`);
  const end = sections.findIndex((section) => section.startsWith('--'));
  if (end < 0) return null;
  const parts = sections.slice(0, end).map(toPart);
  return parts.every((part) => part !== null) ? parts : null;
}

/** The line break before a delimiter belongs to the delimiter. */
function toPart(section: string): Part | null {
  const [, head, content = ''] = /^[ \t]*\r?\n((?:[^\r\n]+\r?\n)*)\r?\n(.*)$/s.exec(section) ?? [];
  if (head === undefined || /^content-transfer-encoding:\s*(base64|quoted-printable)/im.test(head)) return null;
  const [, contentType = 'text/plain'] = /^content-type:[ \t]*(.*?)\r?$/im.exec(head) ?? [];
  return { contentType, bytes: Buffer.from(content.replace(/\r$/, ''), 'latin1') };
}
