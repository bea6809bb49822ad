/** The inputs of a form that an MCP server asks for. */

import { foreign } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { escapeUnseen } from '../../call/tools/approvals/visible-text.ts';
import type { ChoiceField, Field, NumberField, TextField } from '../../call/tools/questions/fields.ts';

/** A form, and what was entered in it before. */
interface FormContext {
  /** Prefix of the names of its fields, which end with their position. */
  readonly prefix: string;
  /** Values that were sent. Undefined if the form is new. */
  entered(index: number): readonly string[] | undefined;
  /** What is wrong with a field. Undefined if nothing is. */
  problemOf(index: number): string | undefined;
}

/** One field and its state. */
interface FieldState<Shown extends Field = Field> {
  readonly field: Shown;
  readonly id: string;
  readonly values: readonly string[];
  /** Attributes that link the input to its texts. */
  readonly described: Html | null;
}

/** Returns the inputs of all fields. Every text of the server is shown as data. */
export function questionFields(fields: readonly Field[], { prefix, entered, problemOf }: FormContext): Html {
  return html`${fields.map((field, index) => {
    const id = `${prefix}${index}`;
    const problem = problemOf(index);
    const describedBy = [field.description !== undefined && `${id}-help`, problem !== undefined && `${id}-problem`];
    const ids = describedBy.filter((part) => part !== false).join(' ');
    const described = html`${ids === '' ? null : html` aria-describedby="${ids}"`}${problem === undefined ? null : html` aria-invalid="true"`}`;
    const state = { field, id, values: entered(index) ?? presetOf(field), described };
    return html`<div class="field">${inputOf(state)}
${field.description === undefined ? null : html`<small id="${id}-help">${foreign(escapeUnseen(field.description))}</small>`}
${problem === undefined ? null : html`<small id="${id}-problem" class="warning">${problem}</small>`}</div>`;
  })}`;
}

function presetOf(field: Field): readonly string[] {
  switch (field.kind) {
    case 'boolean':
      return field.preset ? ['yes'] : [];
    case 'one-of':
    case 'some-of':
      return field.options.flatMap(({ value }, position) => (field.preset.includes(value) ? [String(position)] : []));
    default:
      return field.preset === undefined ? [] : [String(field.preset)];
  }
}

function inputOf(state: FieldState): Html {
  const { field, id, values, described } = state;
  switch (field.kind) {
    case 'text':
      return html`${labelOf(state)}${textInput({ ...state, field })}`;
    case 'number':
    case 'integer':
      return html`${labelOf(state)}${numberInput({ ...state, field })}`;
    case 'boolean':
      return html`<span class="check"><input type="checkbox" id="${id}" name="${id}" value="yes"${values.length > 0 ? html` checked` : null}${described}>${labelOf(state)}</span>`;
    case 'one-of':
      return html`${labelOf(state)}${select({ ...state, field })}`;
    case 'some-of':
      return boxes({ ...state, field });
  }
}

function labelOf({ field, id }: FieldState): Html {
  return html`<label for="${id}">${titleOf(field)}</label>`;
}

function titleOf({ title, isRequired, kind }: Field): Html {
  return html`${foreign(escapeUnseen(title))}${isRequired || kind === 'boolean' ? null : ' (optional)'}`;
}

const INPUT_TYPES = { email: 'email', uri: 'url', date: 'date', 'date-time': 'text' } as const;

function textInput({ field, id, values, described }: FieldState<TextField>): Html {
  const { format, isRequired, minLength, maxLength } = field;
  const type = format === undefined ? 'text' : INPUT_TYPES[format];
  const hint = format === 'date-time' ? html` placeholder="2026-11-30T12:00:00Z"` : null;
  const isNeeded = isRequired && minLength > 0;
  return html`<input type="${type}" id="${id}" name="${id}" value="${values[0] ?? ''}" maxlength="${maxLength}" autocomplete="off"${hint}${isNeeded ? html` required` : null}${described}>`;
}

function numberInput({ field, id, values, described }: FieldState<NumberField>): Html {
  const mode = field.kind === 'integer' ? 'numeric' : 'decimal';
  return html`<input type="text" inputmode="${mode}" id="${id}" name="${id}" value="${values[0] ?? ''}" maxlength="40" autocomplete="off"${field.isRequired ? html` required` : null}${described}>`;
}

function select({ field, id, values, described }: FieldState<ChoiceField>): Html {
  return html`<select id="${id}" name="${id}"${field.isRequired ? html` required` : null}${described}><option value="">(choose)</option>${field.options.map(
    ({ title }, position) =>
      html`<option value="${position}"${values.includes(String(position)) ? html` selected` : null}>${escapeUnseen(title)}</option>`,
  )}</select>`;
}

function boxes({ field, id, values, described }: FieldState<ChoiceField>): Html {
  return html`<fieldset${described}><legend>${titleOf(field)}</legend>${field.options.map(
    ({ title }, position) =>
      html`<span class="check"><input type="checkbox" id="${id}-${position}" name="${id}" value="${position}"${values.includes(String(position)) ? html` checked` : null}><label for="${id}-${position}">${foreign(escapeUnseen(title))}</label></span>`,
  )}</fieldset>`;
}
