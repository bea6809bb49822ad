/** Finds the tools that list valid values of a path argument. */

import type { Connector, Tool } from '../../../contract/index.ts';

/**
 * Returns the reading tools on the collections in a tool's path, outermost first: for
 * `/brands/{brand_id}/contacts/{contact_id}` those on `/brands` and on `/brands/{brand_id}/contacts`.
 */
export function findListings(connector: Connector, { operation }: Tool): readonly string[] {
  const segments = operation.path.split('/');
  const collections = segments.flatMap((segment, index) =>
    segment.includes('{') ? [segments.slice(0, index).join('/')] : [],
  );
  return collections.flatMap((path) => {
    const listing = connector.tools.find(
      (candidate) =>
        candidate.operation.method === 'GET' &&
        candidate.operation.server === operation.server &&
        candidate.operation.path.replace(/\/$/, '') === path,
    );
    return listing === undefined ? [] : [listing.name];
  });
}
