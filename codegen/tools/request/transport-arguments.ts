/**
 * Parameters that only control how an answer is encoded: the client decides that, so they are hidden from the model.
 */

import type { Slot } from './slots.ts';

interface TransportArgument {
  readonly name: string;
  /** Hidden only if the operation has these query parameters too: they identify one vendor's interface. */
  readonly beside?: readonly string[];
  /** Hidden only if its description matches this. */
  readonly says?: RegExp;
}

/** Query parameters of every method in Google's discovery documents. */
const GOOGLE = ['prettyPrint', 'quotaUser'];

const TRANSPORT_ARGUMENTS: readonly TransportArgument[] = [
  { name: '$.xgafv' },
  { name: 'prettyPrint' },
  { name: 'quotaUser' },
  { name: 'opt_pretty' },
  { name: 'opt_jsonp' },
  { name: 'error_trace' },
  { name: 'pretty', says: /pretty.?print|indent|human.?readable/i },
  { name: 'callback', says: /jsonp|javascript/i },
  { name: 'jsonp', says: /jsonp|callback/i },
  ...['access_token', 'alt', 'callback', 'key', 'oauth_token', 'uploadType', 'upload_protocol', 'userIp'].map(
    (name) => ({ name, beside: GOOGLE }),
  ),
];

const BY_NAME = Map.groupBy(TRANSPORT_ARGUMENTS, ({ name }) => name);

/** True for a place that only concerns transport. A required one never is. */
export function isTransport({ in: place, name, required, description }: Slot, slots: readonly Slot[]): boolean {
  if (place !== 'query' || name === null || required) return false;
  const has = (other: string) => slots.some((slot) => slot.in === 'query' && slot.name === other);
  return (BY_NAME.get(name) ?? []).some(
    ({ beside = [], says }) => beside.every(has) && (says === undefined || says.test(description)),
  );
}
