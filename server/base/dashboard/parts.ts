/** Building blocks of dashboard pages. */

import { raw } from 'hono/html';
import { isReservedName } from '../pages/client-name.ts';
import { badge, emptyState } from '../pages/components.ts';
import { type Html, type HtmlValue, html, toPlainText } from '../pages/html.ts';
import { exactTime, relativeTime } from '../pages/times.ts';

export { distance } from '../pages/times.ts';

import { ADMIN_PATH } from './pages.ts';

const MAX_SHOWN_NAME = 80;

/** Returns a time to the second in UTC. A script shows it in the viewer's time zone. In a table it becomes a distance, such as `2 minutes ago`. */
export function moment(time: number): Html {
  return exactTime(time, 'second');
}

/** A number with separators: `1,234,567`. */
export function figure(value: number): string {
  numbers ??= new Intl.NumberFormat('en');
  return numbers.format(value);
}

let numbers: Intl.NumberFormat | undefined;

/** `1 user`, `1,234 users`. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${figure(value)} ${value === 1 ? noun : plural}`;
}

/** An untrusted text, shortened and without characters that could disguise it. */
export function untrusted(text: string | null, fallback = '(no name)'): Html {
  return html`<bdi>${(text === null ? null : toPlainText(text, MAX_SHOWN_NAME)) ?? fallback}</bdi>`;
}

/**
 * Shows the name that a client gave itself, with a mark. Operators also see names that imitate the gateway.
 *
 * @param fallback for a client without a name. Default: `(no name)`.
 * @param isMarked whether the head of the column says already that names are unverified. Default: no.
 */
export function untrustedClient(name: string | null, fallback = '(no name)', isMarked = false): Html {
  const displayName = name === null ? null : toPlainText(name, MAX_SHOWN_NAME);
  if (name === null || displayName === null) return html`<bdi>${fallback}</bdi>`;
  const isMisleading = isReservedName(name);
  if (isMarked && !isMisleading) return html`<bdi>${displayName}</bdi>`;
  const mark = isMisleading ? 'misleading name' : 'unverified name';
  return html`“<bdi>${displayName}</bdi>” <small class="unverified">${mark}</small>`;
}

/** Content of a row in one column. */
type Cell<Row> = (row: Row) => HtmlValue;

/** A column of numbers, of long texts, of states, which a phone shows in the first line, or that a phone leaves out; any other is its cell alone. */
type Column<Row> = readonly [kind: 'number' | 'long' | 'state' | 'extra', cell: Cell<Row>];

/** Columns by heading, from the left. */
export type Columns<Row> = Readonly<Record<string, Cell<Row> | Column<Row>>>;

export interface Table<Row> {
  readonly caption: string;
  readonly columns: Columns<Row>;
  /** Buttons of a row, in one last column without a heading. Default: rows have none. */
  readonly buttons?: readonly Cell<Row>[];
  /** Shown where there is no row. */
  readonly empty?: string;
  /** The next step where there is no row. Default: the sentence stands alone. */
  readonly next?: HtmlValue;
  /**
   * The time from which cells say how long ago something was, in milliseconds since 1970. Null: they show exact times, because the order of events
   * within a minute matters, or the page stays open. Default: the system's clock.
   */
  readonly now?: number | null;
  /** Class of the table, for a special layout on phones. Default: the first column and states are a row's first line. */
  readonly name?: string;
}

/** A cell that is longer may be cut off, so its whole text is in its title. */
const MAX_CELL_CHARACTERS = 24;

/**
 * A table of rows of one line, two or three on a phone. Without rows: what would be here, and the next step. The column of buttons has no
 * heading element, and stays in view where the other columns are wider than the page.
 */
