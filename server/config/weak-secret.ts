/** Recognises secrets that were typed or copied, not generated at random. */

const MIN_DIFFERENT = 10;

/** From documentation and from keyboards. */
const SAMPLES = /change.?me|password|passw0rd|placeholder|example|your.?secret|admin.?secret|letmein|qwerty|\$\(/i;

/** Says what is wrong with a secret, or null. */
export function weaknessOfSecret(secret: string): string | null {
  if (SAMPLES.test(secret)) return 'holds a sample value';
  if (new Set(secret).size < MIN_DIFFERENT) return 'has too few different characters';
  if (/^(.+?)\1+.?$/.test(secret)) return 'repeats one part';
  const codes = [...secret].map((character) => character.codePointAt(0) ?? 0);
  const inSequence = codes.filter((code, index) => Math.abs(code - (codes[index - 1] ?? Number.NaN)) <= 1).length;
  return inSequence * 2 > codes.length ? 'is a sequence' : null;
}
