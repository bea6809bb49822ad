import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { dropBody } from '../../../../server/base/http/exchange.ts';
import { givenApp } from '../../app-server.ts';

const CHUNK = Buffer.alloc(65_536, 0x20);

const given = givenApp();

function sendWholeThenRead(path: string, bytes: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(given.origin).port), '127.0.0.1');
    socket.pause();
    socket.on('error', (error: Error & { code?: string }) => resolve(error.code ?? 'unknown'));
    socket.on('close', () => resolve('closed'));
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
    let left = bytes;
    const write = (): void => {
      const part = CHUNK.subarray(0, Math.min(left, CHUNK.length));
      left -= part.length;
      if (left > 0) socket.write(part, write);
      else
        socket.write(part, () => {
          socket.once('data', (answer) => {
            resolve(answer.toString('latin1').slice(9, 12));
            socket.destroy();
          });
          socket.resume();
        });
    };
    write();
  });
}

describe('a body that is too large', () => {
  test.each([66_000, 200_000, 4_300_000, 8_000_000, 30_000_000])(
    'of %i bytes is answered after it was sent',
    async (bytes) => {
      await given.start();
      const answers = [];
      for (let index = 0; index < 20; index += 1) {
        answers.push(await sendWholeThenRead('/api/mcp/oauth/token', bytes));
      }
      expect(new Set(answers)).toEqual(new Set(['413']));
    },
  );

  test('loses its connection if too much of it is left', async () => {
    await given.start();
    expect(await sendWholeThenRead('/api/mcp/oauth/token', 400_000_000)).toMatch(/^(EPIPE|ECONNRESET|closed)$/);
  });
});

describe('the rest of a body', () => {
  const LIMITS = { bytes: 100, ms: 60_000 };

  function requestOf() {
    const destroyed: boolean[] = [];
    const body = new PassThrough();
    const socket = { destroy: () => destroyed.push(true) };
    return { body, destroyed, request: Object.assign(body, { socket }) as unknown as IncomingMessage };
  }

  test('is read and dropped to its end', async () => {
    const { body, request, destroyed } = requestOf();
    const dropped = dropBody(request, LIMITS);
    body.end('x'.repeat(100));
    await dropped;
    expect([body.readableEnded, destroyed]).toEqual([true, []]);
  });

  test('is dropped up to a limit, and as much again after the answer', async () => {
    const { body, request, destroyed } = requestOf();
    const dropped = dropBody(request, LIMITS);
    body.write('x'.repeat(101));
    await dropped;
    expect(destroyed).toEqual([]);
    body.write('x'.repeat(101));
    await expect.poll(() => destroyed).toEqual([true]);
  });

  test('is dropped for a limited time', async () => {
    const { request, destroyed } = requestOf();
    await dropBody(request, { bytes: 100, ms: 1 });
    await expect.poll(() => destroyed).toEqual([true]);
  });

  test('is not read if the connection is closed', async () => {
    const { body, request, destroyed } = requestOf();
    body.destroy();
    await dropBody(request, LIMITS);
    expect(destroyed).toEqual([]);
  });
});
