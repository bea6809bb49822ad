/** Puts a kept list of tools into the answer that the SDK wrote without them. */

import type { ToolList } from '../tools/provider.ts';

/** Inside a JSON string the quotes would be escaped, so this can only be the member itself. */
const EMPTY_LIST = '"tools":[]';
const MEMBER_NAME_LENGTH = '"tools":'.length;

/**
 * The SDK's answer to `tools/list` with the kept bytes in place of its empty list.
 *
 * Everything else in it stays the SDK's own work. An answer without exactly one empty list comes back as it is.
 */
export async function spliceTools(answer: Response, list: ToolList): Promise<Response> {
  const text = await answer.text();
  const start = text.indexOf(EMPTY_LIST);
  if (start < 0 || text.includes(EMPTY_LIST, start + 1)) return withBody(answer, Buffer.from(text, 'utf8'));
  const head = Buffer.from(text.slice(0, start + MEMBER_NAME_LENGTH), 'utf8');
  const tail = Buffer.from(text.slice(start + EMPTY_LIST.length), 'utf8');
  return withBody(answer, Buffer.concat([head, list.json, tail]));
}

function withBody(answer: Response, body: Buffer<ArrayBuffer>): Response {
  const headers = new Headers(answer.headers);
  headers.set('content-length', String(body.byteLength));
  return new Response(body, { status: answer.status, headers });
}
