/** A text of a service folder, parsed, that still knows on which line everything stands. */

import { hash } from 'node:crypto';
import { parseJson } from './parse-json.ts';
import { parseYaml } from './parse-yaml.ts';
import type { ParsedText } from './parsed-text.ts';

export interface Source extends ParsedText {
  /** Path relative to the project's root. */
  readonly file: string;
  /** SHA-256 of the text, in hexadecimal digits. */
  readonly digest: string;
}

/**
 * JSON where the text is JSON, whatever its extension says, because JSON.parse is a hundred times faster; else YAML 1.2.
 *
 * @param isTolerant takes of YAML what the common parsers take, and says so in `repairs`
 */
export function parseSource(file: string, text: string, { isTolerant = false } = {}): Source {
  const digest = hash('sha256', text);
  const isJson = file.endsWith('.json');
  if (isJson || /^\s*[{[]/.test(text)) {
    const json = parseJson(text);
    if (isJson || json.faults.length === 0) return { file, digest, ...json };
  }
  return { file, digest, ...parseYaml(text, isTolerant) };
}
