/** Media Type Objects (OpenAPI 3.1 §4.8.14) of bodies and responses. */

import type { ModelContext } from './context.ts';
import { buildEncoding } from './encoding.ts';
import { below, entriesBelow, follow, type Place } from './place.ts';
import type { MediaTypeModel } from './types.ts';

/** The media types under `content`, in the descriptor's order. */
export function buildContents(context: ModelContext, owner: Place): MediaTypeModel[] {
  return entriesBelow(below(owner, 'content')).map(({ name, place: item }) => {
    const place = follow(context.document, item);
    const schema = below(place, 'schema');
    const items = below(place, 'itemSchema');
    return {
      mediaType: name,
      schema: schema.value === undefined ? null : context.schemaAt(schema),
      ...(items.value === undefined ? {} : { itemSchema: context.schemaAt(items) }),
      ...buildEncoding(context, place, name),
      pointer: place.pointer,
    };
  });
}
