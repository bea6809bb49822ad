/** How the upstream reports its limits in headers: from connector.yaml and from the descriptor. */

import { byCodeUnit } from '../../json.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { OperationModel } from '../../model/types.ts';
import type { RateLimitHeaders } from '../types.ts';

/**
 * `ratelimit-reset`, `x-ratelimit-limit-user-reset`, `X-Rate-Limit-Reset` and similar, and the same with `remaining`.
 */
const RESET = /^(?:[a-z0-9]+-)*rate-?limit(?:-[a-z0-9]+)*-reset(?:-after)?(?:-[a-z0-9]+)*$/;

/** Statuses of answers that refuse a call because of a limit. */
const REFUSALS = new Set(['429', '4XX', '503', 'DEFAULT']);

/**
 * Limits of connector.yaml first; then those with well-known names that the descriptor's refusals declare and
 * connector.yaml does not name. In lower case.
 */
export function buildRateLimitHeaders(
  configured: ConnectorConfig['rateLimitHeaders'],
  operations: readonly OperationModel[],
): readonly RateLimitHeaders[] {
  const own = (configured ?? []).map(({ remaining, reset, quota }) => ({
    ...(remaining === undefined ? {} : { remaining: remaining.toLowerCase() }),
    ...(reset === undefined ? {} : { reset: reset.toLowerCase() }),
    ...(quota === undefined ? {} : { quota }),
  }));
  const declared = new Set(
    operations.flatMap(({ responses }) =>
      responses.flatMap(({ status, headers }) => (REFUSALS.has(status.toUpperCase()) ? headers : [])),
    ),
  );
  const named = new Set(own.map(({ reset }) => reset));
  const found = [...declared]
    .filter((name) => RESET.test(name) && !named.has(name))
    .sort(byCodeUnit)
    .map((reset): RateLimitHeaders => {
      const remaining = reset.replace(/-reset(-after)?/, '-remaining');
      return declared.has(remaining) ? { remaining, reset } : { reset };
    });
  return [...own, ...found];
}
