/** Writes query strings by each parameter's style and explode (OpenAPI 3.1 §4.8.12.2). */

import type { QueryStyle, Styles } from '../../contract/index.ts';
import { contentText, elementsOf, isContent, isDefined, membersOf, styleOf, valueText } from './parameter-text.ts';
import { percentEncode, percentEncodeReserved } from './percent-encoding.ts';
import { UnsendableError } from './unsendable.ts';

const DEFAULT_STYLE: QueryStyle = { style: 'form', explode: true, allowReserved: false };
/** Written as `%20` and `%7C`: delimiters that are no URL characters are escaped (OpenAPI 3.1.1, Appendix E). */
export const DELIMITERS = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C', deepObject: ',' } as const;
/** Delimiters that a value's own characters cannot be told from, because both are escaped in one way. */
const INDISTINCT = { spaceDelimited: ' ', pipeDelimited: '|' } as const;

/**
 * Creates the `querySerializer` of one call.
 *
 * Parameters without a style are written as `name=value`. `undefined`, `null`, empty arrays and empty objects are left
 * out. A value deeper than the style can express is written as JSON; only `deepObject` goes on into objects.
 *
 * @throws {UnsendableError} by the serializer, for values that would arrive as others: an element that holds its own
 *   delimiter, a key with brackets in a deep object, a member with the name of another parameter.
 */
export function createQuerySerializer(styles: Styles<QueryStyle>): (query: unknown) => string {
  return (query) => {
    if (typeof query !== 'object' || query === null) return '';
    const owners = new Map(Object.keys(query).map((name) => [name, name]));
    const pairs: string[] = [];
    for (const [name, value] of Object.entries(query)) {
      const given = styleOf(styles, name);
      const style = given ?? DEFAULT_STYLE;
      if (isContent(style)) {
        const text = contentText(value, style);
        if (text !== null) pairs.push(`${percentEncode(name)}=${percentEncode(text)}`);
        continue;
      }
      if (!isDefined(value)) continue;
      const parameter = { name, value, style };
      if (Array.isArray(value)) pairs.push(...arrayPairs(parameter, name, value));
      else if (typeof value === 'object') pairs.push(...objectPairs(parameter, value as object, owners));
      else if (given === undefined) pairs.push(plainPair(name, value));
      else pairs.push(`${percentEncode(name)}=${escapeValue(value, style)}`);
    }
    return pairs.join('&');
  };
}

/** With the escapes that openapi-fetch gives such a parameter where no serializer is needed. */
function plainPair(name: string, value: unknown): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`;
}

/** The parameter that is being written, for whom errors speak. */
interface Parameter {
  readonly name: string;
  readonly value: unknown;
  readonly style: QueryStyle;
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
  const { name, style } = parameter;
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
  const owner = owners.get(key);
  if (owner !== undefined && owner !== parameter.name) {
    const problem = `its member ${JSON.stringify(key)} would be sent as a part of the parameter ${owner}`;
    throw new UnsendableError('query', parameter.name, problem, parameter.value);
  }
  owners.set(key, parameter.name);
  if (Array.isArray(member)) return arrayPairs(parameter, key, member);
  return [`${percentEncode(key)}=${escapeValue(member, parameter.style)}`];
}

/** `name[key]=value`; deeper objects and arrays follow the custom of the libraries that read this style. */
function deepPairs(parameter: Parameter, name: string, value: object): string[] {
  return membersOf(value).flatMap(([key, member]) => {
    if (/[[\]]/.test(key)) {
      throw new UnsendableError('query', parameter.name, 'the name of a member holds a bracket', parameter.value);
    }
    const path = `${name}[${key}]`;
    if (Array.isArray(member)) return arrayPairs(parameter, path, member);
    if (typeof member === 'object') return deepPairs(parameter, path, member as object);
    return [`${percentEncode(path)}=${escapeValue(member, parameter.style)}`];
  });
}

/** Elements of an array, or names and values of an object, in one value. */
function joined({ name, value, style }: Parameter, elements: readonly unknown[]): string {
  const delimiter = DELIMITERS[style.style];
  const indistinct = style.style in INDISTINCT ? INDISTINCT[style.style as keyof typeof INDISTINCT] : null;
  const texts = elements.map(valueText);
  if (indistinct !== null && texts.some((text) => text.includes(indistinct))) {
    const word = indistinct === ' ' ? 'space' : 'vertical bar';
    throw new UnsendableError('query', name, `a ${word} would split an element in two`, value);
  }
  return texts.map((text) => escapeText(text, style, delimiter)).join(delimiter);
}

function escapeValue(value: unknown, style: QueryStyle): string {
  return escapeText(valueText(value), style);
}

function escapeText(text: string, style: QueryStyle, delimiter = ''): string {
  return style.allowReserved ? percentEncodeReserved(text, delimiter) : percentEncode(text);
}
