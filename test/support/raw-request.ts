/** Sends bytes unchanged, for requests that no HTTP client would send. */

import { connect } from 'node:net';

const TIMEOUT_MS = 20_000;
const MAX_HEAD = 200;
/** Skips interim answers (RFC 9110 §15.2). */
const FINAL_STATUS = /^(?:HTTP\/1\.1 1\d\d[^\r\n]*\r\n\r\n)*HTTP\/1\.1 (\d{3})/;

/** @returns the status of the answer; 0 if the connection ended without one. @throws {Error} after 20 s of silence. */
export function sendRaw(request: {
  readonly host: string;
  readonly port: number;
  readonly localAddress: string;
  readonly text: string;
}): Promise<number> {
  return new Promise((resolve, reject) => {
    let head = '';
    const socket = connect({ host: request.host, port: request.port, localAddress: request.localAddress });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no answer to ${request.text.slice(0, 500)}`)));
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (head.length < MAX_HEAD) head += text;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === undefined) reject(error);
    });
    socket.on('close', () => resolve(Number(FINAL_STATUS.exec(head)?.[1] ?? 0)));
    socket.end(request.text, 'latin1');
  });
}
