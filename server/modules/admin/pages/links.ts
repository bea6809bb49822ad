/** What several pages share: links between them, columns of their tables, and filters of their search forms. */

import type { Field } from '../../../base/dashboard/forms.ts';
import { address, type Parameters } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { listed, moment } from '../../../base/dashboard/parts.ts';
import { connectionBadge } from '../../../base/pages/components.ts';
import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import type { Realm } from '../../../base/realm.ts';
import type { CallSpan } from '../../../base/store/reports/call-statistics.ts';
import { listPartners } from '../../../base/store/repositories/partners.ts';
import type { AdminContext, AdminRequest } from '../context.ts';

/** Path of the calls page, below the dashboard. */
export const CALLS_PATH = '/calls';

/** Path of the event stream of calls. */
export const LIVE_CALLS_PATH = `${CALLS_PATH}/live`;
/** Stands for the token id in calls from the dashboard. */
export const DASHBOARD_TOKEN_ID = 'dashboard';

/** Maximum of partners in the choices of a search form. */
const MAX_PARTNERS = 500;

/** Spans of time that end now, by the value of the parameter `last`, in milliseconds. */
export const LAST_SPANS = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const;

/** Parameters of the calls page. `user` and `partner` are row ids, `client` is a `client_id`, `name` is the partner's own name for a user, `last` names a span. */
export const CALL_PARAMETERS = [
  'user',
  'name',
  'partner',
  'client',
  'realm',
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
export function callsAddress({ span, ...parameters }: Partial<CallParameters> & { span?: CallSpan }): string {
  if (span === undefined) return address(ADMIN_PATH + CALLS_PATH, parameters);
  const { since, until, realm = null } = span;
  return address(ADMIN_PATH + CALLS_PATH, { ...parameters, from: toField(since), to: toField(until), realm });
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

/** Returns partners as choices, by row id, and the selected partner even if it is not among them. */
export async function partnerChoices({ db }: AdminContext, selected: string | null) {
  const partners = await listPartners(db, MAX_PARTNERS);
  const choices = partners.map(({ id, name, realm }) => [id, realm === 'test' ? `${name} (test)` : name] as const);
  return withSelected([['', 'All'], ...choices], selected);
}

/** Reads the realm that a list shows only. Null: it shows both. */
export function readRealm(query: AdminRequest['query']): Realm | null {
  return toRealm(query('realm'));
}

/** Returns the realm that a text names, or null. */
export function toRealm(text: string | null): Realm | null {
  return text === 'live' || text === 'test' ? text : null;
}

/** The filter by realm of a search form, and the quick filters that set it. */
export function realmField(realm: string | null): Field {
  const options = [
    ['', 'Live and test'],
    ['live', 'Live'],
    ['test', 'Test'],
  ] as const;
  return { name: 'realm', label: 'Mode', value: realm, options, folded: true };
}

export const REALM_FILTERS = { Live: { realm: 'live' }, Test: { realm: 'test' } } as const;

/** Returns all services of the gateway as choices, and the selected service even if it is not among them. */
export function serviceChoices({ catalogue }: AdminContext, selected: string | null, all = 'All') {
  return withSelected([['', all], ...catalogue.connectors.map(({ name, title }) => [name, title] as const)], selected);
}

/** Returns the choices and the selected value, even if it is not among them. */
export function withSelected(choices: readonly (readonly [value: string, label: string])[], selected: string | null) {
  const isKnown = selected === null || choices.some(([value]) => value === selected);
  return isKnown ? choices : [...choices, [selected, selected] as const];
}

interface Access {
  readonly scopes: readonly string[];
  /** Null stands for all services. */
  readonly services: readonly string[] | null;
}

/** Columns of a grant or token. */
export const ACCESS_COLUMNS = {
  Scopes: ({ scopes }: Access) => scopes.join(' '),
  Services: ({ services }: Access) => listed(services),
} as const;

/** Columns of a connection. */
export const CONNECTION_COLUMNS = {
  Status: ['state', connectionBadge],
  Created: ({ createdAt }: { readonly createdAt: number }) => moment(createdAt),
} as const;

/** Returns the name of the service, and the name of the account if the user has had several. */
export function accountTitle(serviceTitle: string, accountName: string | null): string {
  return accountName === null ? serviceTitle : `${serviceTitle} (account ${accountName})`;
}

/** Lists values such as URIs, one below the other. */
export function codeList(values: readonly string[]): Html {
  return html`<ul>${values.map((value) => html`<li><code>${value}</code></li>`)}</ul>`;
}
