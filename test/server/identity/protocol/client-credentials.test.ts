import { describe, expect, test } from 'vitest';
import { invalidClient, readClientCredentials } from '../../../../server/identity/protocol/client-credentials.ts';

const NOTHING = { clientId: undefined, clientSecret: undefined };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('client credentials (RFC 6749 §2.3)', () => {
  test('of the body are read if there is no header', () => {
    const body = { clientId: 'app', clientSecret: 's' };
    expect(readClientCredentials('', body)).toEqual({ ...body, basic: false });
    expect(readClientCredentials('', NOTHING)).toEqual({ ...NOTHING, basic: false });
  });

  test.each([
    [basic('app:secret'), 'app', 'secret'],
    [` ${basic('app:secret')} `, 'app', 'secret'],
    [basic('app:secret').replace('Basic ', 'BASIC   '), 'app', 'secret'],
    [basic('a%3Ab+c:s:t+%2B'), 'a:b c', 's:t +'],
    [basic('app:'), 'app', undefined],
    [basic('apps:x'), 'apps', 'x'],
    [basic('app:xy'), 'app', 'xy'],
  ])('of the header %j are %s and %s', (authorization, clientId, clientSecret) => {
    expect(readClientCredentials(authorization, NOTHING)).toEqual({ clientId, clientSecret, basic: true });
  });

  test('of both may name the same client', () => {
    const read = readClientCredentials(basic('app:secret'), { ...NOTHING, clientId: 'app' });
    expect(read).toEqual({ clientId: 'app', clientSecret: 'secret', basic: true });
  });

  test.each([
    [{ clientId: 'app', clientSecret: 'secret' }, 'Send the client secret in the header or in the body, not in both.'],
    [
      { clientId: 'other', clientSecret: undefined },
      'The client_id of the body differs from that of the Authorization header.',
    ],
  ])('of the header and %j are refused', (body, message) => {
    expect(() => readClientCredentials(basic('app:secret'), body)).toThrow(
      expect.objectContaining({ status: 400, code: 'invalid_request', description: message }),
    );
  });

  test.each([
    'Bearer abc',
    `x ${basic('app:secret')}`,
    `${basic('app:secret')}.x`,
    'Basic',
    'Basic YXBwOnNlY3JldA==x',
    basic('app'),
    basic(':secret'),
    basic('%zz:secret'),
    basic('app:%zz'),
  ])('of the header %j are refused with a challenge', (authorization) => {
    expect(() => readClientCredentials(authorization, NOTHING)).toThrow(
      expect.objectContaining({
        status: 401,
        code: 'invalid_client',
        description: 'The client is unknown, or its credentials are wrong or missing.',
        headers: { 'WWW-Authenticate': 'Basic realm="Unified Tool Gateway", charset="UTF-8"' },
      }),
    );
  });

  test('of the body are refused without a challenge', () => {
    expect(invalidClient({ basic: false }).headers).toEqual({});
  });
});
