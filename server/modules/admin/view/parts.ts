/** Building blocks of dashboard pages. */

import { hidden } from '../../../base/pages/components.ts';
import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import { toPlainText } from '../../../base/pages/plain-text.ts';

const MAX_SHOWN_NAME = 80;

/** A time, to the second, with its zone; `title` and `datetime` hold the exact time. */
export function moment(time: number): Html {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

/** A number with separators: `1,234,567`. */
export function figure(value: number): string {
  return NUMBERS.format(value);
}

const NUMBERS = new Intl.NumberFormat('en');

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

/** A column of a table: its heading, which is empty above buttons, and whether it holds numbers or long texts. */
interface Column {
  readonly name: string;
  readonly kind?: 'number' | 'long';
}

/** A table; on a phone each row becomes a block. Without rows: one sentence. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly HtmlValue[])[],
  empty = 'There is nothing yet.',
): Html {
  if (rows.length === 0) return html`<p class="quiet">${empty}</p>`;
  const kindOf = (index: number) => columns[index]?.kind ?? '';
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="stack">
<thead><tr>${columns.map(heading)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, index) => html`<td class="${kindOf(index)}" data-label="${columns[index]?.name ?? ''}">${typeof cell === 'number' ? figure(cell) : cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

/** A column of buttons has no heading element, because an empty one is worse. */
function heading({ name, kind }: Column): Html {
  return name === '' ? html`<td></td>` : html`<th scope="col" class="${kind ?? ''}">${name}</th>`;
}

/** A form with one button. */
export function buttonForm(action: string, csrf: string, label: string, kind: 'plain' | 'danger' = 'plain'): Html {
  return html`<form method="post" action="${action}">${hidden('csrf', csrf)}<button type="submit" class="${kind === 'danger' ? 'plain danger' : 'plain'}">${label}</button></form>`;
}

/** A notice of success. */
export function success(title: string, text: HtmlValue): Html {
  return html`<div class="notice success" role="status"><strong>${title}</strong>${text}</div>`;
}

/** One labelled field. */
interface TextField {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly help?: string;
  readonly required?: boolean;
  readonly lines?: number;
  readonly maxLength?: number;
  readonly type?: 'text' | 'number' | 'date' | 'datetime-local';
}

/** A field of a form, its label above it and its help below. */
export function textField(field: TextField): Html {
  const { name, label, value = '', help, required = false, lines = 1, maxLength = 2000, type = 'text' } = field;
  const more = html`${required ? html` required` : null}${type === 'datetime-local' ? html` step="any"` : null}${help === undefined ? null : html` aria-describedby="${name}-help"`}`;
  return html`<div class="field"><label for="${name}">${label}</label>
${
  lines > 1
    ? html`<textarea id="${name}" name="${name}" rows="${lines}" spellcheck="false"${more}>
${value}</textarea>`
    : html`<input type="${type}" id="${name}" name="${name}" value="${value}" maxlength="${maxLength}" autocomplete="off"${more}>`
}
${help === undefined ? null : html`<small id="${name}-help">${help}</small>`}</div>`;
}

/** A choice among a few values. */
export function selectField(field: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}): Html {
  return html`<div><label for="${field.name}">${field.label}</label><select id="${field.name}" name="${field.name}">${field.options.map(
    ([value, label]) =>
      html`<option value="${value}"${value === field.value ? html` selected` : null}>${label}</option>`,
  )}</select></div>`;
}

/** Checkboxes that share one name. */
export function checkboxes(
  name: string,
  legend: string,
  boxes: readonly { readonly value: string; readonly label: string; readonly checked: boolean }[],
): Html {
  return html`<fieldset><legend>${legend}</legend>${boxes.map(
    ({ value, label, checked }) =>
      html`<div class="check"><input type="checkbox" id="${name}-${value}" name="${name}" value="${value}"${checked ? html` checked` : null}><label for="${name}-${value}">${label}</label></div>`,
  )}</fieldset>`;
}
