/** Converts values to texts, by one table of styles for paths, queries, headers, cookies and forms (OpenAPI 3.1 §4.8.12.2, RFC 6570 §3.2). */

import { rawNumber } from '../../../shared/exact-json.ts';
import type { ContentStyle, CookieStyle, HeaderStyle, PathStyle, QueryStyle } from '../../contract/index.ts';
import { refuserOf, type WirePlace } from './serialize-sources.ts';

type StyleName = (PathStyle | QueryStyle | HeaderStyle | CookieStyle)['style'];

interface StyleRow {
  /** The delimiter between the elements of a list that is one value. */
  readonly delimiter: string;
  /** The delimiter's name in sentences, with its article. */
  readonly delimiterName: string;
  /** The delimiter in a URL, where characters that no URL may contain are escaped (OpenAPI 3.1.1, Appendix E). */
  readonly inUrl: string;
  /** The text in front of each exploded element of a path, and of the whole value. */
  readonly prefix: string;
  /** True if the name of the parameter is written. */
  readonly isNamed: boolean;
}

const COMMA = { delimiter: ',', delimiterName: 'a comma', inUrl: ',' } as const;

export const STYLES: Readonly<Record<StyleName, StyleRow>> = {
  simple: { ...COMMA, prefix: '', isNamed: false },
  label: { ...COMMA, prefix: '.', isNamed: false },
  matrix: { ...COMMA, prefix: ';', isNamed: true },
  form: { ...COMMA, prefix: '', isNamed: true },
  cookie: { ...COMMA, prefix: '', isNamed: true },
  deepObject: { ...COMMA, prefix: '', isNamed: true },
  spaceDelimited: { delimiter: ' ', delimiterName: 'a space', inUrl: '%20', prefix: '', isNamed: true },
  pipeDelimited: { delimiter: '|', delimiterName: 'a vertical bar', inUrl: '%7C', prefix: '', isNamed: true },
};

/** Throws because of a problem with the value of a parameter. */
type Refuse = (problem: string) => never;

/** A part of a value with the name that it is written under. */
interface Field {
  /** Null if it is the name of the parameter. */
  readonly name: string | null;
  /** Several are joined by the delimiter of the style. */
  readonly texts: readonly string[];
}

/**
 * The fields of a value: one for each element or member if it is exploded, else one. None for `undefined`, `null`, and arrays and objects that
 * hold nothing else (RFC 6570 §2.3).
 *
 * @param repeatsLists true if a list in a member of an exploded object has a field for each of its elements; else it is JSON.
 */
export function fieldsOf(value: unknown, explode: boolean, repeatsLists = false): readonly Field[] {
  if (!isDefined(value)) return [];
  if (!hasMembers(value)) return [{ name: null, texts: [valueText(value)] }];
  if (Array.isArray(value)) {
    const texts = value.filter(isDefined).map(valueText);
    return explode ? texts.map((text) => ({ name: null, texts: [text] })) : listOf(texts);
  }
  const members = membersOf(value);
  if (!explode) return listOf(members.flatMap(([name, member]) => [name, valueText(member)]));
  return members.flatMap(([name, member]) => {
    const values = repeatsLists && Array.isArray(member) ? member.filter(isDefined) : [member];
    return values.map((element) => ({ name, texts: [valueText(element)] }));
  });
}

function listOf(texts: readonly string[]): readonly Field[] {
  return texts.length === 0 ? [] : [{ name: null, texts }];
}

/**
 * The fields of a value under `deepObject`, at any depth: `name[key]`.
 *
 * @param lists how they are written, which OpenAPI leaves open: `repeated`, as most readers of queries take it; `numbered` (`name[0]`), as the
 * libraries of services write forms, which keeps the items of a list of objects apart.
 * @param refuse throws for a key that the reader would take apart.
 */
function deepFields(
  name: string,
  value: unknown,
  lists: 'repeated' | 'numbered',
  refuse: Refuse,
): readonly { readonly name: string; readonly text: string }[] {
  if (!isDefined(value)) return [];
  if (!hasMembers(value)) return [{ name, text: valueText(value) }];
  if (Array.isArray(value) && lists === 'repeated') {
    return value.filter(isDefined).map((element) => ({ name, text: valueText(element) }));
  }
  const members = Array.isArray(value) ? Object.entries(value.filter(isDefined)) : membersOf(value);
  return members.flatMap(([key, member]) => {
    if (/[[\]]/.test(key)) refuse('the name of a member holds a bracket');
    return deepFields(`${name}[${key}]`, member, lists, refuse);
  });
}

