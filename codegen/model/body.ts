/** Request Body Objects (OpenAPI 3.1 §4.8.13). */

import { toRecord } from '../json.ts';
import { buildContents } from './content.ts';
import type { ModelContext } from './context.ts';
import { below, follow, type Place, toText } from './place.ts';
import type { BodyModel } from './types.ts';

/** The request body of an operation, or null. */
export function buildBody(context: ModelContext, operation: Place): BodyModel | null {
  const item = below(operation, 'requestBody');
  if (item.value === undefined) return null;
  const place = follow(context.document, item);
  const source = toRecord(place.value);
  if (source.content === undefined)
    context.report('reference-kind', item.pointer, 'This is not a request body: it lacks `content`.');
  return {
    required: source.required === true,
    description: toText(toRecord(item.value).description) || toText(source.description),
    contents: buildContents(context, place),
    pointer: place.pointer,
  };
}
