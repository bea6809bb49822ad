/** Places in the answers of an operation: the target of a pointer, and the members of an object. */

import { isRecord } from '../../json.ts';
import { pointerTokens } from '../../json-pointer.ts';
import type { Schema } from '../../model/types.ts';
import { type Reporter, suggest } from '../problems.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { alternativesOf, isNever, propertyOf, type Resolve, schemaMap, toSchema, typesOf } from '../schema/readers.ts';

/** The facts about the answers of a tool. */
export interface AnswerSchemas {
  /** Schemas of its 2xx answers; empty if nothing is known about them. */
  readonly answers: readonly Schema[];
  readonly resolve: Resolve;
}

interface PointerContext extends AnswerSchemas {
  readonly tool: string;
  readonly report: Reporter;
}

/** Reports a pointer that does not resolve in the answers of a tool, unless nothing is known about them. */
export function checkPointer(
  code: 'config-pagination' | 'config-rows' | 'config-account' | 'config-preview' | 'config-wait',
  path: readonly (string | number)[],
  pointer: string,
  { tool, answers, resolve, report }: PointerContext,
): void {
  if (answers.length === 0) return;
  let schemas: readonly Schema[] = answers;
  for (const token of pointerTokens(pointer)) {
    const { next, isOpen, names } = stepsFrom(schemas, token, resolve);
    if (next.length === 0) {
      if (isOpen) return;
      const fix = suggest(token, names, 'The answer has no members there.');
      report.config(code, path, `The answer of ${tool} has no ${pointer}: there is no ${token}.`, fix);
      return;
    }
    schemas = next;
  }
}

/** The schemas at a pointer. */
export function schemasAt(pointer: string, { answers, resolve }: AnswerSchemas): readonly Schema[] {
  return pointerTokens(pointer).reduce<readonly Schema[]>(
    (schemas, token) => stepsFrom(schemas, token, resolve).next,
    answers,
  );
}

/** True if a pointer leads to an array. */
export function hasArray(pointer: string, answerSchemas: AnswerSchemas): boolean {
  return schemasAt(pointer, answerSchemas).some((schema) =>
    typesOf(mergeAllOf(schema, answerSchemas.resolve).schema).includes('array'),
  );
}

/** True if an answer has a member of this name. */
export function hasMember(name: string, { answers, resolve }: AnswerSchemas): boolean {
  return stepsFrom(answers, name, resolve).next.length > 0;
}

interface Steps {
  readonly next: readonly Schema[];
  /** True if the schema allows members that it does not name. */
  readonly isOpen: boolean;
  readonly names: readonly string[];
}

/** The schemas one token of a pointer further. */
function stepsFrom(schemas: readonly Schema[], token: string, resolve: Resolve): Steps {
  const steps = schemas.map((schema) => stepFrom(schema, token, resolve, 0));
  return {
    next: steps.flatMap(({ next }) => next),
    isOpen: steps.some(({ isOpen }) => isOpen),
    names: steps.flatMap(({ names }) => names),
  };
}

export const MAX_ALTERNATIVE_DEPTH = 8;

function stepFrom(unmergedSchema: Schema, token: string, resolve: Resolve, depth: number): Steps {
  const { schema, leftovers } = mergeAllOf(unmergedSchema, resolve);
  const types = typesOf(schema);
  const namedProperty = propertyOf(schema, token);
  const properties = schemaMap(schema, 'properties');
  const additional = schema.additionalProperties;
  const isArray = types.includes('array') && /^\d+$/.test(token);
  const isFree = properties.length === 0 && (types.length === 0 || types.includes('object')) && !isNever(additional);
  const variants = [...leftovers, ...alternativesOf(schema)];
  const variantSteps =
    depth < MAX_ALTERNATIVE_DEPTH ? variants.map((variant) => stepFrom(variant, token, resolve, depth + 1)) : [];
  return {
    next: [
      ...(namedProperty === null ? [] : [namedProperty]),
      ...(isArray ? [toSchema(schema.items)] : []),
      ...(namedProperty === null && isRecord(additional) && !isNever(additional) ? [additional] : []),
      ...variantSteps.flatMap(({ next }) => next),
    ],
    isOpen: (isFree && variants.length === 0) || variantSteps.some(({ isOpen }) => isOpen),
    names: [...properties.map(([name]) => name), ...variantSteps.flatMap(({ names }) => names)],
  };
}
