/** The search of the calls page: the parameters of its address, and links to it. */

import type { CallSearch } from '../../../base/store/reports/call-search.ts';
import type { TimeSpan } from '../../../base/store/reports/call-statistics.ts';
import { ADMIN_PATH } from '../request.ts';
import { address, type Parameters } from '../view/pager.ts';

/** Path of the page, below the dashboard. */
export const CALLS_PATH = '/calls';

/** Parameter names. `user` and `partner` are row ids, `name` is the partner's own name for a user. */
const NAMES = ['user', 'name', 'partner', 'service', 'tool', 'outcome', 'request', 'from', 'to'] as const;
export type CallParameters = Readonly<Record<(typeof NAMES)[number], string | null>>;

export function callParameters(query: (name: string) => string | null): CallParameters {
  return Object.fromEntries(NAMES.map((name) => [name, query(name)])) as CallParameters;
}

/** The search that the parameters describe. A time that is not valid is ignored. */
export function toSearch(parameters: CallParameters): CallSearch {
  const { user, partner, service, tool, outcome, request } = parameters;
  const since = toTime(parameters.from);
  const until = toTime(parameters.to);
  return {
    ...(user === null ? {} : { userId: user }),
    ...(partner === null ? {} : { partnerId: partner }),
    ...(service === null ? {} : { service }),
    ...(tool === null ? {} : { tool }),
    ...(outcome === null ? {} : { outcome }),
    ...(request === null ? {} : { requestId: request }),
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { until }),
  };
}

/** The address of the page with the calls that match. */
export function callsAddress({ span, ...parameters }: Partial<CallParameters> & { span?: TimeSpan }): string {
  const times: Parameters = span === undefined ? {} : { from: toField(span.since), to: toField(span.until) };
  return address(ADMIN_PATH + CALLS_PATH, { ...parameters, ...times });
}

/** A time as a `datetime-local` field holds it, in UTC. */
export function toField(time: number): string {
  return new Date(time).toISOString().replace(/(:00)?(\.000)?Z$/, '');
}

/** A day, or a time in UTC as `toField` writes it, in milliseconds since 1970; null for anything else. */
export function toTime(text: string | null): number | null {
  const [, day, time = 'T00:00'] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?Z?$/.exec(text ?? '') ?? [];
  const parsed = day === undefined ? Number.NaN : Date.parse(`${day}${time}Z`);
  return Number.isNaN(parsed) ? null : parsed;
}
