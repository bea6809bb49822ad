import { expect, test } from 'vitest';
import { createValidators } from '../../../../server/call/tools/validate.ts';
import { createCredentialVerifier } from '../../../../server/call/tools/verify-credential.ts';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { answering, startHost, upstreamFor } from '../upstream/support.ts';

const open = closeAfterEach();

test.each([
  [429, { 'x-quota-remaining': '0' }, {}, 'unavailable'],
  [400, {}, { message: 'X-Version is retired' }, 'unavailable'],
  [400, {}, { message: 'The key is wrong' }, 'refused'],
  [503, {}, {}, 'unavailable'],
])('a credential answered with %i %j %j is %s', async (status, headers, body, kind) => {
  const host = await startHost(answering(status, body, headers));
  const upstream = upstreamFor(host.origin);
  open.push(host, upstream);
  const tool = fakeTool({ name: 'library_list', request: { header: { 'X-Version': { constant: '1' } } } });
  const connector = {
    ...fakeConnector({ tools: [tool] }),
    verify: { tool: tool.name, arguments: {} },
    rateLimitHeaders: [{ remaining: 'x-quota-remaining', quota: true }] as const,
  };
  const verify = createCredentialVerifier({
    upstream,
    validators: createValidators(),
    maxResultBytes: 1024,
    timeoutMs: 3000,
    now: Date.now,
    onFault: () => {},
  });
  expect(await verify(connector, {}, new AbortController().signal)).toMatchObject({ kind });
});
