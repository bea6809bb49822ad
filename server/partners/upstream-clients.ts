/** The partner's own OAuth clients at upstreams. A secret can be written, but never read. */

import { z } from 'zod';
import { takesUpstreamClient } from '../base/credentials/kinds.ts';
import { settingProblem } from '../identity/partners/setting-error.ts';
import { parseUpstreamClient } from '../identity/partners/upstream-client.ts';
import { explainTexts, invalid, missing, operation, type PartnerApi, type PartnerCall } from './operation.ts';
import { time } from './shapes.ts';

const MAX_LENGTH = 2048;

const registration = z.object({
  client_id: z.string().meta({ maxLength: MAX_LENGTH, description: 'As the service calls the client.' }),
  client_secret: z
    .string()
    .nullish()
    .meta({ maxLength: MAX_LENGTH, description: 'Kept sealed, and never returned. Null for a public client.' }),
});

const client = z
  .object({ service: z.string(), client_id: z.string(), has_secret: z.boolean(), created_at: time, updated_at: time })
  .meta({ id: 'UpstreamClient' });

const WIRE_NAMES = { clientId: 'client_id', clientSecret: 'client_secret' } as const;

/** The body contains the client's credentials, so the partner's are in the header. */
const SHARED = {
  path: '/upstream-clients/:service',
  credentials: 'header',
  params: { service: z.string().meta({ description: 'A service that speaks OAuth.' }) },
  refusals: [404],
} as const;

export const UPSTREAM_CLIENT_OPERATIONS = [
  operation(
    {
      ...SHARED,
      method: 'get',
      id: 'getUpstreamClient',
      summary: "The partner's own OAuth client at a service, without its secret.",
      answers: { 200: 'The client.' },
      answer: client,
    },
    async (call, { catalogue, upstreamClients }) => {
      const { key } = keyOf(call, catalogue);
      const registered = await upstreamClients.show(key);
      if (registered === null) throw notRegistered();
      return registered;
    },
  ),
  operation(
    {
      ...SHARED,
      method: 'put',
      id: 'putUpstreamClient',
      isLiveOnly: true,
      summary:
        "Registers the partner's own OAuth client at a service, or replaces it. It comes before the operator's for the partner's users.",
      body: { schema: registration, explain: explainTexts },
      answers: { 200: 'The client is registered. Tokens of another client_id than before cannot be refreshed.' },
      answer: client,
      refusals: [404, 413, 415],
    },
    async (call, { catalogue, upstreamClients }) => {
      const { key, connector } = keyOf(call, catalogue);
      if (!takesUpstreamClient(connector.credential)) {
        throw invalid('This service does not use OAuth, so it has no clients.');
      }
      return upstreamClients.put({ ...key, ...parse(await call.body()) }, call.event());
    },
  ),
  operation(
    {
      ...SHARED,
      method: 'delete',
      id: 'removeUpstreamClient',
      summary: "Removes the partner's own OAuth client at a service. Its connections can no longer be refreshed.",
      answers: { 204: 'The client is removed.' },
    },
    async (call, { catalogue, upstreamClients }) => {
      if (!(await upstreamClients.remove(keyOf(call, catalogue).key, call.event()))) throw notRegistered();
    },
  ),
];

function keyOf(
  { partner: { id: partnerId, services }, param }: PartnerCall<unknown, unknown>,
  catalogue: PartnerApi['catalogue'],
) {
  const service = param('service');
  const connector = services === null || services.includes(service) ? catalogue.findConnector(service) : undefined;
  if (connector === undefined) throw missing('There is no such service.');
  return { key: { partnerId, service }, connector };
}

function parse({ client_id: clientId, client_secret: clientSecret = null }: z.output<typeof registration>) {
  try {
    return parseUpstreamClient({ clientId, clientSecret });
  } catch (error) {
    throw invalid(settingProblem(error, WIRE_NAMES), { cause: error });
  }
}

function notRegistered() {
  return missing('You have registered no client for this service.');
}
