/** Operations of the partner API for the addresses that services call: the partner's application shows them where users connect. */

import { z } from 'zod';
import type { CredentialVault } from '../../../base/credentials/index.ts';
import type { Executor } from '../../../base/store/schema.ts';
import type { Connector, ServiceEvents } from '../../../contract/index.ts';
import { invalid, missing, operationsOf, type PartnerCall } from '../../../partners/operation.ts';
import { ACCOUNT_QUERY, requireAccount } from '../../../partners/users.ts';
import { createWebhookSecret } from '../delivery/send.ts';
import { createIncomingWebhook, EVENTS_PATH, type IncomingWebhook, setIncomingSecret } from './incoming-webhooks.ts';
import { secretProblem } from './signature.ts';
import { endWhere } from './subscriptions.ts';

interface EventsContext {
  readonly vault: CredentialVault;
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  readonly findConnector: (service: string) => Connector | undefined;
}

const SHARED = {
  path: '/users/:user_id/connections/:service/event-address',
  credentials: 'header',
  query: ACCOUNT_QUERY,
} as const;
const secret = z.string().max(500);

const operation = operationsOf<EventsContext>();

export const EVENT_OPERATIONS = [
  operation(
    {
      ...SHARED,
      method: 'post',
      id: 'addEventAddress',
      summary: 'Makes the address at which the service tells its events. It replaces the present one.',
      answers: { 201: 'The address and its secret, which are shown this once. Enter both at the service.' },
      answer: z.object({
        url: z.string().meta({ format: 'uri' }),
        secret: z.string().meta({
          description: 'For services that let you choose the secret. If the service makes its own, send that with PUT.',
        }),
      }),
      refusals: [404, 409],
    },
    async (call, { db, vault, publicUrl, now, findConnector }) => {
      const { webhook } = await findWebhook(call, db, findConnector);
      const secret = createWebhookSecret();
      const address = await createIncomingWebhook(db, vault, webhook, { secret, now: now() });
      return { url: `${publicUrl}${EVENTS_PATH}/${address}`, secret };
    },
  ),
  operation(
    {
      ...SHARED,
      method: 'put',
      id: 'setEventSecret',
      summary: 'Sets the secret with which the service signs its calls. The address stays.',
      body: { schema: z.object({ secret }), explain: () => 'secret must be a string of at most 500 characters.' },
      answers: { 204: 'The secret is set.' },
      refusals: [404, 409, 413, 415],
    },
    async (call, { db, vault, findConnector }) => {
      const { webhook, events } = await findWebhook(call, db, findConnector);
      const { secret } = await call.body();
      const problem = secretProblem(events.signature, secret);
      if (problem !== null) throw invalid(`secret ${problem}.`);
      const isSet = await setIncomingSecret(db, vault, webhook, secret);
      if (!isSet) throw missing('The connection has no address for events.');
    },
  ),
  operation(
    {
      ...SHARED,
      method: 'delete',
      id: 'deleteEventAddress',
      summary: 'Removes the address of a connection, with its events.',
      answers: { 204: 'There is no address.' },
      refusals: [404, 409],
    },
    async (call, { db, findConnector, now }) => {
      const { webhook } = await findWebhook(call, db, findConnector);
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('event_inlets').where('id', '=', webhook.id).execute();
        await endWhere(transaction, { inlet_id: webhook.id }, now());
      });
    },
  ),
];

type Call = PartnerCall<{ readonly account: string | undefined }, unknown>;

/** Finds the connection that the path names, and the events of its service. */
async function findWebhook(
  call: Call,
  db: Executor,
  findConnector: EventsContext['findConnector'],
): Promise<{ readonly webhook: IncomingWebhook; readonly events: ServiceEvents }> {
  const user = await call.user();
  const { id, service } = await requireAccount(db, user.id, {
    service: call.param('service'),
    name: call.query.account,
  });
  const events = findConnector(service)?.events;
  if (events === undefined) throw missing('This service tells no events.');
  return { webhook: { id, partner_id: user.partnerId, user_id: user.id, service }, events };
}
