/** Operations of the partner API for the addresses at which services call: the partner's application shows them where users connect. */

import { z } from 'zod';
import type { CredentialVault } from '../../base/credentials/index.ts';
import { createWebhookSecret } from '../../base/deliveries/send.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { Connector } from '../../contract/index.ts';
import { invalid, missing, operationsOf, type PartnerCall } from '../../partners/operation.ts';
import { ACCOUNT_QUERY, requireAccount } from '../../partners/users.ts';
import { EVENTS_PATH, openInlet, setInletSecret } from './inlets.ts';
import { secretProblem } from './signature.ts';
import { endWhere } from './subscriptions.ts';

/** What these operations are served with. */
interface Inlets {
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

const operation = operationsOf<Inlets>();

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
      const { inlet } = await inletOf(call, db, findConnector);
      const secret = createWebhookSecret();
      const address = await openInlet(db, vault, inlet, { secret, now: now() });
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
      const { inlet, events } = await inletOf(call, db, findConnector);
      const { secret } = await call.body();
      const problem = secretProblem(events.signature, secret);
      if (problem !== null) throw invalid(`secret ${problem}.`);
      if (!(await setInletSecret(db, vault, inlet, secret))) throw missing('The connection has no address for events.');
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
      const {
        inlet: { id },
      } = await inletOf(call, db, findConnector);
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('event_inlets').where('id', '=', id).execute();
        await endWhere(transaction, 'inlet_id', id, now());
      });
    },
  ),
];

type Call = PartnerCall<{ readonly account: string | undefined }, unknown>;

async function inletOf(
  call: Pick<Call, 'user' | 'param' | 'query'>,
  db: Executor,
  findConnector: Inlets['findConnector'],
) {
  const owner = await call.user();
  const { id, service } = await requireAccount(db, owner, call);
  const events = findConnector(service)?.events;
  if (events === undefined) throw missing('This service tells no events.');
  return { inlet: { id, partner_id: owner.partnerId, user_id: owner.id, service }, events };
}
