import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { ServiceEvents } from '../../../../../server/contract/index.ts';
import { secretProblem, verifySignature } from '../../../../../server/modules/notify/subscriptions/signature.ts';

const NOW = Date.UTC(2030, 0, 15, 12);
const SECONDS = NOW / 1000;
const BODY = '{"id":"evt_1"}';
const hex = (text: string, key = 'the-secret') => createHmac('sha256', key).update(text).digest('hex');
const verify = (
  signature: ServiceEvents['signature'],
  headers: Record<string, string>,
  body = BODY,
  secret = 'the-secret',
) => verifySignature(signature, secret, { headers, body: Buffer.from(body) }, NOW);

const STRIPE = {
  header: 'Stripe-Signature',
  prefix: 'v1=',
  timestampPrefix: 't=',
  encoding: 'hex',
  signed: '{timestamp}.{body}',
} as const;
const SLACK: ServiceEvents['signature'] = {
  ...{ header: 'X-Slack-Signature', prefix: 'v0=', timestampHeader: 'X-Slack-Request-Timestamp' },
  ...{ encoding: 'hex', signed: 'v0:{timestamp}:{body}' },
};
const stripe = (at: number, body = BODY) => ({
  'stripe-signature': `t=${at},v1=${'0'.repeat(64)},v1=${hex(`${at}.${body}`)}`,
});
const slack = (at: number | string) => ({
  'x-slack-signature': `v0=${hex(`v0:${at}:${BODY}`)}`,
  'x-slack-request-timestamp': `${at}`,
});

describe('signatures of services', () => {
  test('are those that Stripe, GitHub and Slack send', () => {
    expect(verify(STRIPE, stripe(SECONDS))).toEqual(expect.any(String));
    const github = { header: 'X-Hub-Signature-256', prefix: 'sha256=', encoding: 'hex', signed: '{body}' } as const;
    expect(verify(github, { 'x-hub-signature-256': `sha256=${hex(BODY)}` })).toEqual(expect.any(String));
    expect(verify(github, { 'x-hub-signature-256': hex(BODY) })).toBeNull();
    expect(verify(SLACK, slack(SECONDS))).toEqual(expect.any(String));
    expect(verify(SLACK, slack(new Date(NOW).toUTCString()))).toEqual(expect.any(String));
  });

  test.each([
    ['older than five minutes', stripe(SECONDS - 301)],
    ['newer than in five minutes', stripe(SECONDS + 301)],
    ['of no time', { 'stripe-signature': `v1=${hex(`.${BODY}`)}` }],
    ['of a time that is no number', { 'stripe-signature': `t=soon,v1=${hex(`soon.${BODY}`)}` }],
    ['of another body', stripe(SECONDS, '{}')],
    [
      'after ten wrong ones',
      { 'stripe-signature': `t=${SECONDS},${`v1=${'0'.repeat(64)},`.repeat(10)}v1=${hex(`${SECONDS}.${BODY}`)}` },
    ],
    ['missing', {}],
  ])('are refused when they are %s', (_, headers) => {
    expect(verify(STRIPE, headers as Record<string, string>)).toBeNull();
  });

  test('under another time than the signed one are refused', () => {
    expect(verify(SLACK, { ...slack(SECONDS - 900), 'x-slack-request-timestamp': `${SECONDS}` })).toBeNull();
  });

  test('of Standard Webhooks are those of its library, and name the message', () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const signed = (at: number) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${at}`,
      'webhook-signature': `v1a,x v1,${'A'.repeat(43)}= ${new Webhook(secret).sign('msg_1', new Date(at * 1000), BODY)}`,
    });
    expect(verify('standard-webhooks', signed(SECONDS), BODY, secret)).toBe('msg_1');
    expect(verify('standard-webhooks', signed(SECONDS - 301), BODY, secret)).toBeNull();
    expect(verify('standard-webhooks', { ...signed(SECONDS), 'webhook-id': 'msg_2' }, BODY, secret)).toBeNull();
    expect(verify('standard-webhooks', signed(SECONDS), `${BODY} `, secret)).toBeNull();
  });

  test.each([
    ['nothing in base64', 'whsec_****'],
    ['one byte', 'whsec_AA'],
    ['less than 24 bytes', `whsec_${Buffer.alloc(23, 7).toString('base64')}`],
    ['more than 64 bytes', `whsec_${Buffer.alloc(65, 7).toString('base64')}`],
    ['only the prefix', 'whsec_'],
    ['the letters of URLs', `whsec_${'-'.repeat(32)}`],
  ])('of Standard Webhooks are never right under a secret of %s', (_, secret) => {
    const key = Buffer.from(secret.slice(6), 'base64');
    const signed = createHmac('sha256', key).update(`msg_1.${SECONDS}.${BODY}`).digest('base64');
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': `${SECONDS}`, 'webhook-signature': `v1,${signed}` };
    expect(secretProblem('standard-webhooks', secret)).toMatch(/24 to 64 bytes/);
    expect(verify('standard-webhooks', headers, BODY, secret)).toBeNull();
  });

  test.each(['', '        ', '\t\n short \n'])('of an HMAC are never right under the secret %j', (secret) => {
    const headers = { 'stripe-signature': `t=${SECONDS},v1=${hex(`${SECONDS}.${BODY}`, secret)}` };
    expect(secretProblem(STRIPE, secret)).toMatch(/at least 8 characters/);
    expect(verify(STRIPE, headers, BODY, secret)).toBeNull();
  });
});
