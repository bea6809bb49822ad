/** Building blocks of pages. */

import { type Html, type HtmlValue, html } from './html.ts';

/** Reports that what the person just did failed. Screen readers read it first. */
export function alert(title: string, text: string, id = 'error'): Html {
  return html`<div class="notice alert" role="alert" id="${id}"><strong>${title}</strong><p>${text}</p></div>`;
}

/** A warning to read before continuing. */
export function caution(title: string, text: HtmlValue): Html {
  return html`<div class="notice caution" role="note"><strong>${title}</strong><p>${text}</p></div>`;
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
<input type="${type}" name="${name}" id="${name}-${value}" value="${value}"${isChecked ? CHECKED : null}>
<label for="${name}-${value}">${label}<small>${remark}</small></label></div>`;
}

const CHECKED = html` checked`;
