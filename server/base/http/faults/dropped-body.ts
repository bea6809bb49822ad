/** Reads and drops the rest of a request body, so that its sender reads the answer. */

import type { IncomingMessage } from 'node:http';

/** How much is read, and for how long. */
interface DropLimits {
  readonly bytes: number;
  readonly ms: number;
}

const LIMITS: DropLimits = { bytes: 32 * 1024 * 1024, ms: 5_000 };

/**
 * Drops the rest of a body. Answer when the promise resolves.
 *
 * Many clients send the whole body before they read, and never see the answer if the connection closes meanwhile. So the body is
 * read to its end, up to 32 MiB and five seconds. Of a longer body, the same amount is read after the answer was sent, for
 * clients that read while they send; then the connection is closed.
 */
export async function dropBody(request: IncomingMessage, limits: DropLimits = LIMITS): Promise<void> {
  if (await drop(request, limits)) return;
  void drop(request, limits).then((ended) => {
    if (!ended) request.socket.destroy();
  });
}

/** @returns whether the body, or its connection, ended within the limits. */
function drop(request: IncomingMessage, limits: DropLimits): Promise<boolean> {
  if (request.readableEnded || request.destroyed) return Promise.resolve(true);
  return new Promise((resolve) => {
    let dropped = 0;
    const settle = (ended: boolean): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onEnd);
      resolve(ended);
    };
    const onData = (chunk: Uint8Array): void => {
      dropped += chunk.byteLength;
      if (dropped > limits.bytes) settle(false);
    };
    const onEnd = (): void => settle(true);
    const timer = setTimeout(() => settle(false), limits.ms);
    request.on('data', onData).on('end', onEnd).on('close', onEnd);
    request.resume();
  });
}
