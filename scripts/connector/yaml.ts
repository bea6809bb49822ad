/** Writes text as YAML in a first `connector.yaml`. */

const RESERVED = /^(true|false|null|yes|no|on|off|y|n)$/i;

/** Characters that are not seen, or that move others. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A JSON string is also a YAML string, in which characters that no one sees are escapes; plain words need no quotes. */
export function quoted(text: string): string {
  return /^[A-Za-z][A-Za-z0-9_/-]*( [A-Za-z][A-Za-z0-9_/-]*)*$/.test(text) && !RESERVED.test(text)
    ? text
    : JSON.stringify(text).replaceAll(
        UNSEEN,
        (character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`,
      );
}
