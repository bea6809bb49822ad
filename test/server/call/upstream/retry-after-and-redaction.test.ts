import { describe, expect, it } from 'vitest';
import { createCredentialWriter } from '../../../../server/call/upstream/credential.ts';
import { parseRetryAfter } from '../../../../server/call/upstream/retry-after.ts';

describe('parseRetryAfter (RFC 9110 §10.2.3)', () => {
  const NOW = Date.parse('2026-01-31T00:00:00Z');
  const ROWS: readonly [string | null, number | null][] = [
    ['2', 2],
    [' 120 ', 120],
    ['0', 0],
    ['Sat, 31 Jan 2026 00:00:30 GMT', 30],
    ['Saturday, 31-Jan-26 00:00:30 GMT', 30],
    ['Fri, 30 Jan 2026 00:00:00 GMT', 0],
    ['Sat 31 Jan 2026 00:00:30 GMT', 30],
    ['soon', null],
    ['2. Sat, 31 Jan 2026 00:00:30 GMT', null],
    ['-1', null],
    ['1.5', null],
    ['2026-01-31', null],
    ['', null],
    [null, null],
  ];
  for (const [header, want] of ROWS) {
    it(`reads ${JSON.stringify(header)} as ${want}`, () => {
      expect(parseRetryAfter(header, NOW)).toBe(want);
    });
  }
});

describe('redact', () => {
  const redactorOf = (value: string) =>
    createCredentialWriter([{ id: 'key', type: 'query', label: 'Key', name: 'k' }], { key: value }).redactor;

  it('redacts a credential in plain form, in a URL and in JSON', () => {
    const redactor = redactorOf('k+"/secret');
    const text = JSON.stringify({ said: 'k+"/secret', next: '/x?k=k%2B%22%2Fsecret' });
    expect(redactor.text(text)).toBe('{"said":"[redacted]","next":"/x?k=[redacted]"}');
  });

  it('does not change words that happen to equal a very short credential', () => {
    expect(redactorOf('the').text('the end')).toBe('the end');
  });

  it('redacts a password and the encoded pair, but not the user name', () => {
    const { redactor } = createCredentialWriter([{ id: 'login', type: 'basic', label: 'Login' }], {
      'login.username': 'ada@example.com',
      'login.password': 'hunter22',
    });
    const pair = Buffer.from('ada@example.com:hunter22').toString('base64');
    expect(redactor.text(`ada@example.com hunter22 ${pair}`)).toBe('ada@example.com [redacted] [redacted]');
  });

  it('redacts a key that is sent as a user name without a password', () => {
    const { redactor } = createCredentialWriter([{ id: 'login', type: 'basic', label: 'Login' }], {
      'login.username': 'key_12345',
      'login.password': '',
    });
    expect(redactor.text('bad key key_12345')).toBe('bad key [redacted]');
  });
});
