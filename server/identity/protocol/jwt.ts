/** Verifies JWTs (RFC 7519) that another party signed: client assertions and identity assertions. */

import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';

export type { JSONWebKeySet, JWTPayload } from 'jose';

/** Grant type of an assertion (RFC 7523 §2.1). */
export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Signature algorithms that are accepted (RFC 8725 §3.1): asymmetric, in wide use. RFC 9864 has two names for Ed25519. */
export const JWT_ALGORITHMS = ['ES256', 'RS256', 'PS256', 'Ed25519', 'EdDSA'] as const;

/**
 * Public keys of a signer (RFC 7517 §5).
 *
 * @param need `renewed` if no key of the last answer fits, so that a remote set may be fetched again.
 */
export type KeySource = (need: 'known' | 'renewed') => Promise<JSONWebKeySet>;

/** The rules that a JWT must satisfy. */
export interface JwtRules {
  readonly keys: KeySource;
  readonly issuer: string;
  /** Any of these, as the only value of `aud`: a JWT for several servers could be replayed by one of them. */
  readonly audience: readonly string[];
  /** Accepted `typ` headers, compared as RFC 7515 §4.1.9 says; null accepts a JWT without one. */
  readonly typ: readonly (string | null)[];
  /** Required claims in addition to `iss`, `aud` and `exp`. */
  readonly requiredClaims?: readonly string[];
  /** Longest time from `iat`, or else from now, to `exp`. */
  readonly maxLifetimeSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A JWT that passed every rule. */
export interface VerifiedJwt {
  readonly claims: JWTPayload & { readonly iss: string; readonly exp: number };
}

/** The problem of a JWT. `key` means that no usable key of the signer fits it, `lifetime` that it is valid for longer than allowed. */
export type JwtProblem =
  | 'malformed'
  | 'algorithm'
  | 'type'
  | 'key'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'lifetime'
  | 'claims';

/** A JWT that is refused. Contains nothing of the JWT. */
export class JwtError extends Error {
  override readonly name = 'JwtError';
  readonly problem: JwtProblem;

  constructor(problem: JwtProblem, options?: ErrorOptions) {
    super(`JWT refused (${problem})`, options);
    this.problem = problem;
  }
}

/** Accepted difference between the clocks of two servers. A `jti` must be remembered for this long after `exp`. */
export const CLOCK_TOLERANCE_SECONDS = 30;

const MAX_JWT_LENGTH = 16_384;

/** Maximum of keys that are tried when several fit because the JWT names no key. */
const MAX_KEYS_TRIED = 5;

/**
 * Verifies signature and claims (RFC 7519 §7.2, RFC 8725).
 *
 * A key set is fetched again, once, when no key in it fits, because signers rotate their keys. The caller must check that a `jti` was not used
 * before.
 *
 * @throws {JwtError} and every error of `rules.keys`.
 */
export async function verifyJwt(token: string, rules: JwtRules): Promise<VerifiedJwt> {
  if (token.length > MAX_JWT_LENGTH) throw new JwtError('malformed');
  const options: JWTVerifyOptions = {
    algorithms: [...JWT_ALGORITHMS],
    issuer: rules.issuer,
    audience: [...rules.audience],
    requiredClaims: ['exp', ...(rules.requiredClaims ?? [])],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: new Date(rules.now),
  };
  const first = await attempt(token, await rules.keys('known'), options);
  const isUnknownKey = first instanceof JwtError && first.problem === 'key';
  const result = isUnknownKey ? await attempt(token, await rules.keys('renewed'), options) : first;
  if (result instanceof JwtError) throw result;
  return checkRules(result, rules);
}

/** Returns the issuer that a JWT names, without verifying anything. Returns undefined if the JWT cannot be read. */
export function readUnverifiedIssuer(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

type Verified = Awaited<ReturnType<typeof jwtVerify>>;

async function attempt(token: string, keys: JSONWebKeySet, options: JWTVerifyOptions): Promise<Verified | JwtError> {
  try {
    return await verifyWithAny(token, keys, options);
  } catch (error) {
    return new JwtError(problemOf(error), { cause: error });
  }
}

async function verifyWithAny(token: string, keys: JSONWebKeySet, options: JWTVerifyOptions): Promise<Verified> {
  try {
    return await jwtVerify(token, createLocalJWKSet(keys), options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      const verified = await jwtVerify(token, key, options).catch(passSignatureFailure);
      if (verified !== null) return verified;
      tried += 1;
      if (tried === MAX_KEYS_TRIED) break;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function passSignatureFailure(error: unknown): null {
  if (error instanceof errors.JWSSignatureVerificationFailed) return null;
  throw error;
}

function checkRules({ payload, protectedHeader }: Verified, rules: JwtRules): VerifiedJwt {
  const { iss, aud, exp, iat } = payload;
  const { typ } = protectedHeader;
  if (!rules.typ.some((accepted) => normalizeType(accepted) === normalizeType(typ ?? null))) throw new JwtError('type');
  if (iss === undefined || exp === undefined) throw new JwtError('claims');
  if (Array.isArray(aud) && aud.length !== 1) throw new JwtError('audience');
  const now = rules.now / 1000;
  if (iat !== undefined && iat > now + CLOCK_TOLERANCE_SECONDS) throw new JwtError('claims');
  const tolerance = iat === undefined ? CLOCK_TOLERANCE_SECONDS : 0;
  if (exp - (iat ?? now) > rules.maxLifetimeSeconds + tolerance) throw new JwtError('lifetime');
  return { claims: { ...payload, iss, exp } };
}

/** A media type without a slash is one of `application/` (RFC 7515 §4.1.9). */
function normalizeType(typ: string | null): string | null {
  const lower = typ?.toLowerCase() ?? null;
  return lower === null || lower.includes('/') ? lower : `application/${lower}`;
}

const CLAIM_PROBLEMS: Readonly<Record<string, JwtProblem>> = { iss: 'issuer', aud: 'audience', exp: 'claims' };

/** An error that is not about the JWT itself comes from a key that cannot be imported. */
function problemOf(error: unknown): JwtProblem {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return CLAIM_PROBLEMS[error.claim] ?? 'claims';
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) return 'algorithm';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'malformed';
  return 'key';
}
