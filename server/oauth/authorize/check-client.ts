/** Rule: the client is registered. */

import { PageError } from '../../pages/page-errors.ts';
import type { OAuthClient } from '../../store/repositories/oauth-clients.ts';
import { readParameter } from './parameters.ts';

/** Finds a client by its id. */
export type FindClient = (clientId: string) => Promise<OAuthClient | undefined>;

/**
 * Accepts only a `client_id` that is registered here.
 *
 * Runs first: what a redirect URI may be is the client's, so until then nothing may travel anywhere.
 *
 * @throws {PageError} status 400.
 */
export async function checkClient(parameters: URLSearchParams, findClient: FindClient): Promise<OAuthClient> {
  const clientId = readParameter(parameters, 'client_id');
  if (clientId === null) throw unknownClient('The address that brought you here names no application.');
  const client = await findClient(clientId);
  if (client === undefined) {
    throw unknownClient('The application that sent you here is not registered, or its registration has expired.');
  }
  return client;
}

function unknownClient(text: string): PageError {
  return new PageError(400, {
    title: 'Unknown application',
    text,
    advice: 'In that application, remove this server and add it again: it then registers again.',
  });
}
