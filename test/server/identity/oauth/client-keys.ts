/** A client's key, and assertions that are signed with it. */

import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** A key pair of one client. */
export interface ClientKey {
  readonly publicJwk: Readonly<Record<string, unknown>>;
  readonly privateJwk: Readonly<Record<string, unknown>>;
  sign(claims: JWTPayload, header?: Readonly<Record<string, string>>): Promise<string>;
}

/** @param alg of `JWT_ALGORITHMS`. */
export async function createClientKey(kid: string, alg = 'ES256'): Promise<ClientKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    publicJwk: { ...(await exportJWK(publicKey)), kid },
    privateJwk: { ...(await exportJWK(privateKey)), kid },
    sign: (claims, header = {}) => new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  };
}
