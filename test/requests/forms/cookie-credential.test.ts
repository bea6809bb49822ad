import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startCredentialService } from './service.ts';

const DESCRIPTOR = path.join(import.meta.dirname, 'cookie-credential.yaml');
const SECRET = 'raw+secret/with==';

const service = await startCredentialService(SECRET, DESCRIPTOR);
const { forms, sandbox } = service;
afterAll(() => service.close());

const call = (secret: string, args: Record<string, unknown>) => service.call(secret, 'forms_list_notes', args);

describe('a credential that is a cookie', () => {
  test('is generated as a cookie, compiles, and is not an argument', () => {
    expect(forms.errors).toEqual([]);
    expect(forms.connector.credential.parts).toEqual([
      { id: 'session', type: 'cookie', label: 'API key', name: 'sid' },
    ]);
    expect(Object.keys(forms.connector.tools[0]?.inputSchema.properties ?? {})).toEqual(['theme', 'prefs']);
  });

  test('is sent unchanged, next to the cookies of the call and in place of a forged one', async () => {
    sandbox.clearRequests();
    const args = { theme: 'a;b', prefs: { sid: 'forged', size: '1' } };
    expect(await call(SECRET, args)).not.toContain('isError');
    expect(sandbox.requests().map(({ headers }) => headers.cookie)).toEqual([`theme=a%3Bb; size=1; sid=${SECRET}`]);
  });

  test('is refused by the service if it is wrong', async () => {
    const refused = await call('another', {});
    expect(refused).toContain('"isError":true');
    expect(refused).toContain('refused_once');
  });
});
