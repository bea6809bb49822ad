/** Recognises keys that are not random. */

/** Of 32 random bytes about 30 are different; fewer than this occur once in 10^20 draws. */
const MIN_DIFFERENT = 16;

/**
 * Says what is wrong with a key, or null.
 *
 * Zeros, repetitions and sequences have few different bytes, or few different steps from one to the next. Text has only
 * printable ones: 32 random bytes are never all printable.
 */
export function weaknessOf(key: Uint8Array): string | null {
  if (new Set(key).size < MIN_DIFFERENT) return 'repeats a few bytes';
  const steps = key.map((byte, index) => byte - (key[index - 1] ?? 0));
  if (new Set(steps).size < MIN_DIFFERENT) return 'is a sequence';
  return key.every((byte) => byte >= 0x20 && byte < 0x7f) ? 'is a text' : null;
}