export function table<Row>(rows: readonly Row[], options: Table<NoInfer<Row>>): Html {
  const { caption, columns, buttons = [], empty = 'There is nothing yet.', next, name: layout = 'stack' } = options;
  const now = options.now === undefined ? Date.now() : options.now;
  if (rows.length === 0) return next === undefined ? html`<p class="quiet">${empty}</p>` : emptyState(empty, next);
  const headedColumns = Object.entries(columns).map(([name, column]) => {
    const [kind, cell] = typeof column === 'function' ? ['', column] : column;
    return { name, kind, cell };
  });
  const act = { name: '', kind: 'act', cell: (row: Row) => html`${buttons.map((cell) => cell(row))}` };
  const allColumns = buttons.length === 0 ? headedColumns : [...headedColumns, act];
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="${layout}">
<thead><tr>${allColumns.map(({ name, kind }) => (name === '' ? html`<td></td>` : html`<th scope="col"${classOf(kind)}>${name}</th>`))}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${allColumns.map(({ name, kind, cell }) => showCell(cell(row), { name, kind, now }))}</tr>`)}</tbody>
</table></div>`;
}

interface ShownColumn {
  readonly name: string;
  readonly kind: string;
  /** Null if times stay exact. */
  readonly now: number | null;
}

/** A cell that begins with an exact time, which may be a link. */
const TIME_CELL = /^((?:<a [^>]*>)?)<time datetime="([^"]+)">[^<]*<\/time>/;

function showCell(value: HtmlValue, { name, kind, now }: ShownColumn): Html {
  const exactMarkup = String(html`${typeof value === 'number' ? figure(value) : value}`);
  const markup =
    now === null
      ? exactMarkup
      : exactMarkup.replace(TIME_CELL, (_, link, iso) => `${link}${relativeTime(Date.parse(iso), now)}`);
  // The texts are escaped already.
  const text = markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('"', '&quot;')
    .trim();
  const isCut = kind !== 'act' && text.length > MAX_CELL_CHARACTERS && !markup.startsWith('<time');
  // A phone shows numbers and times with the name of their column.
  const isNamed = kind === 'number' || markup.startsWith('<time');
  return html`<td${classOf(kind)}${isNamed ? html` data-label="${name}"` : null}${isCut ? raw(` title="${text}"`) : null}>${raw(markup)}</td>`;
}

function classOf(kind: string): Html | null {
  return kind === '' ? null : html` class="${kind}"`;
}

/** A notice of success. */
export function success(title: string, text: HtmlValue): Html {
  return html`<div class="notice success" role="status"><strong>${title}</strong>${text}</div>`;
}

/** A list of services or scopes; null stands for all. */
export function listed(names: readonly string[] | null): string {
  return names === null ? 'all' : names.join(', ') || 'none';
}

/** The realm of something that a page names. */
interface OfRealm {
  /** Row id of the live partner, for what belongs to test mode. Null for what is live. */
  readonly testOf: string | null;
}

/** Marks what belongs to test mode. */
export function testMark({ testOf }: OfRealm): Html | null {
  return testOf === null ? null : html` ${badge('test')}`;
}

export function userLink(user: OfRealm & { readonly userId: string; readonly externalUserId: string | null }): Html {
  return html`<a href="${ADMIN_PATH}/users/${user.userId}">${untrusted(user.externalUserId)}</a>${testMark(user)}`;
}

export function partnerLink(
  partner: OfRealm & { readonly partnerId: string; readonly partnerName: string | null },
): Html {
  const { partnerId, partnerName } = partner;
  return html`<a href="${ADMIN_PATH}/partners/${partnerId}">${untrusted(partnerName)}</a>${testMark(partner)}`;
}

/** Address of the page of an OAuth client. */
export function clientAddress(clientId: string): string {
  return `${ADMIN_PATH}/clients/${encodeURIComponent(clientId)}`;
}

/** Names the holder of a grant: links an OAuth client by the name that it gave itself, or says that it is the partner. @param isMarked see `untrustedClient`. */
export function holderLink(
  { clientId, clientName }: { readonly clientId: string | null; readonly clientName: string | null },
  isMarked = false,
): Html {
  if (clientId === null) return html`Partner token`;
  return html`<a href="${clientAddress(clientId)}">${untrustedClient(clientName, clientId, isMarked)}</a>`;
}

export function toolLink(tool: string): Html {
  return html`<a href="${ADMIN_PATH}/tools/${encodeURIComponent(tool)}"><code>${tool}</code></a>`;
}

/** An event type such as `connection_code_minted`, in plain words. */
export function eventWords(type: string): string {
  const words = type.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value of an event's details, as text. */
export function toWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(toWords).join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
