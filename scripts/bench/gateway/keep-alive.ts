/** A client's connection that costs as little as it can: HTTP/1.1, one request at a time, written as ready text. */

import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Bytes of the body as sent, chunk sizes included. */
  readonly bytes: number;
  /** The body, where it was asked for; else empty. */
  readonly text: string;
}

export interface Connection {
  /** @param keepText whether the answer's body is wanted. */
  send(request: string, done: (answer: Answer) => void, keepText?: boolean): void;
  close(): void;
}

/** Of all connections: a new one for each piece would cost more than the reading. */
const READ_BUFFER = Buffer.alloc(512 * 1024);
const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/** Connects. An error later on goes to `onError`, as does a connection that the server ends. */
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

/** Reads one answer piece by piece, and returns it with its last piece. Pieces are overwritten after each call. */
function createAnswerReader(keepText: boolean): (chunk: Buffer) => Answer | null {
  let head: Buffer | null = null;
  let status = 0;
  /** Bytes of the body; null: it is sent in chunks. */
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

/** Takes the sizes out of a body that was sent in chunks (RFC 9112 §7.1). */
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
