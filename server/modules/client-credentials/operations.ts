/** Operations of the partner API for clients that act for one user. */

import { z } from 'zod';
import { findClientGrant } from '../../base/store/repositories/live-access.ts';
import { findClient } from '../../base/store/repositories/oauth-clients.ts';
import type { Executor } from '../../base/store/schema.ts';
import { parseClientMetadata } from '../../identity/oauth/client-metadata.ts';
import { invalid, missing, operationsOf } from '../../partners/operation.ts';
import { clientName, time } from '../../partners/shapes.ts';
import { CLIENT_CREDENTIALS } from './exchange.ts';
import { addUserClient, listUserClients, MAX_CLIENTS_PER_USER, removeUserClient } from './user-clients.ts';

const redirectUris = z.array(z.string()).meta({
  description: 'Where the consent page sends the user back to, with a code that you may exchange once or leave.',
});

const registration = z.object({
  client_name: z.string().min(1).meta({
    description: 'How the consent page and the page of the user name it, marked as a name that no one has verified.',
  }),
  redirect_uris: redirectUris,
  token_endpoint_auth_method: z.enum(['client_secret_basic', 'private_key_jwt']).default('client_secret_basic'),
  jwks: z
    .unknown()
    .optional()
    .meta({
      type: ['object', 'null'],
      description: 'Public keys (RFC 7517 §5) for private_key_jwt, in place of jwks_uri.',
    }),
  jwks_uri: z.string().nullish().meta({ format: 'uri' }),
});

const userClient = z
  .object({
    client_id: z.string(),
    client_secret: z
      .string()
      .nullish()
      .meta({ description: 'Only in the answer to the registration; never for private_key_jwt.' }),
    client_name: clientName,
    token_endpoint_auth_method: z.string(),
    redirect_uris: redirectUris,
    created_at: time,
    grant_id: z
      .string()
      .nullable()
      .meta({ description: 'What the user allowed it. Null: nothing yet, or it has ended.' }),
  })
  .meta({ id: 'UserClient' });

const operation = operationsOf<{ readonly privateUseSchemes: readonly string[] }>();

export const USER_CLIENT_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/users/:user_id/clients',
      id: 'listUserClients',
      summary: 'The clients that act for this user alone.',
      answers: { 200: 'The clients.' },
      answer: z.object({ clients: z.array(userClient) }),
      refusals: [404],
    },
    async (call, { db, now }) => {
      const { id: userId } = await call.user();
      const ids = await listUserClients(db, userId);
      const clientViews = await Promise.all(
        ids.map((clientId) => describeUserClient(db, { clientId, userId, now: now() })),
      );
      return { clients: clientViews.flat() };
    },
  ),
  operation(
    {
      method: 'post',
      path: '/users/:user_id/clients',
      id: 'registerUserClient',
      summary: 'Registers a client that acts for this user alone, once the user has allowed it on the consent page.',
      credentials: 'header',
      body: {
        schema: registration,
        explain: (issue) => `${issue?.path[0]?.toString() ?? 'The body'} is missing or cannot be used.`,
      },
      answers: { 201: 'The client. Its secret is not shown again.' },
      answer: userClient,
      refusals: [404],
    },
    async (call, { db, privateUseSchemes }) => {
      const user = await call.user();
      const rules = { privateUseSchemes, grantTypes: [CLIENT_CREDENTIALS] };
      const { registered: _, droppedRedirectUris, ...client } = parseClientMetadata(await call.body(), rules);
      const event = call.event();
      const added = await db.transaction().execute((transaction) => addUserClient(transaction, user, client, event));
      if (added === null) {
        throw invalid(`This user_id has ${MAX_CLIENTS_PER_USER} clients. Remove one first.`);
      }
      const [clientView] = await describeUserClient(db, { clientId: added.clientId, userId: user.id, now: event.now });
      if (clientView === undefined) throw missing('The client was removed meanwhile.');
      return { ...clientView, clientSecret: added.secret };
    },
  ),
  operation(
    {
      method: 'delete',
      path: '/users/:user_id/clients/:client_id',
      id: 'removeUserClient',
      summary: 'Removes such a client, and ends at once what the user allowed it.',
      answers: { 204: 'The client is removed.' },
      refusals: [404],
    },
    async (call, { db }) => {
      const user = await call.user();
      const removed = await db
        .transaction()
        .execute((transaction) => removeUserClient(transaction, user, call.param('client_id'), call.event()));
      if (!removed) throw missing('This user_id has no such client.');
    },
  ),
];

/** Returns a list of the client with its grant. It is empty if the client was removed meanwhile. */
async function describeUserClient(db: Executor, key: { clientId: string; userId: string; now: number }) {
  const [client, grant] = await Promise.all([findClient(db, key.clientId), findClientGrant(db, key)]);
  if (client === undefined) return [];
  return [{ ...client, tokenEndpointAuthMethod: client.authenticationMethod, grantId: grant?.id ?? null }];
}
