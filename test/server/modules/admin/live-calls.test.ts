import { request } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { hashSource } from '../../../../server/base/pages/style.ts';
import { insertTestPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { givenDashboard, IDLE_SECONDS, insertCalls, rowsOf, type Visitor } from './support.ts';

const given = givenDashboard();
const aborts: AbortController[] = [];
afterEach(() => {
  for (const abort of aborts.splice(0)) abort.abort();
});

interface Followed {
  readonly status: number;
  readonly headers: Headers;
  /** Tools of the calls in each event, and the reason of the end. */
  readonly events: string[];
  /** Everything that was sent. */
  text(): string;
  readonly ended: Promise<void>;
}

async function follow(visitor: Visitor, query = ''): Promise<Followed> {
  const abort = new AbortController();
  aborts.push(abort);
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(`${given.origin}/admin/calls/live${query}`, {
    headers: { Cookie: cookie },
    redirect: 'manual',
    signal: abort.signal,
  });
  const events: string[] = [];
  let text = '';
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      events.splice(0, events.length, ...[...text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(toSummary));
    }
  };
  const ended = read().catch(() => {});
  return { status: response.status, headers: response.headers, events, text: () => text, ended };
}

function toSummary([, name, data = '']: RegExpMatchArray): string {
  const value = JSON.parse(data);
  return name === 'end'
    ? value
    : rowsOf(value.rows)
        .map(([, , tool]) => tool)
        .join(' ');
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 10 });

test('an open stream begins with the calls of the page, and shows those that end, however long they took', async () => {
  await insertCalls(given, [{ tool: 'library_burn' }]);
  const { status, headers, events } = await follow(await given.operator());
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/event-stream',
    'no-cache, no-transform',
  ]);
  await until(() => expect(events[0]).toBe('library_burn'));
  await insertCalls(given, [{ tool: 'library_find', createdAt: given.now - 1 }]);
  await until(() => expect(events.at(-1)).toContain('library_find'));
  await insertCalls(given, [{ tool: 'slow_tool', createdAt: given.now - 300_000, durationMs: 300_000 }]);
  await until(() => expect(events.at(-1)).toContain('slow_tool'));
});

test('a stream has the filters of the page', async () => {
  const { store, partnerId, now, userId } = given;
  const testPartnerId = await insertTestPartner(store.db, partnerId, now);
  const sample = await ensureUser(store.db, { partnerId: testPartnerId, externalUserId: 'sample', now });
  const operator = await given.operator();
  const first = await Promise.all(
    ['?realm=test', '?outcome=failed', '?service=other'].map((query) => follow(operator, query)),
  );
  const second = await Promise.all(
    [`?user=${userId}&realm=live`, '?tool=library_burn'].map(async (query) =>
      follow(await given.operator({ name: query, role: 'look' }), query),
    ),
  );
  await insertCalls(given, [
    { tool: 'library_burn' },
    { tool: 'failed_tool', outcome: 'gone' },
    { tool: 'other_tool', service: 'other', userId: 'removed' },
    { tool: 'sample_tool', userId: sample.id, partnerId: testPartnerId },
  ]);
  const shown = ['sample_tool', 'failed_tool', 'other_tool', 'library_burn failed_tool', 'library_burn'];
  await until(() => expect([...first, ...second].map(({ events }) => events.at(-1))).toEqual(shown));
});

test('texts of others are escaped in events', async () => {
  const user = await ensureUser(given.store.db, {
    partnerId: given.partnerId,
    externalUserId: '<img src=x onerror=alert(1)>\n\nevent: end\ndata: ""\n\n',
    now: given.now,
  });
  const { events, text } = await follow(await given.operator());
  await insertCalls(given, [{ userId: user.id }]);
  await until(() => expect(text()).toContain('onerror'));
  expect([events.at(-1), text().includes('<img'), text().match(/^event: end/m)]).toEqual(['library_find', false, null]);
});

test('a stream is for operators only, and no use of the session', async () => {
  const foreign = await follow(given.visitor());
  expect([foreign.status, foreign.headers.get('content-type')]).toEqual([401, 'application/json; charset=utf-8']);
  const operator = await given.operator();
  given.now += (IDLE_SECONDS - 1) * 1000;
  expect((await follow(operator)).status).toBe(200);
  given.now += 2000;
  expect((await follow(operator)).status).toBe(401);
});

