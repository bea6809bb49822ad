import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { connected, describeRealms } from './two-realms.ts';

describeRealms('webhooks and events', (given) => {
  test('go to the endpoints of their realm alone, and say which it is', async () => {
    const received: Record<string, string[]> = { live: [], test: [] };
    const server = createServer(async (request, response) => {
      received[request.url === '/live' ? 'live' : 'test']?.push(await text(request));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const secrets = { live: given.liveSecret, test: given.testSecret };
    for (const [name, secret] of Object.entries(secrets)) {
      const url = `http://127.0.0.1:${port}/${name}`;
      const added = await given.api(`acme:${secret}`, '/api/partner/webhook-endpoints', { url });
      expect(added.status).toBe(201);
    }
    await connected(given, given.testSecret, 'library');
    await expect.poll(() => received.test?.length, { timeout: 20_000 }).toBeGreaterThan(0);
    const [sent] = received.test?.map((body) => JSON.parse(body)) ?? [];
    expect(sent).toMatchObject({ type: 'connection.created', test: true, data: { user_id: 'alice' } });
    const { events } = (await given.api(`acme:${given.testSecret}`, '/api/partner/events')).body;
    expect(events[0]).toEqual(sent);
    expect(received.live).toEqual([]);
    await connected(given, given.liveSecret, 'library');
    await expect.poll(() => received.live?.length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(JSON.parse(received.live?.[0] ?? '')).not.toHaveProperty('test');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
