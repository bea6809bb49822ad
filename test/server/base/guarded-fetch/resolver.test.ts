import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { createResolver } from '../../../../server/base/guarded-fetch/resolver.ts';

const A_RECORD = 1;
const open: Socket[] = [];

/** A name server on this machine. `records` are addresses of type A by name; undefined: it never answers. */
async function startNameServer(records?: Readonly<Record<string, string>>, ttl = 60) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  open.push(socket);
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    if (type === A_RECORD) asked.push(name);
    if (records === undefined) return;
    const address = type === A_RECORD ? records[name] : undefined;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(records[name] === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(address === undefined ? 0 : 1, 6);
    head.writeUInt32BE(0, 8);
    const answer = Buffer.alloc(16);
    answer.writeUInt32BE(0xc00c0001, 0);
    answer.writeUInt16BE(1, 4);
    answer.writeUInt32BE(ttl, 6);
    answer.writeUInt16BE(4, 10);
    answer.set(address?.split('.').map(Number) ?? [], 12);
    const question = query.subarray(12, end);
    socket.send(Buffer.concat([head, question, ...(address === undefined ? [] : [answer])]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString());
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

describe('the resolver of outgoing requests', () => {
  test('answers with the addresses of a name, and keeps them as long as the name server says', async () => {
    let now = 0;
    const { servers, asked } = await startNameServer({ 'api.example': '192.0.2.7' }, 10);
    const resolve = createResolver({ servers, now: () => now });
    const found = [{ address: '192.0.2.7', family: 4 }];
    for (let count = 0; count < 3; count += 1) expect(await resolve('api.example')).toEqual(found);
    expect(asked).toEqual(['api.example']);
    now += 10_001;
    expect(await resolve('api.example')).toEqual(found);
    expect(asked).toEqual(['api.example', 'api.example']);
  });

  test('rejects a name without an address, and asks again a second later', async () => {
    let now = 0;
    const { servers, asked } = await startNameServer({});
    const resolve = createResolver({ servers, now: () => now });
    for (let count = 0; count < 3; count += 1) await expect(resolve('nobody.example')).rejects.toThrow('ENOTFOUND');
    expect(asked).toHaveLength(1);
    now += 1_001;
    await expect(resolve('nobody.example')).rejects.toThrow();
    expect(asked).toHaveLength(2);
  });

  test('gives a silent name server up at its deadline, without keeping another lookup waiting', async () => {
    const silent = createResolver({ servers: (await startNameServer()).servers, deadlineMs: 100 });
    const resolve = createResolver(await startNameServer({ 'api.example': '192.0.2.7' }));
    const given = Array.from({ length: 64 }, (_, index) => silent(`h${index}.slow.example`).catch(() => 'given up'));
    expect(await Promise.race([resolve('api.example'), ...given])).toEqual([{ address: '192.0.2.7', family: 4 }]);
    expect(new Set(await Promise.all(given))).toEqual(new Set(['given up']));
  });

  test('asks no name server for this machine', async () => {
    const { servers, asked } = await startNameServer({});
    const resolve = createResolver({ servers });
    expect(await resolve('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(await resolve('demo.localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(asked).toEqual([]);
  });
});
