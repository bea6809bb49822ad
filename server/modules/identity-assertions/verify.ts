/** Verifies who signed an identity assertion, and that it is for this server. */

import { z } from 'zod';
import type { Executor } from '../../base/store/schema.ts';
import { invalidGrant } from '../../identity/grants/grant-outcome.ts';
import type { FindKeys } from '../../identity/oauth/remote-keys.ts';
import { OAuthError } from '../../identity/protocol/error.ts';
import {
  JWT_ALGORITHMS,
  type JWTPayload,
  JwtError,
  type JwtProblem,
  type VerifiedJwt,
  verifyJwt,
} from '../../identity/protocol/jwt.ts';
import { findIssuer, type IdentityIssuer, type IssuerName } from './stored-issuers.ts';

/** Longest time from `iat` to `exp`. The extension's example has 1000 seconds, those of most providers 300. */
const MAX_ASSERTION_SECONDS = 1200;

interface AssertionRules {
  readonly keysOf: FindKeys;
  /** The gateway's issuer, which must be the audience of the assertion. */
  readonly audience: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** An unexpired assertion that a registered issuer signed for this server. Nothing else was checked. */
export interface VerifiedAssertion {
  readonly issuer: IdentityIssuer;
  readonly claims: VerifiedJwt['claims'];
}

/** Claims that are read before the signature is verified: they only select the keys. */
const NAME = z.object({ iss: z.string().min(1), tenant: z.string().min(1).optional() });

/**
 * Verifies type, algorithm, signature, issuer, audience and time bounds (draft-ietf-oauth-identity-assertion-authz-grant §4.4.1,
 * MCP Enterprise-Managed Authorization §7.4.1).
 *
 * The audience is the gateway's issuer, with or without a trailing slash, because clients pass it on as a URL.
 *
 * @throws {OAuthError} `invalid_grant` (400); `server_error` (503) when the issuer's keys cannot be fetched.
 */
export async function verifyIdentityAssertion(
  executor: Executor,
  assertion: string,
  rules: AssertionRules,
): Promise<VerifiedAssertion> {
  const name = readIssuerName(assertion);
  const issuer = name && (await findIssuer(executor, name));
  if (issuer === undefined)
    throw invalidGrant(
      'No partner has registered the issuer of the assertion, or it waits for the approval of an operator.',
    );
  try {
    const { claims } = await verifyJwt(assertion, {
      keys: rules.keysOf(issuer),
      issuer: issuer.issuer,
      audience: [rules.audience, `${rules.audience}/`],
      typ: ['oauth-id-jag+jwt'],
      requiredClaims: ['sub', 'jti', 'iat', 'client_id'],
      maxLifetimeSeconds: MAX_ASSERTION_SECONDS,
      now: rules.now,
    });
    return { issuer, claims };
  } catch (cause) {
    if (cause instanceof JwtError) throw refusalOf(cause.problem, rules);
    const description = 'The keys of the identity provider could not be fetched. Try again in a minute.';
    throw new OAuthError(503, 'server_error', description, { cause });
  }
}

function readIssuerName(assertion: string): IssuerName | undefined {
  const claims = readClaims(assertion.split('.')[1] ?? '');
  const parsed = NAME.safeParse(claims);
  if (!parsed.success) return undefined;
  return { issuer: parsed.data.iss, tenant: parsed.data.tenant ?? '' };
}

function readClaims(part: string): JWTPayload | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as JWTPayload;
  } catch {
    return undefined;
  }
}

/** Continues the sentence that begins with "The assertion". */
const PROBLEMS: Readonly<Record<Exclude<JwtProblem, 'audience'>, string>> = {
  malformed: 'is not a signed JWT',
  algorithm: `must be signed with ${JWT_ALGORITHMS.join(', ')}`,
  type: 'must be of the type oauth-id-jag+jwt',
  key: 'is signed with a key that its issuer does not publish',
  signature: 'has an invalid signature',
  issuer: 'is from another issuer',
  expired: 'has expired',
  lifetime: `is valid for more than ${MAX_ASSERTION_SECONDS} seconds`,
  claims: 'lacks sub, jti, client_id, iat or exp, or one of them cannot be used',
};

function refusalOf(problem: JwtProblem, { audience }: AssertionRules): OAuthError {
  const text = problem === 'audience' ? `must have ${audience} as its only audience` : PROBLEMS[problem];
  return invalidGrant(`The assertion ${text}.`);
}
