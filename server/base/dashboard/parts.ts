/** Building blocks of dashboard pages. */

import { type Html, type HtmlValue, html } from '../pages/html.ts';
import { toPlainText } from '../pages/plain-text.ts';
import { ADMIN_PATH } from './pages.ts';

const MAX_SHOWN_NAME = 80;

/** A time, to the second, with its zone; `title` and `datetime` hold the exact time. */
export function moment(time: number): Html {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;
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

/** The distance between two times in everyday words: `3 hours ago`, `in 12 minutes`. */
export function distance(time: number, now: number): string {
  const minutes = Math.round(Math.abs(time - now) / 60_000);
  const [count, unit] =
    minutes < 60
      ? [minutes, 'minute']
      : minutes < 48 * 60
        ? [Math.round(minutes / 60), 'hour']
        : [Math.round(minutes / 1440), 'day'];
  if (count === 0) return 'just now';
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return time > now ? `in ${words}` : `${words} ago`;
}

/** An untrusted text, shortened and without characters that could disguise it. */
export function untrusted(text: string | null, otherwise = '(no name)'): Html {
  return html`<bdi>${(text === null ? null : toPlainText(text, MAX_SHOWN_NAME)) ?? otherwise}</bdi>`;
}

/** A state in one word. The word carries the meaning; the color only helps. */
export function badge(text: string, kind: 'good' | 'bad' | 'warn' | 'quiet' = 'quiet'): Html {
  return html`<span class="badge ${kind}">${text}</span>`;
}

const STATUS_KIND = { active: 'good', attention: 'bad' } as const;

/** The status of a connection. */
export function statusBadge(status: keyof typeof STATUS_KIND): Html {
  return badge(status === 'attention' ? 'needs attention' : status, STATUS_KIND[status]);
}

/** What a row shows in one column. */
type Cell<Row> = (row: Row) => HtmlValue;

/** A column of numbers or of long texts; any other is its cell alone. */
type Column<Row> = readonly [kind: 'number' | 'long', cell: Cell<Row>];

/** Columns by heading, from the left. */
export type Columns<Row> = Readonly<Record<string, Cell<Row> | Column<Row>>>;

export interface Table<Row> {
  readonly caption: string;
  readonly columns: Columns<Row>;
  /** Columns of buttons at the end, without a heading. */
  readonly buttons?: readonly Cell<Row>[];
  /** Shown where there is no row. */
  readonly empty?: string;
}

/** A table; on a phone each row becomes a block. Without rows: one sentence. A column of buttons has no heading element. */
export function table<Row>(rows: readonly Row[], of: Table<NoInfer<Row>>): Html {
  const { caption, columns, buttons = [], empty = 'There is nothing yet.' } = of;
  if (rows.length === 0) return html`<p class="quiet">${empty}</p>`;
  const headed = Object.entries(columns).map(([name, column]) => {
    const [kind, cell] = typeof column === 'function' ? ['', column] : column;
    return { name, kind, cell };
  });
  const all = [...headed, ...buttons.map((cell) => ({ name: '', kind: '', cell }))];
  const show = (value: HtmlValue) => (typeof value === 'number' ? figure(value) : value);
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="stack">
<thead><tr>${all.map(({ name, kind }) => (name === '' ? html`<td></td>` : html`<th scope="col" class="${kind}">${name}</th>`))}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${all.map(({ name, kind, cell }) => html`<td class="${kind}" data-label="${name}">${show(cell(row))}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

/** A notice of success. */
export function success(title: string, text: HtmlValue): Html {
  return html`<div class="notice success" role="status"><strong>${title}</strong>${text}</div>`;
}

/** A list of services or scopes; null stands for all. */
export function listed(names: readonly string[] | null): string {
  return names === null ? 'all' : names.join(', ') || 'none';
}

export function userLink({ userId, externalUserId }: { userId: string | null; externalUserId: string | null }): Html {
  return html`<a href="${ADMIN_PATH}/users/${userId}">${untrusted(externalUserId)}</a>`;
}

export function partnerLink({
  partnerId,
  partnerName,
}: {
  partnerId: string | null;
  partnerName: string | null;
}): Html {
  return html`<a href="${ADMIN_PATH}/partners/${partnerId}">${untrusted(partnerName)}</a>`;
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
