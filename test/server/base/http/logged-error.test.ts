import { connect } from 'node:net';
import { DatabaseError } from 'pg';
import { describe, expect, test } from 'vitest';
import { RequestError } from '../../../../server/base/http/errors.ts';
import { createLog } from '../../../../server/base/http/log.ts';
import { givenApp } from '../../app-server.ts';

const SECRET = 'planted-secret';

/** The error as its line in the log has it. */
function logged(error: unknown): unknown {
  const lines: string[] = [];
  createLog({ level: 'info', destination: { write: (line) => lines.push(line) } }).error({ err: error }, 'failed');
  return JSON.parse(lines.join('')).err;
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function fromPostgres(code: string, message: string): Error {
  const error = new DatabaseError(message, message.length, 'error');
  Object.assign(error, { code, detail: `Key (token_hash)=(${SECRET})`, table: 'users', constraint: 'users_pkey' });
  error.stack = `${message}\n    at parse (/x/node_modules/pg-protocol/dist/parser.js:1:1)`;
  return error;
}

describe('an error in the log', () => {
  test.each<[string, () => unknown, Record<string, unknown>]>([
    [
      "node's HTTP parser",
      () =>
        Object.assign(new Error(`Parse Error: ${SECRET}`), {
          stack: `Error: Parse Error: ${SECRET}`,
          code: 'HPE_INVALID_CHUNK_SIZE',
          reason: 'Invalid character in chunk size',
          rawPacket: Buffer.from(SECRET),
        }),
      { type: 'Error', code: 'HPE_INVALID_CHUNK_SIZE', reason: 'Invalid character in chunk size' },
    ],
    [
      'a system call',
      () =>
        Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
          stack: '',
          code: 'ECONNREFUSED',
          syscall: 'connect',
          address: '127.0.0.1',
          port: 1,
        }),
      {
        type: 'Error',
        message: 'connect ECONNREFUSED 127.0.0.1:1',
        code: 'ECONNREFUSED',
        syscall: 'connect',
        address: '127.0.0.1',
        port: 1,
      },
    ],
    [
      'PostgreSQL',
      () => fromPostgres('40P01', 'deadlock detected'),
      {
        type: 'DatabaseError',
        message: 'deadlock detected',
        code: '40P01',
        table: 'users',
        constraint: 'users_pkey',
        stack: '    at parse (/x/node_modules/pg-protocol/dist/parser.js:1:1)',
      },
    ],
    [
      'an answer of ours',
      () => new RequestError(400, 'invalid_grant', 'The code has expired.', { cause: new Error('why') }),
      {
        type: 'RequestError',
        message: 'invalid_grant: The code has expired.',
        code: 'invalid_grant',
        status: 400,
        cause: { type: 'Error', message: 'why' },
      },
    ],
    [
      'a server error of ours',
      () => new RequestError(503, 'server_error', 'Try again.', { cause: new Error('why') }),
      {
        type: 'RequestError',
        message: 'server_error: Try again.',
        code: 'server_error',
        status: 503,
        cause: { type: 'Error', message: 'why', stack: expect.stringContaining('logged-error.test.ts') },
      },
    ],
  ])('of %s has only safe members', (_title, make, want) => {
    expect(logged(make())).toEqual(want);
  });

  test.each<[string, () => unknown]>([
    [
      'a value that PostgreSQL quotes',
      () => fromPostgres('22P02', `invalid input syntax for type bigint: "${SECRET}"`),
    ],
    ['invalid JSON', () => thrownBy(() => JSON.parse(SECRET))],
    ['an invalid URL', () => thrownBy(() => new URL(SECRET))],
    ['a member of an unknown name', () => Object.assign(new Error('x'), { body: SECRET, headers: { a: SECRET } })],
    ['a cause', () => new Error('x', { cause: thrownBy(() => JSON.parse(SECRET)) })],
    ['a code that is a sentence', () => Object.assign(new Error('x'), { code: `(${SECRET})` })],
  ])('does not contain %s', (_title, make) => {
    const lines: string[] = [];
    const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } });
    log.error({ err: make() }, 'failed');
    log.error({ fault: { error: make() } }, 'failed');
    expect(lines.join('')).toContain('"type":');
    expect(lines.join('')).not.toContain(SECRET);
  });

  test('has the stack of an unexpected one', () => {
    const error = thrownBy(() => (undefined as unknown as { a: string }).a);
    expect(logged(error)).toEqual({
      type: 'TypeError',
      message: "Cannot read properties of undefined (reading 'a')",
      stack: expect.stringMatching(/^ {4}at .*logged-error\.test\.ts/),
    });
  });

  test('follows causes to a limited depth', () => {
    let error = new Error('0');
    for (let depth = 1; depth < 10; depth += 1) error = new Error(String(depth), { cause: error });
    expect(JSON.stringify(logged(error)).match(/"type"/g)).toHaveLength(4);
  });
});

describe('a request that is not valid HTTP', () => {
  const given = givenApp();

  function sendRaw(text: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(given.origin).port), '127.0.0.1', () => socket.write(text));
      socket.on('error', () => {});
      socket.on('close', () => resolve());
      socket.resume();
    });
  }

  test.each(['/api/mcp/oauth/token', '/api/mcp/oauth/revoke', '/api/mcp/oauth/sessions', '/api/mcp/unified'])(
    'leaves no secret and no error in the log of %s',
    async (path) => {
      await given.start();
      const body = '5\r\nabcde\r\nZZ\r\nrefresh_token=planted-body';
      await sendRaw(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${await given.issueToken()}\r\nX-Own: ${SECRET}\r\n` +
          `Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
      );
      await expect.poll(() => given.lines.some(({ msg }) => msg === 'request')).toBe(true);
      const text = JSON.stringify(given.lines);
      expect(text).not.toContain('rawPacket');
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('planted-body');
      expect(given.lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});
