/** Turns what Ajv says about a descriptor into problems that name one place and one cause each. */

import type { Problem } from '../diagnostics.ts';
import { escapeToken, member, pointerTokens } from '../json-pointer.ts';
import type { AjvError } from './swagger-parser.ts';

/** A descriptor with more problems than these has one cause. */
const MAX_PROBLEMS = 50;
const MAX_MESSAGES = 3;
/** Keywords that only say that something below them failed. */
const COMPOSITE = new Set(['oneOf', 'anyOf', 'if', 'not', 'unevaluatedProperties']);

/**
 * One problem per place.
 *
 * Where an object may be one of several things (a Parameter or a Reference), Ajv says of each what is missing. Then
 * the deepest places speak alone, and the alternative of being a `$ref` is never mentioned.
 */
export function toProblems(errors: readonly AjvError[], document: unknown, file: string): Problem[] {
  const meaningful = errors.filter(
    ({ keyword, params }) => keyword !== 'required' || params.missingProperty !== '$ref',
  );
  const byPlace = Map.groupBy(
    meaningful.map((error) => toExactPlace(error, document)),
    ({ instancePath }) => instancePath,
  );
  const places = [...byPlace.keys()];
  const problems: Problem[] = [];
  for (const [pointer, found] of byPlace) {
    const own = found.filter(({ keyword }) => !COMPOSITE.has(keyword));
    const hasAlternatives = own.length < found.length;
    if (hasAlternatives && places.some((place) => place.startsWith(`${pointer}/`))) continue;
    const message = say(own.length > 0 ? own : found);
    problems.push({ code: 'openapi-invalid', file, pointer, message });
  }
  if (problems.length <= MAX_PROBLEMS) return problems;
  const message = `${problems.length - MAX_PROBLEMS} more places are invalid.`;
  return [...problems.slice(0, MAX_PROBLEMS), { code: 'openapi-invalid', file, pointer: '', message }];
}

/** Moves an error to the member that it is about, where Ajv names the object around it or the wrong sibling. */
function toExactPlace(error: AjvError, document: unknown): AjvError {
  const { instancePath, keyword, params } = error;
  if (keyword === 'additionalProperties' && typeof params.additionalProperty === 'string') {
    const place = `${instancePath}/${escapeToken(params.additionalProperty)}`;
    return { keyword, instancePath: place, params: {}, message: 'does not belong here' };
  }
  const isPath = instancePath.endsWith('/in') && valueAt(document, instancePath) === 'path';
  return isPath ? { keyword, instancePath, params: {}, message: 'a path parameter must have `required: true`' } : error;
}

function valueAt(document: unknown, pointer: string): unknown {
  return pointerTokens(pointer).reduce((at: unknown, token) => member(at, token), document);
}

/** Equal messages once, with everything that they allow: `must be equal to one of the allowed values: "path", "query"`. */
function say(errors: readonly AjvError[]): string {
  const details = new Map<string, Set<string>>();
  for (const { message = 'is invalid', params } of errors) {
    const detail =
      params.additionalProperty ?? params.unevaluatedProperty ?? params.allowedValues ?? params.allowedValue;
    const known = details.get(message) ?? new Set();
    for (const value of [detail].flat()) if (value !== undefined) known.add(JSON.stringify(value));
    details.set(message, known);
  }
  const messages = [...details].slice(0, MAX_MESSAGES).map(([message, values]) => {
    return values.size === 0 ? message : `${message}: ${[...values].join(', ')}`;
  });
  const text = messages.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
