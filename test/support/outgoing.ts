/** Outgoing connections in tests: to this machine and to public addresses. */

import { LOOPBACK_NETWORKS } from '../../server/base/guarded-fetch/networks.ts';
import { createOutgoing, type Outgoing } from '../../server/base/guarded-fetch/outgoing.ts';
import { createUpstream, type Upstream, type UpstreamOptions } from '../../server/call/upstream/index.ts';

export function openOutgoing(): Outgoing {
  return createOutgoing({ networks: LOOPBACK_NETWORKS });
}

/** Creates an upstream with its own outgoing connections. */
export function createLocalUpstream(options: Omit<UpstreamOptions, 'dispatcher'>): Upstream {
  const outgoing = openOutgoing();
  const upstream = createUpstream({ dispatcher: outgoing.dispatcher, ...options });
  return {
    ...upstream,
    async close() {
      await upstream.close();
      await outgoing.close();
    },
  };
}
