import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isStoreOutage } from '../../../../server/base/store/outage.ts';
import { createPostgresPool } from '../../../../server/base/store/postgres.ts';

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const PASSWORD_REQUEST = message('R', Buffer.from([0, 0, 0, 3]));
const LOGIN_OK = Buffer.concat([message('R', Buffer.from([0, 0, 0, 0])), message('Z', Buffer.from('I'))]);
const refusal = (code: string): Buffer => message('E', Buffer.from(`SFATAL\0C${code}\0Mrefused\0\0`));

/** A server of PostgreSQL's protocol, as far as the login. */
let server: Server;
let folder: string;
let url: string;
let accepts: string;
let code: string;

beforeEach(async () => {
  [accepts, code] = ['first', '28P01'];
  server = createServer((socket) => {
    let isStarted = false;
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => {
      if (isStarted) {
        if (data.subarray(5, data.length - 1).toString() === accepts) socket.write(LOGIN_OK);
        else socket.end(refusal(code));
        return;
      }
      isStarted = true;
      socket.write(PASSWORD_REQUEST);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  folder = await mkdtemp(join(tmpdir(), 'password-'));
  url = `postgres://gateway:first@127.0.0.1:${(server.address() as AddressInfo).port}/gateway`;
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

type Use = (pool: ReturnType<typeof createPostgresPool>) => Promise<unknown>;

async function connect(options: { urlFile?: string; use?: Use } = {}): Promise<unknown> {
  const { use = async (pool) => (await pool.connect()).release(true), ...more } = options;
  const pool = createPostgresPool({ url, onError: () => {}, ...more });
  try {
    await use(pool);
    return 'connected';
  } catch (error) {
    return error;
  } finally {
    await pool.end();
  }
}

describe('a connection to PostgreSQL', () => {
  test('takes the password that the file of the address has now', async () => {
    const urlFile = join(folder, 'database-url');
    await writeFile(urlFile, `${url}\n`);
    const pool = createPostgresPool({ url, urlFile, onError: () => {} });
    (await pool.connect()).release(true);
    accepts = 'second/ä';
    expect(isStoreOutage(await pool.connect().catch((error: unknown) => error))).toBe(true);
    await writeFile(urlFile, url.replace(':first@', `:${encodeURIComponent(accepts)}@`));
    (await pool.connect()).release(true);
    await pool.end();
  });

  test('takes the password that the file last had while it cannot be read', async () => {
    expect(await connect({ urlFile: join(folder, 'missing') })).toBe('connected');
  });

  test.each(['28P01', '42501', '3D000', '0A000', 'XX000'])('refused with %s is an outage', async (refused) => {
    [accepts, code] = ['another', refused];
    expect(isStoreOutage(await connect())).toBe(true);
    expect(isStoreOutage(await connect({ use: (pool) => pool.query('select 1') }))).toBe(true);
  });

  test('without a file takes the password of the address', async () => {
    expect(await connect()).toBe('connected');
  });
});
