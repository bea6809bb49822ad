/** A collector of OTLP logs on loopback, which decodes protobuf. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Fields of a message by number: varints and fixed values as numbers, the rest as bytes. */
type Message = ReadonlyMap<number, readonly (number | Buffer)[]>;

function decode(bytes: Buffer): Message {
  const fields = new Map<number, (number | Buffer)[]>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const read = [
      varint,
      () => Number(take(8).readBigUInt64LE()),
      () => take(varint()),
      undefined,
      undefined,
      () => take(4),
    ];
    const value = read[tag & 7]!();
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const messagesOf = (message: Message, field: number) =>
  (message.get(field) ?? []).map((each) => decode(each as Buffer));
const textOf = (message: Message, field: number) => String(message.get(field)?.[0] ?? '');

function attributesOf(message: Message, field: number): Record<string, string | number> {
  return Object.fromEntries(
    messagesOf(message, field).map((pair) => {
      const [value] = messagesOf(pair, 2);
      const number = value?.get(3)?.[0];
      return [textOf(pair, 1), typeof number === 'number' ? number : textOf(value!, 1)];
    }),
  );
}

export interface ReceivedLog {
  readonly name: string;
  readonly severity: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly resource: Readonly<Record<string, string | number>>;
}

/** Starts the collector. `requests` are answered with `status`. */
export async function startLogCollector() {
  const collector = { status: 200, logs: [] as ReceivedLog[], paths: [] as string[] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    collector.paths.push(request.url ?? '');
    response.writeHead(collector.status, { 'content-type': 'application/x-protobuf' }).end();
    if (collector.status !== 200 || !request.url?.endsWith('/v1/logs')) return;
    for (const resourceLogs of messagesOf(decode(Buffer.concat(chunks)), 1)) {
      const resource = attributesOf(messagesOf(resourceLogs, 1)[0]!, 1);
      for (const record of messagesOf(resourceLogs, 2).flatMap((scope) => messagesOf(scope, 2))) {
        collector.logs.push({
          name: textOf(record, 12),
          severity: textOf(record, 3),
          text: textOf(messagesOf(record, 5)[0]!, 1),
          at: Number(record.get(1)?.[0]) / 1e6,
          attributes: attributesOf(record, 6),
          resource,
        });
      }
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(collector, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
}
