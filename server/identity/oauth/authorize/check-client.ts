/** Rule: the client is registered. */

import { PageError } from '../../../base/pages/page-errors.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { ClientDocumentError } from '../client-documents/index.ts';
import { readParameter } from './parameters.ts';

/** Finds a client by its id. @throws {ClientDocumentError} when the id is the URL of a document that cannot be used. */
export type FindClient = (clientId: string) => Promise<OAuthClient | undefined>;

/**
 * Accepts only a `client_id` that is registered here, or whose metadata document can be read.
 *
 * Runs first: only a known client has redirect URIs, so until then nothing may be sent anywhere.
 *
 * @throws {PageError} status 400.
 */
export async function checkClient(parameters: URLSearchParams, findClient: FindClient): Promise<OAuthClient> {
  const clientId = readParameter(parameters, 'client_id');
  if (clientId === null) throw unknownClient('The link that brought you here names no application.');
  const client = await findClient(clientId).catch(toPageError);
  if (client === undefined) {
    throw unknownClient('The application that sent you here is not registered, or its registration has expired.');
  }
  return client;
}

function toPageError(error: unknown): never {
  if (!(error instanceof ClientDocumentError)) throw error;
  throw new PageError(400, {
    title: 'This application cannot be identified',
    text: `It identifies itself by a document at an address of its own. The document ${error.description}.`,
    advice: 'Try again in a few minutes. If it happens again, tell the makers of that application.',
  });
}

function unknownClient(text: string): PageError {
  return new PageError(400, {
    title: 'Unknown application',
    text,
    advice: 'In that application, remove this server and add it again: it then registers again.',
  });
}
