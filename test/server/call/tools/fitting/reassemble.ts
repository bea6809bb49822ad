/** Puts the parts of a cut answer together again, by their positions alone. */

import type { AnswerPosition } from '../../../../../server/call/tools/results/cut-answer.ts';

export function reassemble(target: unknown, part: unknown, from: AnswerPosition, whole: unknown): unknown {
  const [start, ...inside] = from;
  if (typeof part === 'string' && typeof whole === 'string' && start !== undefined) {
    return String(target).slice(0, start) + part;
  }
  if (Array.isArray(part) && Array.isArray(whole)) {
    const elements = Array.isArray(target) ? [...(target as unknown[])] : [];
    const first = start ?? 0;
    part.forEach((element, index) => {
      const at = first + index;
      elements[at] = reassemble(elements[at], element, index === 0 ? inside : [], whole[at]);
    });
    return elements;
  }
  if (isObject(part) && isObject(whole)) {
    const before = isObject(target) ? target : {};
    const continued = start === undefined ? undefined : Object.keys(whole)[start];
    const members = Object.entries(part).map(([name, member]) => [
      name,
      reassemble(own(before, name), member, name === continued ? inside : [], own(whole, name)),
    ]);
    return Object.fromEntries([...Object.entries(before), ...members]);
  }
  return part;
}

function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
