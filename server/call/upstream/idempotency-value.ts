/** The value of the header by which an upstream recognises a repeated request. */

import { createHash } from 'node:crypto';
import type { IdempotencyHeader } from '../../contract/index.ts';

/** Derives the value from a seed by the header's rule: the same seed gives the same value, and the value does not reveal it. */
export function toIdempotencyValue({ digits }: IdempotencyHeader, seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex');
  if (digits !== null) return hex.slice(0, digits);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
