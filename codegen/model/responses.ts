/** Responses Objects (OpenAPI 3.1 §4.8.16). */

import { buildContents } from './content.ts';
import type { ModelContext } from './context.ts';
import { below, entriesBelow, follow, type Place } from './place.ts';
import type { ResponseModel } from './types.ts';

const STATUS = /^([1-5]([0-9]{2}|xx)|default)$/i;

/** The responses of an operation, in the descriptor's order. */
export function buildResponses(context: ModelContext, operation: Place): ResponseModel[] {
  const responses = entriesBelow(below(operation, 'responses')).filter(({ name }) => STATUS.test(name));
  return responses.map(({ name, place: item }) => {
    const place = follow(context.document, item);
    return {
      status: name === 'default' ? name : name.toUpperCase(),
      headers: entriesBelow(below(place, 'headers')).map((header) => header.name.toLowerCase()),
      contents: buildContents(context, place),
    };
  });
}
