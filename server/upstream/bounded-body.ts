/** Reads an upstream's body without ever holding more than a limit. */

import { UpstreamFailure } from './failures.ts';

/** The parts of undici's `Response` that reading needs. */
export interface ReadableAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
}

/**
 * Reads the decoded body.
 *
 * @throws {UpstreamFailure} `too_large` as soon as more than `maxBytes` have arrived, or the upstream announces more.
 */
export async function readBounded(answer: ReadableAnswer, maxBytes: number): Promise<Uint8Array> {
  const announced = announcedBytes(answer);
  if (announced !== null && announced > maxBytes) {
    await discard(answer);
    throw new UpstreamFailure('too_large', { status: answer.status, bytes: announced, limit: maxBytes });
  }
  const { bytes, complete } = await readUpTo(answer, maxBytes);
  if (!complete) throw new UpstreamFailure('too_large', { status: answer.status, limit: maxBytes });
  return bytes;
}

/** Reads at most `maxBytes` of the decoded body and drops the rest. */
export async function readTruncated(answer: ReadableAnswer, maxBytes: number): Promise<Uint8Array> {
  return (await readUpTo(answer, maxBytes)).bytes;
}

/** Gives up a body unread, and with it the connection if bytes are still on their way. */
export async function discard(answer: ReadableAnswer): Promise<void> {
  await answer.body?.cancel().catch(() => undefined);
}

async function readUpTo(answer: ReadableAnswer, maxBytes: number): Promise<{ bytes: Uint8Array; complete: boolean }> {
  if (answer.body === null) return { bytes: new Uint8Array(0), complete: true };
  const reader = answer.body.getReader();
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: Buffer.concat(chunks, total), complete: true };
    const room = maxBytes - total;
    if (value.byteLength > room) {
      chunks.push(value.subarray(0, room));
      await reader.cancel().catch(() => undefined);
      return { bytes: Buffer.concat(chunks, maxBytes), complete: false };
    }
    chunks.push(value);
    total += value.byteLength;
  }
}

/** The body's size as announced; unknown when it is compressed, because the limit counts decoded bytes. */
function announcedBytes(answer: ReadableAnswer): number | null {
  const coding = answer.headers.get('content-encoding');
  if (coding !== null && coding.trim().toLowerCase() !== 'identity') return null;
  const length = answer.headers.get('content-length');
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}
