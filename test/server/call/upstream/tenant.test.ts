import { expect, test } from 'vitest';
import { rulesFor } from '../../../../server/base/credentials/kinds.ts';
import { createOutgoing } from '../../../../server/base/guarded-fetch/outgoing.ts';
import { createCircuits } from '../../../../server/call/upstream/circuits.ts';
import { createUpstream } from '../../../../server/call/upstream/index.ts';
import type { CredentialPart } from '../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { oauth2Part } from '../../../support/oauth-rules.ts';
import { startHost } from './support.ts';

const HOST: CredentialPart = { id: 'host', type: 'server', label: 'Host', name: 'host', isPublic: true, pattern: '.+' };
const TEMPLATE = 'https://{host}.shop.example/v2';
const tool = fakeTool({ name: 'shop_list' });
const connector = fakeConnector({ tools: [tool], parts: [HOST, { id: 'key', type: 'bearer', label: 'Key' }] });

function upstreamAt(template: string, resolve?: () => Promise<{ address: string; family: number }[]>, port = '') {
  const outgoing = createOutgoing({ networks: port === '' ? [] : ['127.0.0.0/8'], ...(resolve && { resolve }) });
  const circuits = createCircuits({ maxInFlight: 5, now: Date.now });
  const baseUrls = new Map([['library', new Map([['{library_base_url}', template]])]]);
  const limits = { timeoutMs: 2000, maxResultBytes: 1000, userAgent: 'test' };
  const upstream = createUpstream({ baseUrls, ...limits, dispatcher: outgoing.dispatcher, circuits });
  return { upstream, circuits, close: outgoing.close };
}
const prepare = ({ upstream }: ReturnType<typeof upstreamAt>, host: string) =>
  upstream.prepare({ connector, tool, args: {}, fields: { host, key: 'secret' } });

test('each credential goes to its own host, and what is recorded names the template', () => {
  const at = upstreamAt(TEMPLATE);
  for (const host of ['acme', 'other', 'acme']) {
    const { outgoing, facts } = prepare(at, host);
    expect([outgoing.origin, outgoing.target]).toEqual([`https://${host}.shop.example`, '/v2/things']);
    expect(facts.origin).toBe('https://{host}.shop.example');
  }
});

test.each(['a.b/c', 'a@b', 'a#', 'a:1', '..', '10.0.0.1', 'a。b', '%61', ''])(
  'a host %j is refused whatever the pattern allows',
  (host) => {
    const at = upstreamAt(TEMPLATE);
    expect(() => prepare(at, host)).toThrow('is not sendable');
  },
);

test('no request goes to a private address, whatever a name of a user resolves to', async () => {
  const at = upstreamAt(TEMPLATE, async () => [{ address: '10.0.0.7', family: 4 }]);
  const signal = new AbortController().signal;
  await expect(at.upstream.send(prepare(at, 'acme'), { signal })).rejects.toMatchObject({ kind: 'unreachable' });
  await at.close();
});

test('a redirect from the host of one user to that of another is not followed, and circuits are kept apart', async () => {
  const seen: string[] = [];
  const host = await startHost((request, response) => {
    seen.push(request.headers.host ?? '');
    response.writeHead(307, { Location: `http://other.shop.example:${port}/v2/things` }).end();
  });
  const { port } = new URL(host.origin);
  const at = upstreamAt(`http://{host}.shop.example:${port}`, async () => [{ address: '127.0.0.1', family: 4 }], port);
  const signal = new AbortController().signal;
  await expect(at.upstream.send(prepare(at, 'acme'), { signal })).rejects.toMatchObject({ kind: 'redirect' });
  expect(seen).toEqual([`acme.shop.example:${port}`]);
  expect(at.circuits.list().map(({ origin }) => origin)).toEqual([`http://acme.shop.example:${port}`]);
  await at.close();
  await host.close();
});

test('a sign-in is at the host of the connection, and a value that left its form ends it', () => {
  const part = oauth2Part('https://{host}.shop.example');
  const parts = [{ ...HOST, pattern: '[a-z]+' } as CredentialPart, part];
  const rules = rulesFor(part, { parts }, { host: 'acme' });
  expect(new URL(rules.tokenUrl).origin).toBe('https://acme.shop.example');
  expect(JSON.stringify(rules)).not.toContain('{host}');
  expect(() => rulesFor(part, { parts }, { host: 'ACME' })).toThrow('damaged');
  expect(() => rulesFor(part, { parts }, {})).toThrow('damaged');
});
