/** A name server that knows some names and is silent about others: the only one that this namespace has while it is open. */

import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export interface NameServer {
  /** Names that it was silent about. */
  readonly unanswered: ReadonlySet<string>;
  close(): Promise<void>;
}

const run = promisify(execFile);
const RESOLVERS = '/etc/resolv.conf';
const HEADER_BYTES = 12;
const A_RECORD = 1;
/** Flags of an answer (RFC 1035 §4.1.1). */
const FOUND = 0x8180;
const UNKNOWN = 0x8183;
/** An A record of the name in question, 127.0.0.1, that nobody may keep. */
const THIS_MACHINE = Buffer.from('c00c00010001000000000004' + '7f000001', 'hex');

/** @param known the name that leads to this machine. @param silent end of the names that get no answer. */
export async function openNameServer(folder: string, known: string, silent: string): Promise<NameServer> {
  const unanswered = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    if (name.endsWith(silent)) {
      unanswered.add(name);
      return;
    }
    const answers = name === known && type === A_RECORD ? [THIS_MACHINE] : [];
    const head = Buffer.alloc(HEADER_BYTES);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(name === known ? FOUND : UNKNOWN, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([head, query.subarray(HEADER_BYTES, end), ...answers]), from.port, from.address);
  });
  socket.bind(53, '127.0.0.1').unref();
  await once(socket, 'listening');
  const file = path.join(folder, 'resolv.conf');
  await writeFile(file, 'nameserver 127.0.0.1\n');
  await run('mount', ['--bind', file, RESOLVERS]);
  return {
    unanswered,
    async close() {
      await run('umount', [RESOLVERS]);
      socket.close();
    },
  };
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += 1 + size;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}
