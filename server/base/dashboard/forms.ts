/** Forms of the dashboard, as data: their fields, and the form around them. */

import { button, hidden, hiddenFields } from '../pages/components.ts';
import { type Html, type HtmlValue, html } from '../pages/html.ts';

/** One labelled field; with `options`, a choice among a few values. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string | null;
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly help?: string;
  readonly required?: boolean;
  readonly lines?: number;
  readonly maxLength?: number;
  readonly type?: 'text' | 'number' | 'date' | 'datetime-local';
  /** In a search form: folded away. */
  readonly folded?: boolean;
}

/** A field, its label above it and its help below. */
export function field({ options, ...rest }: Field): Html {
  return options === undefined ? textField(rest) : selectField(rest, options);
}

function textField({ name, label, value, help, required, lines = 1, maxLength = 2000, type = 'text' }: Field): Html {
  const more = html`${required === true ? html` required` : null}${type === 'datetime-local' ? html` step="any"` : null}${help === undefined ? null : html` aria-describedby="${name}-help"`}`;
  return html`<div class="field"><label for="${name}">${label}</label>
${
  lines > 1
    ? html`<textarea id="${name}" name="${name}" rows="${lines}" spellcheck="false"${more}>
${value ?? ''}</textarea>`
    : html`<input type="${type}" id="${name}" name="${name}" value="${value ?? ''}" maxlength="${maxLength}" autocomplete="off"${more}>`
}
${help === undefined ? null : html`<small id="${name}-help">${help}</small>`}</div>`;
}

function selectField({ name, label, value }: Field, options: NonNullable<Field['options']>): Html {
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${options.map(
    ([option, text]) =>
      html`<option value="${option}"${option === (value ?? '') ? html` selected` : null}>${text}</option>`,
  )}</select></div>`;
}

/** One checkbox with its label. */
export function checkbox(name: string, label: string, { id = name, value = 'yes', checked = false } = {}): Html {
  return html`<div class="check"><input type="checkbox" id="${id}" name="${name}" value="${value}"${checked ? html` checked` : null}><label for="${id}">${label}</label></div>`;
}

/** Checkboxes that share one name. */
export function checkboxes(
  name: string,
  legend: string,
  boxes: readonly { readonly value: string; readonly label: string; readonly checked: boolean }[],
): Html {
  return html`<fieldset><legend>${legend}</legend>${boxes.map(({ value, label, checked }) => checkbox(name, label, { id: `${name}-${value}`, value, checked }))}</fieldset>`;
}

/** The request of the page that a form is on. */
interface FormRequest {
  /** The form sends it back: see `OperatorRequest.csrf`. */
  readonly csrf: string;
}

/** A form of one card: what it is about, its fields, and its button, or two: the `second` sends its name and value. */
export function cardForm(
  { csrf }: FormRequest,
  action: string,
  form: {
    readonly content: HtmlValue;
    readonly button: string;
    readonly kind?: 'primary' | 'danger';
    readonly second?: { readonly label: string; readonly name: string; readonly value: string };
  },
): Html {
  const { second } = form;
  return html`<form method="post" action="${action}" class="card">${hidden('csrf', csrf)}
${form.content}
<div class="actions">${button(form.button, { kind: form.kind })}${
    second === undefined ? null : button(second.label, { sends: [second.name, second.value] })
  }</div></form>`;
}

/** A form with one button. */
export function buttonForm(
  { csrf }: FormRequest,
  action: string,
  form: { readonly label: string; readonly kind?: 'danger'; readonly fields?: Readonly<Record<string, string>> },
): Html {
  const { label, kind, fields = {} } = form;
  return html`<form method="post" action="${action}">${hiddenFields({ csrf, ...fields })}${button(label, { kind: kind === 'danger' ? 'plain danger' : 'plain' })}</form>`;
}

/** A button that takes something away. */
export function dangerButton(request: FormRequest, action: string, label: string): Html {
  return buttonForm(request, action, { label, kind: 'danger' });
}
