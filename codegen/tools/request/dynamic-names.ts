/** Keeps a parameter name that is chosen at run time from matching any other parameter of the call. */

import { compilePattern, findPatternProblem } from '../../../shared/patterns/index.ts';
import { byCodeUnit, isRecord } from '../../json.ts';
import type { OperationModel, ParameterLocation, Schema } from '../../model/types.ts';
import type { Reporter } from '../problems.ts';
import type { Assignment } from './assign.ts';
import { isSpread } from './parameter-styles.ts';
import type { Slot } from './slots.ts';
import { toWireText } from './wire.ts';

/**
 * The schema of an argument that names a parameter, with forbidden names excluded.
 *
 * Forbidden are the names of all parameters of the operation in that place, exposed or not, of the credential, and of
 * the fixed keys of the same object, in any spelling that the pattern would allow.
 *
 * Reports a naming argument that is optional or whose pattern is missing, is not anchored, or allows the empty name.
 */
export function guardNamingArgument(
  namingArgument: {
    readonly name: string;
    readonly required: boolean;
    readonly schema: Schema;
    readonly path: readonly string[];
  },
  forbiddenNames: readonly string[],
  report: Reporter,
): Schema {
  const { name, schema, path } = namingArgument;
  const problem = (message: string) => report.config('config-dynamic-name', path, message);
  if (!namingArgument.required) problem(`${name} names a parameter and is optional: without it the value has no name.`);
  const pattern = schema.pattern;
  if (typeof pattern !== 'string') {
    problem(`${name} names a parameter and has no \`pattern\`: any name could be sent.`);
    return schema;
  }
  if (findPatternProblem(pattern) !== null) return schema;
  const expression = compilePattern(pattern);
  if (!isAnchored(pattern)) problem(`The pattern of ${name} is not anchored as ^...$ as a whole.`);
  else if (expression.test('')) problem(`The pattern of ${name} lets the empty name through.`);
  const spellings = forbiddenNames.flatMap((word) => [word, word.toLowerCase(), word.toUpperCase()]);
  const matchingNames = [...new Set(spellings)].filter((word) => expression.test(word)).sort(byCodeUnit);
  return matchingNames.length === 0 ? schema : excludeNames(schema, matchingNames);
}

function excludeNames(schema: Schema, names: readonly string[]): Schema {
  const existingNot = schema.not;
  if (existingNot === undefined) return { ...schema, not: { enum: names } };
  if (isRecord(existingNot) && Object.keys(existingNot).length === 1 && Array.isArray(existingNot.enum)) {
    return { ...schema, not: { enum: [...new Set([...existingNot.enum.map(String), ...names])].sort(byCodeUnit) } };
  }
  const all = Array.isArray(schema.allOf) ? schema.allOf : [];
  return { ...schema, allOf: [...all, { not: { enum: names } }] };
}

/** Names that a key of `slot` must never take. */
export function forbiddenNamesFor(
  slot: Slot,
  operation: OperationModel,
  credentialNames: (place: ParameterLocation) => readonly string[],
  assignments: readonly Assignment[],
): readonly string[] {
  const constants = assignments.flatMap((other) =>
    other.slot !== null && toWireText(other.slot) === toWireText(slot) && other.key !== null && 'constant' in other.key
      ? [other.key.constant]
      : [],
  );
  if (slot.parameter === null || !isSpread(slot.parameter)) return constants;
  const { in: place } = slot.parameter;
  const otherNames = operation.parameters.filter((p) => p.in === place && p.name !== slot.name).map(({ name }) => name);
  return [...new Set([...otherNames, ...credentialNames(place), ...constants])];
}

/** True for `^...$` without an alternative that escapes the anchors. */
function isAnchored(pattern: string): boolean {
  if (!pattern.startsWith('^') || !pattern.endsWith('$') || /(?<!\\)(\\\\)*\\\$$/.test(pattern)) return false;
  let depth = 0;
  let inClass = false;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index];
    if (character === '\\') index += 1;
    else if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === '|' && depth === 0) return false;
  }
  return true;
}
