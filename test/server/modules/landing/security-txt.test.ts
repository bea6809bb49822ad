import { afterEach, expect, test } from 'vitest';
import { fakeConnector } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

async function read(env: Readonly<Record<string, string>>) {
  gateway = await startGateway({ connectors: [fakeConnector({ tools: [] })], secretOf: () => '', env });
  const { origin } = new URL(gateway.url);
  const response = await fetch(`${origin}/.well-known/security.txt`);
  return { origin, status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

test('has the contact for vulnerabilities, the expiry and the canonical URL', async () => {
  const contacts = 'https://example.com/security, mailto:security@example.com';
  const { origin, text, ...answer } = await read({ SECURITY_CONTACT: contacts });
  expect(answer).toEqual({ status: 200, type: 'text/plain; charset=utf-8' });
  const lines = text.trimEnd().split('\n');
  const [expires = ''] = lines.splice(2, 1);
  expect(lines).toEqual([
    'Contact: https://example.com/security',
    'Contact: mailto:security@example.com',
    `Canonical: ${origin}/.well-known/security.txt`,
  ]);
  const days = (Date.parse(expires.replace('Expires: ', '')) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(180);
});

test('is 404 if the operator set no contact', async () => {
  expect((await read({})).status).toBe(404);
});
