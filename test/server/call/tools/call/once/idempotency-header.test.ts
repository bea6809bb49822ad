import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { closeAfterEach } from '../../../../../support/close-after-each.ts';
import { describeStore } from '../../../../base/store/dialects.ts';
import { errorOf } from '../../support.ts';
import { ADD, type OnceUnderTest, PAY, startOnce, toPayingTool } from './support.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describeStore('a tool whose upstream recognises repeated requests', (given) => {
  const open = closeAfterEach<OnceUnderTest>();
  async function start(
    answer: (request: IncomingMessage, response: ServerResponse, number: number) => void,
    changes?: Parameters<typeof startOnce>[2],
  ) {
    const keys: unknown[] = [];
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      keys.push(request.headers['idempotency-key']);
      answer(request, response, keys.length);
    };
    const once = await startOnce(given.store, listener, changes);
    open.push(once);
    return { once, keys };
  }
  const ok = (_: IncomingMessage, response: ServerResponse) => void response.writeHead(201).end('{}');

  test('gets a new key in each call without one, and no other tool does', async () => {
    const { once, keys } = await start(ok);
    for (const tool of [PAY, PAY, ADD]) await once.add(null, {}, { tool });
    expect(keys).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID), undefined]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test('is sent again with the same key where the result of the first is unknown', async () => {
    const { once, keys } = await start((request, response, number) => {
      if (number === 1) request.socket.resetAndDestroy();
      else ok(request, response);
    });
    expect(errorOf(await once.add('k', {}, { tool: PAY })).code).toBe('upstream_connection_lost');
    expect((await once.add('k', {}, { tool: PAY, node: 1 })).isError ?? false).toBe(false);
    expect(keys).toEqual([expect.stringMatching(UUID), keys[0]]);
    expect(JSON.stringify(keys)).not.toContain('"k"');
    await once.add('k', {}, { tool: PAY });
    expect(once.hits()).toBe(2);
  });

  test('gets different keys for other grants, and for other arguments after a rejection', async () => {
    const { once, keys } = await start((request, response, number) => {
      if (number === 1) response.writeHead(422).end('{}');
      else ok(request, response);
    });
    const grantId = await once.grant();
    await once.add('k', { title: 'A' }, { tool: PAY });
    await once.add('k', { title: 'B' }, { tool: PAY });
    await once.add('k', { title: 'B' }, { tool: PAY, principal: { grantId } });
    expect(new Set(keys).size).toBe(3);
  });

  test('gets the same key when the gateway repeats a request whose token was rejected', async () => {
    const fields = { token: 'old' };
    const renewed = { kind: 'renewed', fields: { token: 'new' }, updatedAt: 2, expiresAt: null } as const;
    const token = { scopes: null, renewIfExpired: () => null, renewAfterRefusal: async () => renewed };
    const leases = { open: () => ({ fields, token }) } as unknown as NonNullable<
      Parameters<typeof startOnce>[2]
    >['leases'];
    const { once, keys } = await start(
      (request, response, number) => {
        if (number === 1) response.writeHead(401).end('{}');
        else ok(request, response);
      },
      { ...(leases && { leases }) },
    );
    expect((await once.add(null, {}, { tool: PAY })).isError ?? false).toBe(false);
    expect(keys).toEqual([expect.stringMatching(UUID), keys[0]]);
  });

  test.each([
    [32, /^[0-9a-f]{32}$/],
    [20, /^[0-9a-f]{20}$/],
    [64, /^[0-9a-f]{64}$/],
  ])('gets a key of %i digits where its upstream expects so many', async (digits, form) => {
    const keys: unknown[] = [];
    const tool = 'library_pay_in_digits';
    const once = await startOnce(
      given.store,
      (request, response) => {
        keys.push(request.headers['idempotency-key']);
        ok(request, response);
      },
      {},
      {},
      [toPayingTool(tool, digits)],
    );
    open.push(once);
    for (let call = 0; call < 5; call += 1) await once.add(null, {}, { tool });
    expect(keys).toEqual(Array(5).fill(expect.stringMatching(form)));
    expect(new Set(keys).size).toBe(5);
  });
});
