import { expect, test } from 'vitest';
import { someOf } from '../../support/some-of.ts';
import { createSessionVisitor, mintSession } from './session-steps.ts';
import { CONNECTORS, describeConnect, locationOf, REDIRECT_URI } from './support.ts';

const fields = (tenant: string, key = 'good-key-1') => ({ 'credential-0': tenant, 'credential-1': key });

describeConnect('a service with a tenant for each connection', (given) => {
  const connections = () => given.store.db.selectFrom('connections').selectAll().execute();
  const redeem = (code: string) =>
    given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' });

  test('asks for it, verifies the credential there, and sends the calls of each user to his own', async () => {
    const page = await given.visitor().open('office');
    expect(page.text).toMatch(/<label for="credential-0">Workspace<\/label>.*<\/div>\n<input type="text"/);
    given.accepted.add('key-2');
    const alice = await given.connected('office', 'alice', fields('acme'));
    const bob = await given.connected('office', 'bob', fields('other', 'key-2'));
    expect(given.asked).toEqual(['/acme/things good-key-1', '/other/things key-2']);
    await given.call(bob.body.access_token, 'office_list');
    await given.call(alice.body.access_token, 'office_list');
    expect(given.asked.slice(2)).toEqual(['/other/things key-2', '/acme/things good-key-1']);
    await expect.poll(async () => (await connections()).map(({ account }) => account)).toEqual(['acme', 'other']);
    expect((await connections()).every(({ account_identity }) => account_identity === null)).toBe(true);
  });

  test('is shown to the partner with the account', async () => {
    await given.connected('office', 'alice', fields('acme'));
    await expect.poll(async () => (await connections())[0]?.account).toBe('acme');
    const headers = { Authorization: `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}` };
    const { body } = await given.send('/api/partner/users/alice/connections', { headers });
    expect(body.connections).toMatchObject([{ service: 'office', account: 'acme' }]);
  });

  test.each(
    someOf(
      [
        '..',
        '.',
        'a..b',
        'evil.example',
        'acme/../other',
        '%2e%2e',
        'acme%2fother',
        'a@b',
        'acme#',
        'acme?x',
        'a\\b',
        'acme:80',
        'ä',
        'ACME',
        'acme。',
        '127.0.0.1',
        'x'.repeat(21),
        'https://acme',
        'ac me',
        'acme\u0000',
      ],
      6,
    ),
  )('refuses the tenant %j, and sends nothing', async (tenant) => {
    const visitor = given.visitor();
    await visitor.open('office');
    const answer = await visitor.submit('office', { decision: 'connect', ...fields(tenant) });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Workspace does not look as it does at');
    expect(given.asked).toEqual([]);
  });

  test('takes it from the session of the partner, and shows it where the user cannot change it', async () => {
    const minted = await mintSession(given, { services: ['office'], values: { office: { tenant: 'acme' } } });
    expect(minted.status).toBe(201);
    const visitor = createSessionVisitor(given);
    const page = await visitor.open(minted.body.connect_url);
    expect(page.text).toContain('<p>Workspace: <strong>acme</strong></p>');
    expect(page.text).toContain('<label for="credential-0">API key</label>');
    const back = await visitor.submit({ 'credential-0': 'good-key-1', 'credential-1': 'evil', tenant: 'evil' });
    const { access_token } = (await redeem(locationOf(back).parameters.code ?? '')).body;
    await given.call(access_token, 'office_list');
    expect(given.asked).toEqual(['/acme/things good-key-1', '/acme/things good-key-1']);
  });

  test.each([
    [
      'another form',
      { office: { tenant: 'evil.example' } },
      'values.office.tenant does not have the form of Workspace.',
    ],
    ['a secret', { office: { key: 'good-key-1' } }, 'names "key", which is no public value'],
    ['a service that is not in the session', { library: { key: 'x' } }, 'names "key", which is no public value'],
    ['an inherited name', { office: { constructor: 'x' } }, 'names "constructor", which is no public value'],
  ])('refuses a session with %s', async (_, values, problem) => {
    const minted = await mintSession(given, { services: ['office'], values });
    expect([minted.status, minted.body.error_description]).toEqual([400, expect.stringContaining(problem)]);
  });

  test('sends nothing for a stored tenant that no longer has its form', async () => {
    const { body } = await given.connected('office', 'alice', fields('acme'));
    const part = CONNECTORS.find(({ name }) => name === 'office')?.credential.parts[0] as { pattern: string };
    const { pattern } = part;
    part.pattern = 'other|none';
    try {
      const answer = await given.call(body.access_token, 'office_list');
      expect(answer.text).toContain('cannot read the credential of this connection');
    } finally {
      part.pattern = pattern;
    }
    expect(given.asked).toEqual(['/acme/things good-key-1']);
  });

  test('goes to the new place after the user has connected another tenant', async () => {
    await given.connected('office', 'alice', fields('acme'));
    const { body } = await given.connected('office', 'alice', fields('other'));
    given.asked.length = 0;
    await given.call(body.access_token, 'office_list');
    expect(given.asked).toEqual(['/other/things good-key-1']);
    expect(given.lines.join('\n')).not.toContain('good-key-1');
  });
});
