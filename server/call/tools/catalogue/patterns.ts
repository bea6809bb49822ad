/** Finds patterns that cannot run in linear time. A tool with such a pattern is never served. */

import { findObviousPatternProblem } from '../../../../shared/patterns/index.ts';

/** Keywords that hold values, not schemas. */
const VALUES = new Set(['default', 'examples', 'example', 'const', 'enum']);

/** Describes the first such pattern of a schema, or null. */
export function findBadPattern(schema: unknown): string | null {
  for (const pattern of patternsIn(schema)) {
    const problem = findObviousPatternProblem(pattern);
    if (problem !== null) return `its pattern ${JSON.stringify(pattern)} ${problem}`;
  }
  return null;
}

function* patternsIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'pattern' && typeof value === 'string') yield value;
    else if (!VALUES.has(keyword)) yield* patternsIn(value);
    if (keyword === 'patternProperties' && typeof value === 'object' && value !== null) yield* Object.keys(value);
  }
}
