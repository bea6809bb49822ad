/** The fields of a tool's try-it form, created from its input schema, and the arguments that the form sends. */

import { mayHoldInexactNumber, parseRawNumbers } from '../../../../../shared/exact-json.ts';
import { type Html, html } from '../../../../base/pages/html.ts';
import { exampleArguments } from '../../../../call/tools/call/argument-rules.ts';
import type { AnyTool } from '../../../../call/tools/catalogue/permitted.ts';
import type { JsonSchema, ObjectSchema } from '../../../../contract/index.ts';

const PREFIX = 'arg.';
/** The field for all arguments as JSON; if it is filled in, the other fields are ignored. */
const WHOLE = 'arguments';

/** A field that is not valid. */
export class ToolFormError extends Error {
  override readonly name = 'ToolFormError';
}

/** Fields with the arguments of the tool's example call. */
export function exampleFields(tool: AnyTool): URLSearchParams {
  const properties = (tool.inputSchema.properties ?? {}) as Record<string, JsonSchema>;
  const fields = Object.entries(exampleArguments(tool)).flatMap(([name, value]): [string, string][] => {
    const property = properties[name];
    if (property === undefined) return [];
    return [[PREFIX + name, inputOf(property).kind === 'json' ? JSON.stringify(value) : String(value)]];
  });
  return new URLSearchParams(fields);
}

/** One field per argument, with what was typed. */
export function argumentFields(schema: ObjectSchema, typed: URLSearchParams): Html {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = new Set((schema.required ?? []) as string[]);
  if (properties.length === 0) return html`<p class="quiet">This tool takes no arguments.</p>`;
  const isFree = required.size === 0;
  return html`${isFree ? html`<p class="quiet">Every argument is optional: the tool also runs with none.</p>` : null}${properties.map(([name, property]) => field(name, property, required.has(name), typed.get(PREFIX + name) ?? ''))}
<details><summary>Or the arguments as JSON</summary>
<div class="field"><label for="${WHOLE}">Arguments</label><textarea id="${WHOLE}" name="${WHOLE}" rows="6" spellcheck="false" placeholder="{}">
${typed.get(WHOLE) ?? ''}</textarea><small>If this is filled in, the fields above are ignored.</small></div></details>`;
}

/**
 * Reads the arguments. Empty fields are left out.
 *
 * Invalid numbers are passed on as text, so that the tool itself says what is wrong with them.
 *
 * @throws {ToolFormError} for invalid JSON.
 */
export function readArguments(schema: ObjectSchema, form: URLSearchParams): Record<string, unknown> {
  const whole = form.get(WHOLE)?.trim() ?? '';
  if (whole !== '') {
    const value = parseJson(whole, 'The arguments');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    throw new ToolFormError('The arguments must be a JSON object.');
  }
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const given = Object.entries(properties).flatMap(([name, property]) => {
    const text = form.get(PREFIX + name) ?? '';
    return text.trim() === '' ? [] : [[name, readValue(name, property, text)] as const];
  });
  return Object.fromEntries(given);
}

function field(name: string, schema: JsonSchema, required: boolean, value: string): Html {
  const id = `arg-${name}`;
  const { kind, choices } = inputOf(schema);
  const help = typeof schema.description === 'string' ? schema.description : null;
  const common = html` id="${id}" name="${PREFIX}${name}"${help === null ? null : html` aria-describedby="${id}-help"`}`;
  const input =
    kind === 'choice'
      ? html`<select${common}><option value="">(not sent)</option>${choices.map(
          (choice) => html`<option value="${choice}"${choice === value ? html` selected` : null}>${choice}</option>`,
        )}</select>`
      : kind === 'json'
        ? html`<textarea${common} rows="3" spellcheck="false">
${value}</textarea>`
        : html`<input type="text"${common} value="${value}" autocomplete="off" spellcheck="false">`;
  const type = kind === 'json' ? 'JSON' : typeWords(schema);
  return html`<div class="field"><label for="${id}"><code>${name}</code> <span class="quiet">${type}${required ? ', required' : ', optional'}</span></label>
${input}${help === null ? null : html`<small id="${id}-help">${help}</small>`}</div>`;
}

type InputKind = 'choice' | 'text' | 'number' | 'json';

function inputOf(schema: JsonSchema): { kind: InputKind; choices: readonly string[] } {
  const types = typesOf(schema);
  if (Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === 'string')) {
    return { kind: 'choice', choices: schema.enum };
  }
  if (types.join() === 'boolean') return { kind: 'choice', choices: ['true', 'false'] };
  if (types.join() === 'string') return { kind: 'text', choices: [] };
  if (types.length === 1 && (types[0] === 'integer' || types[0] === 'number')) return { kind: 'number', choices: [] };
  return { kind: 'json', choices: [] };
}

function readValue(name: string, schema: JsonSchema, text: string): unknown {
  const { kind } = inputOf(schema);
  if (kind === 'json') return parseJson(text, name);
  if (kind === 'number') return Number.isFinite(Number(text)) && !mayHoldInexactNumber(text) ? Number(text) : text;
  if (kind === 'choice' && typesOf(schema).join() === 'boolean') return text === 'true';
  return text;
}

function typesOf({ type }: JsonSchema): string[] {
  const types = Array.isArray(type) ? type : [type];
  return types.filter((name): name is string => typeof name === 'string' && name !== 'null');
}

function typeWords(schema: JsonSchema): string {
  return typesOf(schema).join(' or ') || 'any';
}

function parseJson(text: string, what: string): unknown {
  try {
    return parseRawNumbers(text);
  } catch {
    throw new ToolFormError(`${what} must be JSON, such as {"name": "value"}, ["a", "b"] or "text".`);
  }
}
