/** Rule: every `$ref` leads to a place that exists. */

import type { Problem } from '../diagnostics.ts';
import { member, pointerTokens } from '../json-pointer.ts';
import type { ServiceFiles } from './files.ts';
import { readReference } from './reference.ts';

/** References to references to references: more are a circle. */
const MAX_HOPS = 100;

/** A fault that `loadFiles` has reported where it lies. */
const REPORTED = '';

/** Problems of all references in all files, in the order of files and places. Circular schemas are fine; empty circles are not. */
export function checkReferences(files: ServiceFiles): Problem[] {
  const problems: Problem[] = [];
  for (const [name, { file, survey }] of files) {
    for (const { pointer, ref, isData } of survey.references) {
      if (isData) continue;
      const fault = follow(files, name, ref);
      if (fault === null || fault === REPORTED) continue;
      problems.push({
        code: 'reference-unresolved',
        file,
        pointer,
        message: `$ref ${JSON.stringify(ref)} ${fault}.`,
      });
    }
  }
  return problems;
}

/** What is wrong with a reference, or null. */
function follow(files: ServiceFiles, fromFile: string, ref: string): string | null {
  let hops = 0;
  const resolve = (from: string, reference: string): { file: string; value: unknown } | string => {
    hops += 1;
    if (hops > MAX_HOPS) return 'leads in a circle';
    const target = readReference(reference, from);
    if ('refused' in target) return REPORTED;
    if (target.pointer === null) return 'is no JSON pointer; anchors are not supported';
    const source = files.get(target.file);
    if (source === undefined || source.faults.length > 0) return REPORTED;
    let place = { file: target.file, value: source.value };
    for (const token of pointerTokens(target.pointer)) {
      const passed = passReferences(place);
      if (typeof passed === 'string') return passed;
      const value = member(passed.value, token);
      if (value === undefined) return `leads nowhere: there is no ${JSON.stringify(token)} in ${target.file}`;
      place = { file: passed.file, value };
    }
    return passReferences(place);
  };
  const passReferences = (place: { file: string; value: unknown }): { file: string; value: unknown } | string => {
    const next = member(place.value, '$ref');
    return typeof next === 'string' ? resolve(place.file, next) : place;
  };
  const end = resolve(fromFile, ref);
  return typeof end === 'string' ? end : null;
}
