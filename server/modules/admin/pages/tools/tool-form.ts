/** The fields of a tool's try-it form, created from its input schema, and the arguments that the form sends. */

import { mayHoldInexactNumber, parseRawNumbers } from '../../../../../shared/exact-json.ts';
import { type Html, html } from '../../../../base/pages/html.ts';
import { exampleArguments } from '../../../../call/tools/call/argument-rules.ts';
import type { AnyTool } from '../../../../call/tools/catalogue/permitted.ts';
import type { JsonSchema, ObjectSchema } from '../../../../contract/index.ts';

const PREFIX = 'arg.';
/** The field for all arguments as JSON; if it is filled in, the other fields are ignored. */
const ALL_AS_JSON = 'arguments';

/** A field that is not valid. */
export class ToolFormError extends Error {
  override readonly name = 'ToolFormError';
}

/** Returns form fields with the arguments of the tool's example call. */
export function exampleFields(tool: AnyTool): URLSearchParams {
  const properties = propertiesOf(tool.inputSchema);
  const fields = Object.entries(exampleArguments(tool)).flatMap(([name, value]): [string, string][] => {
    const property = properties[name];
    if (property === undefined) return [];
    return [[PREFIX + name, inputOf(property).kind === 'json' ? JSON.stringify(value) : String(value)]];
  });
  return new URLSearchParams(fields);
}

/** Returns one field per argument, filled with the typed values. */
export function argumentFields(schema: ObjectSchema, typed: URLSearchParams): Html {
  const properties = Object.entries(propertiesOf(schema));
  const required = new Set((schema.required ?? []) as string[]);
  if (properties.length === 0) return html`<p class="quiet">This tool takes no arguments.</p>`;
  return html`${required.size === 0 ? html`<p class="quiet">Every argument is optional: the tool also runs with none.</p>` : null}${properties.map(([name, property]) => field(name, property, required.has(name), typed.get(PREFIX + name) ?? ''))}
<details><summary>Or the arguments as JSON</summary>
<div class="field"><label for="${ALL_AS_JSON}">Arguments</label><textarea id="${ALL_AS_JSON}" name="${ALL_AS_JSON}" rows="6" spellcheck="false" placeholder="{}">
${typed.get(ALL_AS_JSON) ?? ''}</textarea><small>If this is filled in, the fields above are ignored.</small></div></details>`;
}

/**
 * Reads the arguments. Empty fields are left out.
 *
 * Invalid numbers are passed on as text, so that the tool itself says what is wrong with them.
 *
 * @throws {ToolFormError} for invalid JSON.
 */
export function readArguments(schema: ObjectSchema, form: URLSearchParams): Record<string, unknown> {
  const json = form.get(ALL_AS_JSON)?.trim() ?? '';
  if (json !== '') {
    const value = parseJson(json, 'The arguments');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    throw new ToolFormError('The arguments must be a JSON object.');
  }
  const args: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const text = form.get(PREFIX + name) ?? '';
    if (text.trim() !== '') args[name] = readValue(name, property, text);
  }
  return args;
}

function field(name: string, schema: JsonSchema, required: boolean, value: string): Html {
  const id = `arg-${name}`;
  const help = helpOf(name, schema);
  const attributes = html` id="${id}" name="${PREFIX}${name}"${help === null ? null : html` aria-describedby="${id}-help"`}`;
  const type = inputOf(schema).kind === 'json' ? 'JSON' : typesOf(schema).join(' or ') || 'any';
  return html`<div class="field"><label for="${id}"><code>${name}</code> <span class="quiet">${type}${required ? ', required' : ', optional'}</span></label>
${input(schema, attributes, value)}${help === null ? null : html`<small id="${id}-help">${help}</small>`}</div>`;
}

/** Arguments of batches, which the lists of models explain only together. */
const BATCH_HELP: Readonly<Record<string, string>> = {
  also: 'The other items of a batch: the first item is in the arguments above.',
  count: 'The number of all items of a batch. Without it nothing is sent, and the answer says the number.',
};

function helpOf(name: string, { description }: JsonSchema): string | null {
  const text = typeof description === 'string' ? description : null;
  const ofBatch = BATCH_HELP[name];
  if (ofBatch === undefined || (text !== null && !text.startsWith('A batch:'))) return text;
  return text === null ? ofBatch : `${text} ${ofBatch}`;
}

function input(schema: JsonSchema, attributes: Html, value: string): Html {
  const { kind, choices } = inputOf(schema);
  switch (kind) {
    case 'choice':
      return html`<select${attributes}><option value="">(not sent)</option>${choices.map(
        (choice) => html`<option value="${choice}"${choice === value ? html` selected` : null}>${choice}</option>`,
      )}</select>`;
    case 'json':
      return html`<textarea${attributes} rows="3" spellcheck="false">
${value}</textarea>`;
    default:
      return html`<input type="text"${attributes} value="${value}" autocomplete="off" spellcheck="false">`;
  }
}

interface Input {
  readonly kind: 'choice' | 'text' | 'number' | 'json';
  /** Values of a choice. */
  readonly choices: readonly string[];
}

function inputOf(schema: JsonSchema): Input {
  if (Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === 'string')) {
    return { kind: 'choice', choices: schema.enum };
  }
  switch (typesOf(schema).join()) {
    case 'boolean':
      return { kind: 'choice', choices: ['true', 'false'] };
    case 'string':
      return { kind: 'text', choices: [] };
    case 'integer':
    case 'number':
      return { kind: 'number', choices: [] };
    default:
      return { kind: 'json', choices: [] };
  }
}

function readValue(name: string, schema: JsonSchema, text: string): unknown {
  const { kind } = inputOf(schema);
  if (kind === 'json') return parseJson(text, name);
  if (kind === 'number') return Number.isFinite(Number(text)) && !mayHoldInexactNumber(text) ? Number(text) : text;
  return kind === 'choice' && typesOf(schema).join() === 'boolean' ? text === 'true' : text;
}

function typesOf({ type }: JsonSchema): string[] {
  const types = Array.isArray(type) ? type : [type];
  return types.filter((name): name is string => typeof name === 'string' && name !== 'null');
}

function propertiesOf({ properties }: ObjectSchema): Record<string, JsonSchema> {
  return (properties ?? {}) as Record<string, JsonSchema>;
}

function parseJson(text: string, what: string): unknown {
  try {
    return parseRawNumbers(text);
  } catch {
    throw new ToolFormError(`${what} must be JSON, such as {"name": "value"}, ["a", "b"] or "text".`);
  }
}
