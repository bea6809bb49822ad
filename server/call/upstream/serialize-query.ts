/** Writes query strings by each parameter's style and explode (OpenAPI 3.1 §4.8.12.2). */

import type { ContentStyle, QueryStyle, ToolRequest, WholeQuery } from '../../contract/index.ts';
import { type Arguments, CannotSendError, type Slot, toCannotSend, toSlots } from './serialize-sources.ts';
import {
  contentText,
  elementsOf,
  isContent,
  isDefined,
  membersOf,
  percentEncode,
  percentEncodeReserved,
  valueText,
} from './serialize-text.ts';

type QuerySlot = Slot<QueryStyle | ContentStyle | WholeQuery>;

const DEFAULT_STYLE: QueryStyle = { style: 'form', explode: true };
/** Written as `%20` and `%7C`: delimiters that are not URL characters are escaped (OpenAPI 3.1.1, Appendix E). */
export const DELIMITERS = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C', deepObject: ',' } as const;
/** Delimiters that cannot be told apart from the same character in a value, because both are escaped alike. */
const INDISTINCT = { spaceDelimited: ' ', pipeDelimited: '|' } as const;
/** Names that need no escape; brackets are a convention, and many upstreams only understand them unescaped. */
const PLAIN_NAME = /^[A-Za-z0-9_.~[\]-]*$/;

/**
 * Compiles the query of one tool.
 *
 * Parameters without a style are written as `name=value`; when all are like that, their names stay unescaped.
 * `undefined`, `null`, empty arrays and empty objects are left out. A value deeper than the style can express is written
 * as JSON; only `deepObject` continues into objects.
 *
 * @returns the text after the `?`, as URL parsers leave it; empty when nothing is sent.
 * @throws {CannotSendError} by the writer, for values that would arrive changed: an element that contains its delimiter,
 *   a key with brackets in a deep object, a member with the name of another parameter.
 */
export function compileQuery(bindings: ToolRequest['query']): (args: Arguments) => string {
  const slots = toSlots('query', bindings);
  const isPlain = slots.every(({ style, parameter }) => style === undefined && PLAIN_NAME.test(parameter));
  const parameters = slots.map((slot) => ({
    slot,
    plainName: isPlain ? slot.parameter : encodeURIComponent(slot.parameter),
  }));
  return (args) => {
    let parameterNames: Map<string, string> | undefined;
    const owners = () => {
      parameterNames ??= new Map(slots.map(({ parameter }) => [parameter, parameter]));
      return parameterNames;
    };
    const pairs: string[] = [];
    for (const { slot, plainName } of parameters) {
      try {
        const value = slot.read(args);
        if (value === undefined) continue;
        if (slot.style === undefined && value !== null && typeof value !== 'object') {
          pairs.push(`${plainName}=${encodeURIComponent(String(value))}`);
        } else pairs.push(...writePairs(slot, value, owners));
      } catch (error) {
        throw toCannotSend(error, slot);
      }
    }
    // The apostrophe is the only character left that URL parsers escape in a query (WHATWG URL, "special-query").
    return pairs.join('&').replaceAll("'", '%27');
  };
}

/** The parameter that is being written. */
interface Parameter {
  readonly slot: QuerySlot;
  readonly style: QueryStyle;
}

function writePairs(slot: QuerySlot, value: unknown, owners: () => Map<string, string>): string[] {
  const { parameter: name, style = DEFAULT_STYLE } = slot;
  if (isContent(style)) {
    const text = contentText(value, style);
    if (text === null) return [];
    return ['whole' in style ? percentEncode(text) : `${percentEncode(name)}=${percentEncode(text)}`];
  }
  if (!isDefined(value)) return [];
  const parameter = { slot, style };
  if (Array.isArray(value)) return arrayPairs(parameter, name, value);
  if (typeof value === 'object') return objectPairs(parameter, value, owners());
  return [`${percentEncode(name)}=${escapeValue(value, style)}`];
}

function arrayPairs(parameter: Parameter, name: string, values: readonly unknown[]): string[] {
  const { style } = parameter;
  const elements = elementsOf(values);
  if (elements.length === 0) return [];
  if (style.explode || style.style === 'deepObject') {
    return elements.map((value) => `${percentEncode(name)}=${escapeValue(value, style)}`);
  }
  return [`${percentEncode(name)}=${joined(parameter, elements)}`];
}

function objectPairs(parameter: Parameter, value: object, owners: Map<string, string>): string[] {
  const { slot, style } = parameter;
  const name = slot.parameter;
  if (style.style === 'deepObject') return deepPairs(parameter, name, value);
  const members = membersOf(value);
  if (members.length === 0) return [];
  if (style.explode) return members.flatMap(([key, member]) => explodedMember(parameter, key, member, owners));
  return [`${percentEncode(name)}=${joined(parameter, members.flat())}`];
}

function explodedMember(
  parameter: Parameter,
  key: string,
  member: unknown,
  owners: Map<string, string>,
): readonly string[] {
  const name = parameter.slot.parameter;
  const owner = owners.get(key);
  if (owner !== undefined && owner !== name) {
    const problem = `its member ${JSON.stringify(key)} would be sent as a part of the parameter ${owner}`;
    throw new CannotSendError(parameter.slot, problem);
  }
  owners.set(key, name);
  if (Array.isArray(member)) return arrayPairs(parameter, key, member);
  return [`${percentEncode(key)}=${escapeValue(member, parameter.style)}`];
}

/** `name[key]=value`; deeper objects and arrays follow the libraries that read this style. */
function deepPairs(parameter: Parameter, name: string, value: object): string[] {
  return membersOf(value).flatMap(([key, member]) => {
    if (/[[\]]/.test(key)) throw new CannotSendError(parameter.slot, 'the name of a member holds a bracket');
    const path = `${name}[${key}]`;
    if (Array.isArray(member)) return arrayPairs(parameter, path, member);
    if (typeof member === 'object') return deepPairs(parameter, path, member as object);
    return [`${percentEncode(path)}=${escapeValue(member, parameter.style)}`];
  });
}

/** Elements of an array, or names and values of an object, in one value. */
function joined({ slot, style }: Parameter, elements: readonly unknown[]): string {
  const delimiter = DELIMITERS[style.style];
  const indistinct = style.style in INDISTINCT ? INDISTINCT[style.style as keyof typeof INDISTINCT] : null;
  const texts = elements.map(valueText);
  if (indistinct !== null && texts.some((text) => text.includes(indistinct))) {
    const word = indistinct === ' ' ? 'space' : 'vertical bar';
    throw new CannotSendError(slot, `a ${word} would split an element in two`);
  }
  return texts.map((text) => escapeText(text, style, delimiter)).join(delimiter);
}

function escapeValue(value: unknown, style: QueryStyle): string {
  return escapeText(valueText(value), style);
}

function escapeText(text: string, style: QueryStyle, delimiter = ''): string {
  return style.allowReserved === true ? percentEncodeReserved(text, delimiter) : percentEncode(text);
}
