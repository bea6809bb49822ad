/** Collects what the tools stage has to say, and finds the nearest names for its advice. */

import { distance } from 'fastest-levenshtein';
import type { DiagnosticCode, Problem } from '../diagnostics.ts';
import { toPointer } from '../json-pointer.ts';

const MAX_SUGGESTIONS = 3;
const MAX_LISTED = 12;

/** Problems of one service, in the order in which they were found. */
export interface Reporter {
  readonly problems: readonly Problem[];
  /** A problem of the descriptor; `pointer` is an RFC 6901 pointer into it. */
  descriptor(code: DiagnosticCode, pointer: string, message: string, fix?: string): void;
  /** A problem of connector.yaml; `path` holds unescaped keys from its root. */
  config(code: DiagnosticCode, path: readonly (string | number)[], message: string, fix?: string): void;
}

export function createReporter(descriptorFile: string, configFile: string): Reporter {
  const problems: Problem[] = [];
  const add = (file: string, code: DiagnosticCode, pointer: string, message: string, fix: string | undefined) => {
    problems.push({ code, file, pointer, message, ...(fix === undefined ? {} : { fix }) });
  };
  return {
    problems,
    descriptor: (code, pointer, message, fix) => add(descriptorFile, code, pointer, message, fix),
    config: (code, path, message, fix) => add(configFile, code, toPointer(path), message, fix),
  };
}

/** The names nearest to a wrong one, best first; all of them where they are few. */
export function nearest(wrong: string, names: Iterable<string>): readonly string[] {
  const scored = [...new Set(names)].map((name) => ({
    name,
    score: distance(wrong.toLowerCase(), name.toLowerCase()),
  }));
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return scored.slice(0, MAX_SUGGESTIONS).map(({ name }) => name);
}

/** `Use a, b or c.`, the nearest names to a wrong one, or what to say where there are none. */
export function suggest(wrong: string, names: Iterable<string>, otherwise: string): string {
  const near = nearest(wrong, names);
  return near.length === 0 ? otherwise : `Did you mean ${toAlternatives(near)}?`;
}

/** `a, b or c`. */
export function toAlternatives(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** `a, b, c and 4 more`. */
export function toShortList(names: readonly string[]): string {
  if (names.length <= MAX_LISTED) return names.join(', ');
  return `${names.slice(0, MAX_LISTED).join(', ')} and ${names.length - MAX_LISTED} more`;
}
