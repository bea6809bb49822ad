/** A client connection with minimal overhead: HTTP/1.1, one request at a time, sent as prepared text. */

import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Bytes of the body as sent, chunk sizes included. */
  readonly bytes: number;
  /** The body if it was requested; otherwise empty. */
  readonly text: string;
}

export interface Connection {
  /** @param keepText whether the response body is needed. */
  send(request: string, done: (answer: Answer) => void, keepText?: boolean): void;
  close(): void;
}

/** Shared by all connections: a new buffer per chunk would cost more than reading it. */
const READ_BUFFER = Buffer.alloc(512 * 1024);
const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/** Connects. Reports later errors to `onError`, including a connection closed by the server. */
export async function openConnection(origin: string, onError: (error: Error) => void): Promise<Connection> {
  const { hostname, port } = new URL(origin);
  let closed = false;
  let done: ((answer: Answer) => void) | null = null;
  let reader = createAnswerReader(false);
  const onBytes = (chunk: Buffer): void => {
    const answer = reader(chunk);
    if (answer !== null) done?.(answer);
  };
  const onread = {
    buffer: READ_BUFFER,
    callback(length: number, buffer: Uint8Array): boolean {
      onBytes(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      return true;
    },
  };
  const socket = await new Promise<Socket>((resolve, reject) => {
    const connecting = connect({ port: Number(port), host: hostname, onread }, () => resolve(connecting)).setNoDelay();
    connecting.once('error', reject);
  });
  socket.on('error', onError);
  socket.on('close', () => closed || onError(new Error(`${origin} ended a connection`)));
  return {
    send(request, onAnswer, keepText = false) {
      done = onAnswer;
      reader = createAnswerReader(keepText);
      socket.write(request, 'latin1');
    },
    close() {
      closed = true;
      socket.destroy();
    },
  };
}

/** Reads one response chunk by chunk, and returns it with its last chunk. Chunks are overwritten after each call. */
function createAnswerReader(keepText: boolean): (chunk: Buffer) => Answer | null {
  let head: Buffer | null = null;
  let status = 0;
  /** Bytes of the body; null: it is chunked. */
  let length: number | null = 0;
  let bytes = 0;
  let ending = '';
  const kept: Buffer[] = [];

  const readBody = (piece: Buffer): Answer | null => {
    bytes += piece.length;
    if (keepText) kept.push(Buffer.from(piece));
    if (length === null) {
      ending = (ending + piece.toString('latin1', Math.max(0, piece.length - LAST_CHUNK.length))).slice(
        -LAST_CHUNK.length,
      );
    }
    const complete = length === null ? ending === LAST_CHUNK : bytes >= length;
    if (!complete) return null;
    const body = Buffer.concat(kept);
    return { status, bytes, text: (length === null ? joinChunks(body) : body).toString('utf8') };
  };

  return (chunk) => {
    if (status !== 0) return readBody(chunk);
    const data: Buffer = head === null ? chunk : Buffer.concat([head, chunk]);
    const end = data.indexOf(HEAD_END);
    if (end < 0) {
      head = Buffer.from(data);
      return null;
    }
    const text = data.toString('latin1', 0, end);
    status = Number(text.slice(9, 12));
    const stated = /\r\ncontent-length: *(\d+)/i.exec(text);
    length = stated === null ? null : Number(stated[1]);
    return readBody(data.subarray(end + HEAD_END.length));
  };
}

/** Removes the chunk sizes from a chunked body (RFC 9112 §7.1). */
function joinChunks(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const start = body.indexOf('\r\n', at) + 2;
    const end = start + Number.parseInt(body.toString('latin1', at, start), 16);
    pieces.push(body.subarray(start, end));
    at = end + 2;
  }
  return Buffer.concat(pieces);
}
