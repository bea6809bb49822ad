/** Credentials of an OAuth client or a partner, as a request carries them. */

import { OAuthError } from './error.ts';

/** Credentials as they were sent, not verified. */
export interface ClientCredentials {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** True when the `Authorization` header was used; a refusal then carries a challenge (RFC 6749 §5.2). */
  readonly basic: boolean;
}

/**
 * Reads the credentials of the `Authorization` header (`client_secret_basic`) or of the body (`client_secret_post`).
 *
 * @throws {OAuthError} `invalid_request` (400) for both at once (RFC 6749 §2.3), `invalid_client` (401) for a header
 * whose scheme is not Basic.
 */
export function readClientCredentials(
  authorization: string,
  body: { readonly clientId: string | undefined; readonly clientSecret: string | undefined },
): ClientCredentials {
  if (authorization === '') return { ...body, basic: false };
  const credentials = decodeBasic(authorization);
  if (credentials === undefined) throw invalidClient({ basic: true });
  if (body.clientSecret !== undefined) {
    throw new OAuthError(400, 'invalid_request', 'Send the client secret in the header or in the body, not in both.');
  }
  if (body.clientId !== undefined && body.clientId !== credentials.clientId) {
    throw new OAuthError(
      400,
      'invalid_request',
      'The client_id of the body differs from that of the Authorization header.',
    );
  }
  return { ...credentials, basic: true };
}

/** `invalid_client`, status 401: one text for every reason, so that guessing reveals nothing. */
export function invalidClient({ basic }: { readonly basic: boolean }): OAuthError {
  const description = 'The client is unknown, or its credentials are wrong or missing.';
  if (!basic) return new OAuthError(401, 'invalid_client', description);
  return new OAuthError(401, 'invalid_client', description, {
    headers: { 'WWW-Authenticate': 'Basic realm="Unified Tool Gateway", charset="UTF-8"' },
  });
}

/** RFC 6749 §2.3.1: id and secret are form-encoded before Base64. */
function decodeBasic(authorization: string): { clientId: string; clientSecret: string | undefined } | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization.trim()) ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  if (secret.length === 0) return undefined;
  const clientId = decodeFormText(id);
  const clientSecret = decodeFormText(secret.join(':'));
  if (clientId === undefined || clientId === '' || clientSecret === undefined) return undefined;
  return { clientId, clientSecret: clientSecret === '' ? undefined : clientSecret };
}

function decodeFormText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