test('a stream ends when its operator signs out, is removed or was idle for too long', async () => {
  const ended = 'Live updates have stopped: your session has ended.';
  const operator = await given.operator();
  const signedOut = await follow(operator);
  await operator.submit('/admin/calls', '/admin/sign-out');
  await signedOut.ended;
  const removed = await follow(await given.operator({ name: 'ada', role: 'look' }));
  await given.store.db.deleteFrom('operators').where('name', '=', 'ada').execute();
  await removed.ended;
  const idle = await follow(await given.operator({ name: 'grace', role: 'look' }));
  given.now += IDLE_SECONDS * 1000;
  await idle.ended;
  expect([signedOut, removed, idle].map(({ events }) => events.at(-1))).toEqual([ended, ended, ended]);
});

test('a stream ends after its lifetime, and at once when the gateway stops', async () => {
  await given.start({ streamLimits: { lifetimeMs: 60_000 } });
  const operator = await given.operator();
  const old = await follow(operator);
  given.now += 60_000;
  await old.ended;
  expect(old.events.at(-1)).toBe('Live updates have stopped.');
  const stopped = await follow(operator);
  given.stopping.abort();
  await stopped.ended;
  expect(stopped.events.filter((event) => event.startsWith('Live'))).toEqual([]);
  expect((await follow(operator)).status).toBe(503);
});

test('a session and a process have few streams, and a closed one makes room', async () => {
  await given.start({ streamLimits: { perSession: 2, total: 3 } });
  const operator = await given.operator();
  const other = await given.operator({ name: 'grace', role: 'look' });
  const statuses = [await follow(operator), await follow(operator), await follow(operator)].map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 429]);
  expect([(await follow(other)).status, (await follow(other)).status]).toEqual([200, 429]);
  aborts[0]?.abort();
  await until(async () => expect((await follow(other)).status).toBe(200));
});

test('a request for the headers alone opens no stream', async () => {
  await given.start({ streamLimits: { total: 1 } });
  const operator = await given.operator();
  const Cookie = [...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const head = await fetch(`${given.origin}/admin/calls/live`, { method: 'HEAD', headers: { Cookie } });
  expect([head.status, (await follow(operator)).status]).toEqual([200, 200]);
});

test('many requests at once open no more streams than are allowed', async () => {
  const operator = await given.operator();
  const statuses = (await Promise.all(Array.from({ length: 30 }, () => follow(operator)))).map(({ status }) => status);
  expect([statuses.filter((status) => status === 200).length, new Set(statuses)]).toEqual([3, new Set([200, 429])]);
});

test('a quiet stream is kept alive', async () => {
  await given.start({ streamLimits: { aliveMs: 1000 } });
  const { text } = await follow(await given.operator());
  given.now += 1000;
  await until(() => expect(text()).toContain('\n:\n\n'));
});

test('a reader that takes nothing is disconnected', async () => {
  await given.start({ streamLimits: { perSession: 1 } });
  const operator = await given.operator();
  const Cookie = [...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const stalled = request(`${given.origin}/admin/calls/live`, { headers: { Cookie } }, (response) => {
    response.pause();
    begin();
  });
  stalled.on('error', () => {}).end();
  await begun;
  expect((await follow(operator)).status).toBe(429);
  const long = 'x'.repeat(20_000);
  for (let round = 0; (await follow(operator)).status === 429; round += 1) {
    const calls = Array.from({ length: 50 }, (_, index) => ({
      tool: `${long}${round}`,
      requestId: `${round}-${index}`,
    }));
    await insertCalls(given, calls);
  }
  stalled.destroy();
});

test('the page names the stream, and only the page of calls may read from the gateway', async () => {
  const operator = await given.operator();
  const page = await operator.get('/admin/calls?tool=library_find');
  expect(page.text).toContain(
    '<a href="/admin/calls?tool=library_find&amp;live=1" data-live="/admin/calls/live?tool=library_find">Show live</a>',
  );
  const policy = page.headers.get('content-security-policy') ?? '';
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(page.text) ?? [];
  expect(policy).toContain(`script-src ${hashSource(script)}; connect-src 'self'`);
  for (const path of ['/admin', '/admin/usage', '/admin/calls?live=1', '/admin/calls?before=1.a']) {
    const { headers, text } = await operator.get(path);
    expect([path, headers.get('content-security-policy')?.includes('connect-src'), text.includes('data-live')]).toEqual(
      [path, false, false],
    );
  }
});
