/** Places in the answers of an operation: the target of a pointer, and the members of an object. */

import { isRecord } from '../../json.ts';
import { pointerTokens } from '../../json-pointer.ts';
import type { Schema } from '../../model/types.ts';
import { type Reporter, suggest } from '../problems.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { alternativesOf, isNever, propertyOf, type Resolve, schemaMap, toSchema, typesOf } from '../schema/readers.ts';

/** The facts about the answers of a tool. */
export interface AnswerPlaces {
  /** Schemas of its 2xx answers; empty if nothing is known about them. */
  readonly answers: readonly Schema[];
  readonly resolve: Resolve;
}

interface Checked extends AnswerPlaces {
  readonly tool: string;
  readonly report: Reporter;
}

/** Reports a pointer that does not resolve in the answers of a tool, unless nothing is known about them. */
export function checkPointer(
  code: 'config-pagination' | 'config-rows' | 'config-account' | 'config-preview' | 'config-wait',
  path: readonly (string | number)[],
  pointer: string,
  { tool, answers, resolve, report }: Checked,
): void {
  if (answers.length === 0) return;
  let places: readonly Schema[] = answers;
  for (const token of pointerTokens(pointer)) {
    const { next, isOpen, names } = stepsFrom(places, token, resolve);
    if (next.length === 0) {
      if (isOpen) return;
      const fix = suggest(token, names, 'The answer has no members there.');
      report.config(code, path, `The answer of ${tool} has no ${pointer}: there is no ${token}.`, fix);
      return;
    }
    places = next;
  }
}

/** The schemas at a pointer. */
export function schemasAt(pointer: string, { answers, resolve }: AnswerPlaces): readonly Schema[] {
  return pointerTokens(pointer).reduce<readonly Schema[]>(
    (found, token) => stepsFrom(found, token, resolve).next,
    answers,
  );
}

/** True if a pointer leads to an array. */
export function hasArray(pointer: string, places: AnswerPlaces): boolean {
  return schemasAt(pointer, places).some((place) =>
    typesOf(mergeAllOf(place, places.resolve).schema).includes('array'),
  );
}

/** True if an answer has a member of this name. */
export function hasMember(name: string, { answers, resolve }: AnswerPlaces): boolean {
  return stepsFrom(answers, name, resolve).next.length > 0;
}

interface Steps {
  readonly next: readonly Schema[];
  /** True if the schema allows members that it does not name. */
  readonly isOpen: boolean;
  readonly names: readonly string[];
}

/** The schemas one token of a pointer further. */
function stepsFrom(places: readonly Schema[], token: string, resolve: Resolve): Steps {
  const steps = places.map((place) => stepFrom(place, token, resolve, 0));
  return {
    next: steps.flatMap(({ next }) => next),
    isOpen: steps.some(({ isOpen }) => isOpen),
    names: steps.flatMap(({ names }) => names),
  };
}

export const MAX_ALTERNATIVE_DEPTH = 8;

function stepFrom(place: Schema, token: string, resolve: Resolve, depth: number): Steps {
  const { schema, leftovers } = mergeAllOf(place, resolve);
  const types = typesOf(schema);
  const named = propertyOf(schema, token);
  const properties = schemaMap(schema, 'properties');
  const additional = schema.additionalProperties;
  const isArray = types.includes('array') && /^\d+$/.test(token);
  const isFree = properties.length === 0 && (types.length === 0 || types.includes('object')) && !isNever(additional);
  const variants = [...leftovers, ...alternativesOf(schema)];
  const inner =
    depth < MAX_ALTERNATIVE_DEPTH ? variants.map((variant) => stepFrom(variant, token, resolve, depth + 1)) : [];
  return {
    next: [
      ...(named === null ? [] : [named]),
      ...(isArray ? [toSchema(schema.items)] : []),
      ...(named === null && isRecord(additional) && !isNever(additional) ? [additional] : []),
      ...inner.flatMap(({ next }) => next),
    ],
    isOpen: (isFree && variants.length === 0) || inner.some(({ isOpen }) => isOpen),
    names: [...properties.map(([name]) => name), ...inner.flatMap(({ names }) => names)],
  };
}
