import { describe, expect, it } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import type { Principal } from '../../../../server/base/principal/principal.ts';
import { connectClient } from '../../../support/mcp-client.ts';
import { connectV1Client } from '../../../support/official-clients.ts';
import { ECHO_TOOL, modernRequest, provideTools, startEndpoint } from './support.ts';

const NONE = { connections: new Map(), services: [] };
const NOT_ALLOWED = { ...FULL_PERMISSION, allows: [] };
const ONLY_MAIL = { services: ['mail'], effects: [], tools: null, accounts: {} };
const CONNECT_PAGE = 'https://acme.example/connect';

const REASONS: readonly (readonly [title: string, principal: Partial<Principal>, reason: string])[] = [
  [
    'nothing is connected',
    { ...NONE, connectUri: CONNECT_PAGE },
    'No tool of a service is listed, because the user has connected no service: tell the user to connect one at https://acme.example/connect.',
  ],
  [
    'nothing is connected, and the partner has no page for that',
    NONE,
    'No tool of a service is listed, because the user has connected no service: tell the user to connect one in Acme.',
  ],
  [
    'the partner allows nothing',
    { ...NONE, connectUri: CONNECT_PAGE, permission: NOT_ALLOWED },
    'No tool of a service is listed, because Acme allows this user none: tell the user to ask Acme for access.',
  ],
  [
    'the client may only use services that are not connected',
    { ...NONE, connectUri: CONNECT_PAGE, narrowedTo: ['crm'] },
    'No tool of a service is listed, because no service that this client may use is connected: tell the user to connect one at https://acme.example/connect.',
  ],
  [
    'the allowance has none of the tools of what is connected',
    { permission: { ...FULL_PERMISSION, allows: [ONLY_MAIL] } },
    'No tool of a service is listed, because this client may use none that the gateway serves of the connected services: tell the user to allow more, or to ask Acme for access.',
  ],
];

async function readInstructions(url: string): Promise<(string | undefined)[]> {
  const clients = [
    await connectV1Client({ url, token: 'ada' }),
    await connectClient({ url, token: 'ada', mode: 'legacy' }),
    await connectClient({ url, token: 'ada', mode: '2026-07-28' }),
  ];
  const texts = clients.map((client) => client.getInstructions());
  await Promise.all(clients.map((client) => client.close()));
  return texts;
}

describe.each([
  ['the fast path', true],
  ['the SDK', false],
])('an empty list of tools, answered by %s', (_, fastPath) => {
  it.each(REASONS)('has its reason and the way out in the instructions: %s', async (_title, principal, reason) => {
    const endpoint = await startEndpoint({ tools: provideTools({}, []), principal, fastPath });
    const text = `Call tools. ${reason}`;
    expect(await readInstructions(endpoint.url)).toEqual([text, text, text]);
    await endpoint.close();
  });

  it('is introduced to its user alone', async () => {
    const endpoint = await startEndpoint({ tools: provideTools({}, []), principal: NONE, fastPath });
    const reply = await fetch(endpoint.url, modernRequest({ method: 'server/discover' }));
    expect(await reply.json()).toMatchObject({ result: { cacheScope: 'private', ttlMs: 60_000 } });
    await endpoint.close();
  });

  it('has no reason if it is not empty', async () => {
    const endpoint = await startEndpoint({ tools: provideTools({}, [ECHO_TOOL]), fastPath });
    expect(await readInstructions(endpoint.url)).toEqual(Array.from({ length: 3 }, () => 'Call tools.'));
    await endpoint.close();
  });
});
