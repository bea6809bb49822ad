/** A name server that knows one name and does not answer some others. From then on it is the only one of this namespace. */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from './programs.ts';

const HEADER_BYTES = 12;
const A_RECORD = 1;
/** Flags of an answer (RFC 1035 §4.1.1). */
const FOUND = 0x8180;
const UNKNOWN = 0x8183;
/** An A record of the name in question, 127.0.0.1, that may not be cached. */
const THIS_MACHINE = Buffer.from('c00c00010001000000000004' + '7f000001', 'hex');

/**
 * @param known the name that leads to this machine. @param silentSuffix end of the names that get no answer.
 * @returns the names that got no answer, while they are asked for.
 */
export async function openNameServer(
  folder: string,
  known: string,
  silentSuffix: string,
): Promise<ReadonlySet<string>> {
  const unanswered = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    if (name.endsWith(silentSuffix)) {
      unanswered.add(name);
      return;
    }
    const answers = name === known && type === A_RECORD ? [THIS_MACHINE] : [];
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(name === known ? FOUND : UNKNOWN, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...answers]), port, address);
  });
  socket.bind(53, '127.0.0.1').unref();
  await once(socket, 'listening');
  const file = path.join(folder, 'resolv.conf');
  await writeFile(file, 'nameserver 127.0.0.1\n');
  await run('mount', ['--bind', file, '/etc/resolv.conf']);
  return unanswered;
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let offset = HEADER_BYTES;
  for (let size = query[offset] ?? 0; size > 0; size = query[offset] ?? 0) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + size));
    offset += 1 + size;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(offset + 1), end: offset + 5 };
}
