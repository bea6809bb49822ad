/** Writes text as YAML in a first `connector.yaml`. */

const RESERVED = /^(true|false|null|yes|no|on|off|y|n)$/i;

/** A JSON string is also a YAML string; plain words need no quotes. */
export function quoted(text: string): string {
  return /^[A-Za-z][A-Za-z0-9_/-]*( [A-Za-z][A-Za-z0-9_/-]*)*$/.test(text) && !RESERVED.test(text)
    ? text
    : JSON.stringify(text);
}
