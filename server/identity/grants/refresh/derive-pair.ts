/** Derives the tokens that follow a refresh token, so that every node gives the same answer while the store keeps hashes only. */

import { randomBytes } from 'node:crypto';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { Scope } from '../../../base/principal/permission.ts';
import { deriveSecret } from '../../../base/principal/secrets.ts';
import type { TokenPair } from '../issue-tokens.ts';

const SEED_BYTES = 32;
/** Longer than any answer is shared or repeated. */
const SEED_TTL_MS = 300_000;

/** Creates a seed: 256 random bits, as base64url. */
export function createSeed(): string {
  return randomBytes(SEED_BYTES).toString('base64url');
}

/**
 * Derives both tokens with HMAC-SHA256 under the seed, from the old token and, for the access token, its scopes.
 *
 * The seed keeps them secret. It is stored only in the row of the old token, sealed with the gateway's key, until the purge after the time in which
 * the answer is shared or repeated. After that, the gateway's key and an old token reveal nothing.
 */
export function derivePair(seed: string, refreshToken: string, scopes: readonly Scope[]): TokenPair {
  const key = Buffer.from(seed, 'base64url');
  return {
    accessToken: deriveSecret('accessToken', key, JSON.stringify([refreshToken, ...scopes])),
    refreshToken: deriveSecret('refreshToken', key, refreshToken),
  };
}

/** What the row of a used token stores, sealed. */
export interface Seed {
  readonly seed: string;
  /** The addresses that the token came from, the first one first. */
  readonly senders: readonly string[];
}

export function sealSeed(sealer: ValueSealer, seed: Seed, tokenId: string, now: number): string {
  return sealer.seal(seed, { holder: tokenId, expiresAt: now + SEED_TTL_MS });
}

/** The columns of a refresh token that its seed is read from. */
interface SeedColumns {
  readonly id: string;
  readonly sealedSeed: string | null;
}

/** @returns undefined if there is none, or no key of the ring opens it. */
export function openSeed(sealer: ValueSealer, { id, sealedSeed }: SeedColumns, now: number): Seed | undefined {
  const seed = sealedSeed === null ? undefined : sealer.open(sealedSeed, { holder: id, now });
  // A version before this one sealed the seed alone.
  return typeof seed === 'string' ? { seed, senders: [] } : (seed as Seed | undefined);
}
