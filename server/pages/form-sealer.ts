/** What a page's form carries from one step to the next, sealed for the browser that began. */

import type { z } from 'zod';
import type { EncryptionKey } from '../credentials/index.ts';
import { createValueSealer } from '../credentials/sealed-value.ts';

/** Seals and opens what the forms of one page carry. */
export interface FormSealer<Value> {
  /** @param now milliseconds since 1970. */
  seal(value: Value, browserId: string, now: number): string;
  /** @returns null when the text was changed, is too old, or is another browser's. */
  open(sealed: string, browserId: string, now: number): Value | null;
}

/**
 * Creates the sealer of one page.
 *
 * @param options.purpose names the page: what one page sealed, no other opens.
 * @param options.ttlSeconds how long the page may stay open.
 */
export function createFormSealer<Value>(options: {
  keys: readonly EncryptionKey[];
  purpose: string;
  schema: z.ZodType<Value>;
  ttlSeconds: number;
}): FormSealer<Value> {
  const { keys, purpose, schema, ttlSeconds } = options;
  const sealer = createValueSealer({ keys, purpose });
  return {
    seal: (value, browserId, now) => sealer.seal(value, { holder: browserId, expiresAt: now + ttlSeconds * 1000 }),
    open(sealed, browserId, now) {
      const opened = schema.safeParse(sealer.open(sealed, { holder: browserId, now }));
      return opened.success ? opened.data : null;
    },
  };
}