/**
 * Refuses a list with an element that holds its delimiter.
 *
 * @param isEscaped true where a delimiter in an element is percent-encoded, so that it is lost only if the list writes its delimiters so too.
 */
export function checkElements(
  texts: readonly string[],
  { delimiter, delimiterName, inUrl }: StyleRow,
  isEscaped: boolean,
  refuse: Refuse,
): void {
  if (isEscaped && delimiter === inUrl) return;
  if (texts.some((text) => text.includes(delimiter))) refuse(`${delimiterName} would split an element in two`);
}

/** A name of a query or a form, and its texts, which are joined by the delimiter of the style. */
interface NamedField {
  readonly name: string;
  readonly texts: readonly string[];
}

/** A parameter, or a member of a form. */
type NamedPlace = WirePlace & { readonly parameter: string };

/** Writes the fields of one parameter. There are none for `undefined`, `null` and values that contain nothing else. */
export type FieldWriter = (place: NamedPlace, value: unknown, style: QueryStyle) => readonly NamedField[];

/**
 * Creates the writer of fields that stand next to one another under their names, in a query or a form.
 *
 * @param places of all of them. @param lists as for `deepFields`. @param isEscaped as for `checkElements`.
 * @throws {CannotSendError} by the writer, for values that would arrive changed, and a member of an exploded object that has the name of another
 * parameter, or of a member of another.
 */
export function createFieldWriter(
  places: readonly NamedPlace[],
  lists: 'repeated' | 'numbered',
  isEscaped: boolean,
): FieldWriter {
  const owners = new Map(places.map(({ parameter }) => [parameter, parameter]));
  return (place, value, style) => {
    const { parameter } = place;
    const refuse = refuserOf(place);
    if (style.style === 'deepObject') {
      return deepFields(parameter, value, lists, refuse).map(({ name, text }) => ({ name, texts: [text] }));
    }
    return fieldsOf(value, style.explode, true).map(({ name, texts }) => {
      const owner = name === null ? parameter : (owners.get(name) ?? parameter);
      if (owner !== parameter) {
        refuse(`its member ${JSON.stringify(name)} would be sent as a part of ${JSON.stringify(owner)}`);
      }
      if (name !== null) owners.set(name, parameter);
      if (!style.explode && hasMembers(value)) checkElements(texts, STYLES[style.style], isEscaped, refuse);
      return { name: name ?? parameter, texts };
    });
  };
}

/** True for a parameter that is a document (`content`), not a value of a style. */
export function isContent(style: object | undefined): style is ContentStyle {
  return style !== undefined && 'content' in style;
}

/** `application/json`, `text/json` and every `+json` (RFC 6839 §3.1). */
export function isJsonContent({ content }: ContentStyle): boolean {
  const essence = (content.split(';')[0] ?? '').trim().toLowerCase();
  return essence === 'application/json' || essence === 'text/json' || /^[^/]+\/[^/]+\+json$/.test(essence);
}

/** The document of a `content` parameter: JSON, or the value's own text; `null` is a document only in JSON. */
export function contentText(value: unknown, style: ContentStyle): string | null {
  if (value === undefined) return null;
  if (isJsonContent(style)) return JSON.stringify(value) ?? null;
  return value === null ? null : valueText(value);
}

/** A value as text. Inside an array or object, a value that no style can express is JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** True for an array or an object with members, which a style writes one by one. A raw number has none. */
export function hasMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null && rawNumber(value) === undefined;
}

function membersOf(value: object): [name: string, value: unknown][] {
  return Object.entries(value).filter(([, member]) => isDefined(member));
}

export function isDefined<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

/** Left alone by `encodeURIComponent`, and reserved by RFC 3986 §2.2. */
const ALSO_RESERVED = /[!'()*]/g;

/** Reserved characters that do not end any part of a query, in their encoded form. */
const HARMLESS_IN_QUERY = /%(21|24|27|28|29|2A|2C|2F|3A|3B|3D|3F|40)/g;

/** @throws {URIError} for half of a surrogate pair. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    ALSO_RESERVED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Leaves reserved characters as they are (`allowReserved`), except those that would end or change the value:
 * `#`, `&`, `+`, `[`, `]`, and the delimiter that the value is next to.
 *
 * A `%` is always encoded, so that the value arrives unchanged.
 *
 * @throws {URIError} for half of a surrogate pair.
 */
export function percentEncodeReserved(text: string, delimiter = ''): string {
  return percentEncode(text).replace(HARMLESS_IN_QUERY, (escaped) => {
    const character = decodeURIComponent(escaped);
    return character === delimiter ? escaped : character;
  });
}
