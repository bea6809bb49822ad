/** The partner API for events, as `acme` uses it, and an endpoint that receives webhooks. */

import { afterEach, beforeEach } from 'vitest';
import type { ConnectUnderTest } from '../../../connect/support.ts';
import { type Receiver, startReceiver } from '../delivery/receiver.ts';

export const ENDPOINTS = '/api/partner/webhook-endpoints';

/** Starts the receiver before each test. */
export function givenPartnerEvents(given: ConnectUnderTest) {
  const fixture = {} as { receiver: Receiver };
  beforeEach(async () => {
    fixture.receiver = await startReceiver();
  });
  afterEach(() => fixture.receiver.close());

  const send = (method: string, path: string, body?: unknown, as = { id: 'acme', secret: given.secret }) =>
    given.send(path, {
      method,
      headers: {
        Authorization: `Basic ${Buffer.from(`${as.id}:${as.secret}`).toString('base64')}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const add = async (url = `${fixture.receiver.origin}/hook`) => (await send('POST', ENDPOINTS, { url })).body;
  const connect = () => given.connected('library', 'alice', { 'credential-0': 'good-key-1' });
  return { fixture, send, add, connect };
}
