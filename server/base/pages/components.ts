/** Building blocks of pages. */

import { createHash } from 'node:crypto';
import type { Connection } from '../store/repositories/connections.ts';
import { type Html, type HtmlValue, html } from './html.ts';

/** Reports that what the person just did failed. Screen readers read it first. */
export function alert(title: string, text: string, id = 'error'): Html {
  return html`<div class="notice alert" role="alert" id="${id}"><strong>${title}</strong><p>${text}</p></div>`;
}

/** A warning to read before continuing. */
export function caution(title: string, text: HtmlValue): Html {
  return html`<div class="notice caution" role="note"><strong>${title}</strong><p>${text}</p></div>`;
}

interface ButtonLook {
  /**
   * The kind of button: the main action, an action that removes something, one that few people need, or a small one in a row. Default: one choice of
   * several.
   */
  readonly kind?: 'primary' | 'danger' | 'link' | 'plain' | 'plain danger' | undefined;
  /** Name and value that the form sends if this button was pressed. */
  readonly sends?: readonly [name: string, value: string];
  /** `button`: it sends no form. Default: `submit`. */
  readonly type?: 'button';
  /** Further attributes, each with a space before it. */
  readonly more?: Html | null;
}

/** A button of a form. */
export function button(text: HtmlValue, { kind, sends, type, more = null }: ButtonLook = {}): Html {
  return html`<button type="${type ?? 'submit'}"${kind === undefined ? null : html` class="${kind}"`}${
    sends === undefined ? null : html` name="${sends[0]}" value="${sends[1]}"`
  }${more}>${text}</button>`;
}

/** A drawn check mark, above the heading of what has succeeded. */
export function checkMark(): Html {
  return html`<svg class="check-mark" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><path d="M14.5 24.5l6.5 6.5 13-14"/></svg>`;
}

/** An untrusted text with its writing direction isolated (`toPlainText` removes other risks). */
export function foreign(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** One line of a list of facts. */
export interface Fact {
  readonly term: string;
  readonly value: HtmlValue;
  /** A less prominent line below the value. */
  readonly remark?: string;
}

/** A list of facts, one below the other. */
export function facts(list: readonly Fact[]): Html {
  return html`<dl>${list.map(
    ({ term, value, remark }) =>
      html`<div><dt>${term}</dt><dd>${value}${remark === undefined ? null : html`<small>${remark}</small>`}</dd></div>`,
  )}</dl>`;
}

/** A hidden field of a form. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/** Hidden fields by name. Leaves out those whose value is null. */
export function hiddenFields(values: Readonly<Record<string, string | null>>): Html {
  return html`${Object.entries(values).map(([name, value]) => (value === null ? null : hidden(name, value)))}`;
}

/** Something that a person can choose. */
export interface Choice {
  readonly value: string;
  readonly label: HtmlValue;
  readonly remark: string;
}

/** Choices under one name, the first of them checked. */
export function choices(name: string, legend: string, list: readonly Choice[]): Html {
  return html`<fieldset><legend>${legend}</legend>${list.map((choice, index) =>
    choiceInput('radio', { name, isChecked: index === 0 }, choice),
  )}</fieldset>`;
}

/** A box to tick. */
export function checkbox(name: string, choice: Choice, isChecked: boolean): Html {
  return choiceInput('checkbox', { name, isChecked }, choice);
}

function choiceInput(
  type: 'radio' | 'checkbox',
  { name, isChecked }: { readonly name: string; readonly isChecked: boolean },
  { value, label, remark }: Choice,
): Html {
  return html`<div class="choice">
<input type="${type}" name="${name}" id="${name}-${value}" value="${value}"${isChecked ? html` checked` : null}>
<label for="${name}-${value}">${label}<small>${remark}</small></label></div>`;
}

/** A list without entries: what would be here, and the next step. */
export function emptyState(title: string, next: HtmlValue): Html {
  return html`<div class="empty"><strong>${title}</strong>${next}</div>`;
}

/** A short confirmation at the bottom of the window; the last element of the content. It stays until the next page, because people read at their own speed. */
export function toast(text: string): Html {
  return html`<p class="toast" role="status">${text}</p>`;
}

/** Kinds of a state, and effects of a tool. */
type BadgeKind = 'good' | 'bad' | 'warn' | 'quiet' | 'reads' | 'writes' | 'destroys';

/** A state in one word. The word carries the meaning; the color only helps. */
export function badge(text: string, kind: BadgeKind = 'quiet'): Html {
  return html`<span class="badge ${kind}">${text}</span>`;
}

/** Returns a badge with the state of a connection. */
export function connectionBadge({ status }: { readonly status: Connection['status'] }): Html {
  return status === 'active' ? badge('connected', 'good') : badge('needs attention', 'bad');
}

/** A dialog that asks before something is lost, and the form that it sends. */
interface Confirmation {
  /** Text of the button that opens it, such as `Remove Affinity`. It makes the title and the text of the button that does it. */
  readonly opener: string;
  readonly text: HtmlValue;
  readonly action: string;
  /** Hidden fields of the form. */
  readonly fields: Readonly<Record<string, string | null>>;
}

/** A button that opens a dialog, without a script. Escape closes it. A browser without popovers shows the content in place. */
export function confirmation({ opener, text, action, fields }: Confirmation): Html {
  const label = `${opener} now`;
  const id = `dialog-${createHash('sha256').update(`${action} ${label}`).digest('hex').slice(0, 8)}`;
  const target = html` popovertarget="${id}"`;
  return html`${button(opener, { kind: 'plain danger', type: 'button', more: target })}
<div popover id="${id}" role="dialog" aria-labelledby="${id}-title"><h2 id="${id}-title">${opener}?</h2>
<form method="post" action="${action}">${hiddenFields(fields)}
<p>${text}</p>
<div class="actions">${button(label, { kind: 'danger' })}${button('Cancel', { kind: 'link', type: 'button', more: html`${target} popovertargetaction="hide"` })}</div></form></div>`;
}
