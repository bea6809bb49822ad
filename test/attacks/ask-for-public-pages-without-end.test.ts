import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { someOf } from '../support/some-of.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ connectors: [], secretOf: () => '', env: { ADMIN_SECRET: 'Vt3qGx8ZkL0pWn5sRb7y' } });
});
afterAll(() => gateway.close());

test.each(someOf(['/', '/api/openapi.yaml', '/llms.txt', '/admin/sign-in']))(
  '%s has a limit for each address',
  async (path) => {
    const seen = new Map<number, number>();
    for (let sent = 0; sent < 300; sent += 1) {
      const answer = await fetch(new URL(path, gateway.url));
      await answer.arrayBuffer();
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(seen.get(429)).toBeGreaterThan(0);
    expect([...seen.keys()].toSorted()).toEqual(path === '/' || (seen.get(200) ?? 0) > 0 ? [200, 429] : [429]);
  },
);
