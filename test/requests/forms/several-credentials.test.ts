import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someOf } from '../../support/some-of.ts';
import { type CredentialService, startCredentialService } from './service.ts';

const CASES = path.join(import.meta.dirname, '../../golden/credential-in-path-and-body/specs/notes');
const SECRET = '8361:Zq9-x_Lm27';

describe('security schemes that are required together', () => {
  let service: CredentialService;
  beforeAll(async () => {
    service = await startCredentialService(SECRET, path.join(import.meta.dirname, 'several-credentials.yaml'));
  });
  afterAll(() => service?.close());

  test('are all asked for, and not as alternatives', () => {
    expect(service.forms.errors).toEqual([]);
    expect(service.forms.connector.credential).toMatchObject({
      parts: [
        { id: 'appKey', type: 'query', name: 'key' },
        { id: 'userKey', type: 'header', name: 'Authorization', prefix: 'Token ' },
      ],
    });
    expect(service.forms.connector.credential.alternatives).toBeUndefined();
  });

  test('are all sent, with the prefix from the descriptor', async () => {
    service.sandbox.clearRequests();
    expect(await service.call(SECRET, 'forms_list_notes')).not.toContain('isError');
    expect(await service.call(SECRET, 'forms_list_shared')).not.toContain('isError');
    for (const { url, headers, status } of service.sandbox.requests()) {
      expect(new URL(url, 'http://host').searchParams.get('key')).toBe(SECRET);
      expect([headers.authorization, headers.cookie, status! < 300]).toEqual([`Token ${SECRET}`, undefined, true]);
    }
    expect(service.sandbox.requests()).toHaveLength(2);
  });

  test.each([
    ['without the second', `?key=${SECRET}`, {}],
    ['without the first', '', { authorization: `Token ${SECRET}` }],
    ['without the prefix', `?key=${SECRET}`, { authorization: SECRET }],
  ])('are all required by the sandbox: %s', async (_, query, headers) => {
    const { status } = await fetch(`${service.sandbox.origin}/forms/notes${query}`, { headers });
    expect(status).toBe(401);
  });
});

describe('a credential in paths and bodies', () => {
  let service: CredentialService;
  beforeAll(async () => {
    const part = { id: 'token', label: 'Token' };
    const parts = [
      { ...part, type: 'path', name: 'token' },
      ...['key', 'auth.secret', 'signer.pin'].map((name) => ({ ...part, type: 'body', name })),
    ];
    service = await startCredentialService(
      SECRET,
      path.join(CASES, 'openapi.yaml'),
      JSON.stringify({ credential: { parts } }),
    );
  });
  afterAll(() => service?.close());

  const CALLS = [
    ['forms_get_note', { noteId: '7' }],
    ['forms_create_note', { title: 'Milk' }],
    ['forms_ping', {}],
    ['forms_import_notes', { body: { a: 'b' } }],
    ['forms_share_note', { to: 'a@b.example' }],
    ['forms_sign_note', { text: 'x' }],
  ] as const;

  test.each(someOf(CALLS))('is accepted by the sandbox, and a wrong one is refused: %s', async (name, args) => {
    expect(await service.call(SECRET, name, args)).not.toContain('isError');
    const refused = await service.call('another-secret', name, args);
    expect(refused).toContain('refused_once');
    expect(refused).not.toContain('another-secret');
  });

  test.each([
    ['a JSON body', '/notes', 'application/json', '{"title":"Milk"}'],
    ['an empty body', '/notes/ping', 'application/json', ''],
    ['a form', '/notes/share', 'application/x-www-form-urlencoded', 'to=a'],
    ['an object in a body', '/notes/sign', 'application/json', '{"text":"x","auth":{},"signer":{}}'],
  ])('is required by the sandbox in %s', async (_, url, type, body) => {
    const sent = { method: 'POST', headers: { 'content-type': type }, body };
    const answer = await fetch(`${service.sandbox.origin}/forms${url}`, sent);
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('the credential belongs into')]);
  });
});
