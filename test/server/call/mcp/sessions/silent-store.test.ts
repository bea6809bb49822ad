import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { HttpExchange } from '../../../../../server/base/http/exchange.ts';
import type { Principal } from '../../../../../server/base/principal/principal.ts';
import { ListStreams } from '../../../../../server/call/mcp/list-streams.ts';

const ADA = { userId: 'ada', isSuspended: false } as Principal;
const LIMITS = { checkMs: 20, patienceMs: 40, aliveMs: 1_000_000 };

function openStream(answers: (check: number) => Promise<Principal | null>) {
  const lists = { current: Buffer.from('[]'), checks: 0 };
  const list = async () => ({ json: lists.current, nextCursor: undefined });
  const callerNow = () => {
    lists.checks += 1;
    return answers(lists.checks);
  };
  const stopping = new AbortController();
  const streams = new ListStreams(
    list as never,
    { callerNow },
    { now: Date.now, stopping: stopping.signal, limits: LIMITS },
  );
  const response = Object.assign(new EventEmitter(), { closed: false });
  const exchange = { response, log: { debug() {} } } as unknown as HttpExchange;
  const events: string[] = [];
  const stream = streams.reserve(exchange, ADA, null);
  const opened = streams.begin(stream, ADA, () => ({
    notify: () => void events.push('changed'),
    keepAlive: () => void events.push('alive'),
    end: () => void events.push('end'),
  }));
  return { opened, events, lists, stopping, close: () => response.emit('close') };
}

test('a check that the store never answers is repeated, and the stream hears of the change', async () => {
  const { opened, events, lists, close } = openStream((check) =>
    check === 1 ? new Promise(() => undefined) : Promise.resolve(ADA),
  );
  await opened;
  lists.current = Buffer.from('["new"]');
  await vi.waitFor(() => expect(events).toEqual(['changed']));
  close();
});

test('an answer that comes after its check was repeated changes nothing', async () => {
  const late = Promise.withResolvers<Principal | null>();
  const { opened, events, lists, close } = openStream((check) => (check === 1 ? late.promise : Promise.resolve(ADA)));
  await opened;
  await vi.waitFor(() => expect(lists.checks).toBeGreaterThan(1));
  late.resolve(null);
  lists.current = Buffer.from('["new"]');
  await vi.waitFor(() => expect(events).toEqual(['changed']));
  close();
});

test('a stream that the gateway was still opening when it began to stop ends', async () => {
  const { opened, events, stopping } = openStream(() => Promise.resolve(ADA));
  stopping.abort();
  await opened;
  expect(events).toEqual(['end']);
});
