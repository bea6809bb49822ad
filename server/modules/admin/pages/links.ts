/** Links between pages, and the choices of their search forms. */

import { address, type Parameters } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import type { Realm } from '../../../base/realm.ts';
import type { TimeSpan } from '../../../base/store/reports/call-statistics.ts';
import { listPartners } from '../../../base/store/repositories/partners.ts';
import type { AdminContext } from '../context.ts';

/** Path of the calls page, below the dashboard. */
export const CALLS_PATH = '/calls';

/** Path of the event stream of calls. */
export const LIVE_CALLS_PATH = `${CALLS_PATH}/live`;

/** Maximum of partners in the choices of a search form. */
const MAX_PARTNERS = 500;

/** Spans of time that end now, by the value of the parameter `last`, in milliseconds. */
export const LAST_SPANS = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const;

/** Parameters of the calls page. `user` and `partner` are row ids, `name` is the partner's own name for a user, `last` names a span. */
export const CALL_PARAMETERS = [
  'user',
  'name',
  'partner',
  'service',
  'tool',
  'outcome',
  'realm',
  'request',
  'last',
  'from',
  'to',
] as const;
export type CallParameters = Readonly<Record<(typeof CALL_PARAMETERS)[number], string | null>>;

/** Returns the address of the page with the calls that match. */
export function callsAddress({ span, ...parameters }: Partial<CallParameters> & { span?: TimeSpan }): string {
  const times: Parameters = span === undefined ? {} : { from: toField(span.since), to: toField(span.until) };
  return address(ADMIN_PATH + CALLS_PATH, { ...parameters, ...times });
}

/** Returns a link to the entries of the audit trail about something, or only the text if no module keeps a trail. */
export function trailLink({ trail }: AdminContext, about: Parameters, text: HtmlValue): Html {
  return trail === null ? html`${text}` : html`<a href="${address(trail.path, about)}">${text}</a>`;
}

/** Returns a time in UTC as a `datetime-local` field holds it. */
export function toField(time: number): string {
  return new Date(time).toISOString().replace(/(:00)?(\.000)?Z$/, '');
}

/** Reads a day, or a time in UTC as `toField` writes it, in milliseconds since 1970. Returns null for anything else. */
export function toTime(text: string | null): number | null {
  const [, day, time = 'T00:00'] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?Z?$/.exec(text ?? '') ?? [];
  const parsed = day === undefined ? Number.NaN : Date.parse(`${day}${time}Z`);
  return Number.isNaN(parsed) ? null : parsed;
}

/** Returns all partners as choices, by row id. */
export async function partnerChoices({ db }: AdminContext) {
  const partners = await listPartners(db, MAX_PARTNERS);
  return [['', 'All'], ...partners.map(({ id, name }) => [id, name] as const)] as const;
}

/** Returns all services of the gateway as choices, and the selected service even if it is not among them. */
export function serviceChoices({ catalogue }: AdminContext, selected: string | null, all = 'All') {
  return withSelected([['', all], ...catalogue.connectors.map(({ name, title }) => [name, title] as const)], selected);
}

/** Returns the choices and the selected value, even if it is not among them. */
export function withSelected(choices: readonly (readonly [value: string, label: string])[], selected: string | null) {
  const isKnown = selected === null || choices.some(([value]) => value === selected);
  return isKnown ? choices : [...choices, [selected, selected] as const];
}

/** Live and test mode as choices. */
export const REALM_CHOICES = [
  ['', 'All'],
  ['live', 'Live'],
  ['test', 'Test mode'],
] as const;

/** Reads a choice of live or test mode. Returns null for anything else. */
export function toRealm(text: string | null): Realm | null {
  return text === 'live' || text === 'test' ? text : null;
}
