import { expect, test } from 'vitest';
import { givenDashboard } from './support.ts';

const given = givenDashboard();

test('the dashboard shows which upstreams are refused, how busy each is, and what failed', async () => {
  const operator = await given.operator();
  expect((await operator.get('/admin/upstreams')).text).toContain(
    'No upstream has been called since this gateway started',
  );
  const healthy = { state: 'closed', since: null, inFlight: 3, waiting: 0, lastFailure: null } as const;
  const failure = { kind: 'unreachable', status: null, reason: 'ECONNREFUSED' } as const;
  given.circuits.push(
    { service: 'library', origin: 'https://library.example', ...healthy },
    {
      service: 'retired',
      origin: 'https://dead.example',
      state: 'open',
      since: Date.UTC(2030, 0, 15, 11, 59),
      inFlight: 41,
      waiting: 17,
      lastFailure: { ...failure, at: given.now - 120_000 },
    },
  );
  const { text } = await operator.get('/admin/upstreams');
  const rows = text
    .split('<tr>')
    .slice(2)
    .map((row) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
  expect(rows).toEqual([
    'retired https://dead.example refused 1 minute ago 41 17 cannot be reached (ECONNREFUSED), 2 minutes ago',
    expect.stringMatching(/^Library https:\/\/library\.example\/api\/v2 answers – 3 0 –/),
  ]);
  expect((await operator.get('/admin')).text).toContain('href="/admin/upstreams"');
});
