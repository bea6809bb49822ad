/** The connectors that a gateway serves: with the provenance of their tools, and only reviewed tools if required. */

import type { Connector } from '../../../contract/index.ts';
import { allToolsOf, usedTools } from '../catalogue/hand-written.ts';
import { withProvenance } from './definition.ts';
import type { ReviewedOf } from './reviewed.ts';

/** A tool or service that is not served because it, or a call that it needs, was not reviewed. */
export interface Unreviewed {
  readonly service: string;
  /** Null: the service as a whole. */
  readonly tool: string | null;
  readonly reason: string;
}

const NOT_REVIEWED = 'no review approved its definition, and REQUIRE_REVIEWED is set';

/**
 * Returns the connectors with the provenance of their tools.
 *
 * A service is left out completely if it would verify a credential with a call that was not reviewed, or has no
 * reviewed tool: its servers may have changed, and it must not get a credential.
 *
 * @param reviewedOf null: everything is served.
 */
export function toServed(
  connectors: readonly Connector[],
  reviewedOf: ReviewedOf | null,
): { readonly connectors: readonly Connector[]; readonly unreviewed: readonly Unreviewed[] } {
  if (reviewedOf === null) return { connectors: connectors.map(withProvenance), unreviewed: [] };
  const unreviewed: Unreviewed[] = [];
  const served = connectors.flatMap((connector) => {
    const service = connector.name;
    const reviewed = reviewedOf(connector);
    const needed = [connector.verify?.tool, connector.account?.tool].filter((tool) => tool !== undefined);
    const missing = needed.find((tool) => !reviewed.has(tool));
    if (missing !== undefined || reviewed.size === 0) {
      const reason = missing === undefined ? NOT_REVIEWED : `${NOT_REVIEWED}: it reads ${missing} when a user connects`;
      unreviewed.push({ service, tool: null, reason });
      return [];
    }
    for (const { name } of allToolsOf(connector)) {
      if (!reviewed.has(name)) unreviewed.push({ service, tool: name, reason: NOT_REVIEWED });
    }
    return [onlyReviewed(withProvenance(connector), reviewed)];
  });
  return { connectors: served, unreviewed };
}

function onlyReviewed(connector: Connector, reviewed: ReadonlySet<string>): Connector {
  const { tools, handWritten } = connector;
  const isServed = (tool: NonNullable<typeof handWritten>[number]) =>
    reviewed.has(tool.name) && usedTools(connector, tool).every(({ name }) => reviewed.has(name));
  return {
    ...connector,
    tools: tools.filter(({ name }) => reviewed.has(name)),
    ...(handWritten === undefined ? {} : { handWritten: handWritten.filter(isServed) }),
  };
}
