/** Regular expressions of descriptors and of connector.yaml. */

/** True where a validator can compile the pattern (JSON Schema 2020-12 §6.4: ECMA-262 with the `u` flag). */
export function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
