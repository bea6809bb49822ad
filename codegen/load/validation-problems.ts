/** Turns what Ajv says about a descriptor into problems that name one place and one cause each. */

import type { Problem } from '../diagnostics.ts';
import type { AjvError } from './swagger-parser.ts';

/** A descriptor with more problems than these has one cause. */
const MAX_PROBLEMS = 50;
/** Keywords that only say that something below them failed. */
const COMPOSITE = new Set(['oneOf', 'anyOf', 'if', 'not', 'unevaluatedProperties']);

/**
 * One problem per place, deepest places first chosen: where an alternative failed (`a Parameter or a Reference`),
 * the complaints of the other alternatives and of the levels above are left out.
 */
export function toProblems(errors: readonly AjvError[], file: string): Problem[] {
  const telling = errors.filter((error) => !(error.keyword === 'required' && error.params.missingProperty === '$ref'));
  const byPlace = Map.groupBy(telling, ({ instancePath }) => instancePath);
  const places = [...byPlace.keys()];
  const problems: Problem[] = [];
  for (const [pointer, found] of byPlace) {
    const hasDeeper = places.some((place) => place.startsWith(`${pointer}/`));
    const own = found.filter(({ keyword }) => !COMPOSITE.has(keyword));
    const said = own.length > 0 || hasDeeper ? own : found;
    const messages = [...new Set(said.map(describe))].slice(0, 3);
    if (messages.length > 0)
      problems.push({ code: 'openapi-invalid', file, pointer, message: `${messages.join('; ')}.` });
  }
  if (problems.length <= MAX_PROBLEMS) return problems;
  const message = `${problems.length - MAX_PROBLEMS} more places are invalid.`;
  return [...problems.slice(0, MAX_PROBLEMS), { code: 'openapi-invalid', file, pointer: '', message }];
}

function describe({ params, message = 'is invalid' }: AjvError): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  const detail = params.additionalProperty ?? params.unevaluatedProperty ?? params.allowedValues ?? params.allowedValue;
  return detail === undefined ? text : `${text}: ${JSON.stringify(detail)}`;
}
