/** Collects the problems of the tools stage, and suggests the nearest names. */

import type { DiagnosticCode, Problem } from '../diagnostics.ts';
import { toPointer } from '../json-pointer.ts';
import { nearest } from '../nearest.ts';

const MAX_ALTERNATIVES = 3;
const MAX_LISTED = 12;

/** Problems of one service, in the order of discovery. */
export interface Reporter {
  readonly problems: readonly Problem[];
  /** A problem of the descriptor; `pointer` is an RFC 6901 pointer into it. */
  descriptor(code: DiagnosticCode, pointer: string, message: string, fix?: string): void;
  /** A problem of connector.yaml; `path` holds unescaped keys from its root. */
  config(code: DiagnosticCode, path: readonly (string | number)[], message: string, fix?: string): void;
  /** Reports problems of another file, as `config` does. */
  forFile(file: string): Reporter['config'];
}

export function createReporter(descriptorFile: string, configFile: string): Reporter {
  const problems: Problem[] = [];
  const inFile =
    (file: string): Reporter['descriptor'] =>
    (code, pointer, message, fix) => {
      problems.push({ code, file, pointer, message, fix });
    };
  const forFile = (file: string): Reporter['config'] => {
    const report = inFile(file);
    return (code, path, message, fix) => report(code, toPointer(path), message, fix);
  };
  return { problems, descriptor: inFile(descriptorFile), config: forFile(configFile), forFile };
}

/** `Did you mean a or b?` with the nearest names, or with all if none is near; `otherwise` if there are no names. */
export function suggest(wrong: string, names: Iterable<string>, otherwise: string): string {
  const candidates = [...new Set(names)];
  const near = nearest(wrong, candidates);
  const suggestions = near.length > 0 ? near : candidates;
  if (suggestions.length > MAX_ALTERNATIVES) return `Use one of ${toShortList(suggestions)}.`;
  return suggestions.length === 0 ? otherwise : `Did you mean ${toAlternatives(suggestions)}?`;
}

/** `a, b or c`. */
function toAlternatives(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** `a, b, c and 4 more`. */
export function toShortList(names: readonly string[]): string {
  if (names.length <= MAX_LISTED) return names.join(', ');
  return `${names.slice(0, MAX_LISTED).join(', ')} and ${names.length - MAX_LISTED} more`;
}
