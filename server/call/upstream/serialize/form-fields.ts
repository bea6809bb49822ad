/**
 * Turns the members of a form into `name=value` pairs, before they are escaped for the form's format.
 *
 * Members without a style are written by content (OpenAPI 3.1.1 §4.8.15.1, "Fixed Fields for Value Serialization"): one
 * pair for each item of an array, JSON text for an object. The others follow RFC 6570, as query parameters do.
 */

import type { PartStyle, QueryStyle } from '../../../contract/index.ts';
import { CannotSendError, type WirePlace } from './cannot-send.ts';
import { elementsOf, isDefined, membersOf } from './parameter-text.ts';

/** One member of a form, with its value. */
export interface FormMember extends WirePlace {
  readonly parameter: string;
  readonly style: PartStyle | undefined;
  readonly value: unknown;
}

/** The style of a member, as query parameters have it; null: it is written by content. */
export function queryStyleOf({ style }: FormMember): QueryStyle | null {
  return style !== undefined && 'style' in style ? style : null;
}

/** One pair. Several texts are joined by the delimiter of the style. */
export interface FormField {
  readonly name: string;
  readonly texts: readonly string[];
  /** Null: by content. */
  readonly style: QueryStyle | null;
}

/** Writes the fields of one member; none for `undefined`, `null` and values that contain nothing else. */
export type FieldWriter = (member: FormMember, style: QueryStyle | null) => FormField[];

/**
 * Creates the writer for the members of one body.
 *
 * @param names of all its members.
 * @param separators by style, those that cannot be told apart from the same character in an item; null: all can.
 * @throws {CannotSendError} by the writer, for values that would arrive changed.
 */
export function createFieldWriter(
  names: readonly string[],
  separators: Readonly<Record<QueryStyle['style'], string | null>>,
): FieldWriter {
  const owners = new Map(names.map((name) => [name, name]));
  return (member, style) => {
    const { parameter: name, value } = member;
    if (!isDefined(value)) return [];
    const refuse = (problem: string): never => {
      throw new CannotSendError(member, problem);
    };
    const joined = (texts: readonly string[]): FormField[] => {
      const separator = style === null ? null : separators[style.style];
      if (separator !== null && texts.some((text) => text.includes(separator))) {
        refuse(`a "${separator}" would split an item in two`);
      }
      return texts.length === 0 ? [] : [{ name, texts, style }];
    };
    const single = (key: string, item: unknown): FormField => ({ name: key, texts: [toText(item)], style });
    if (style?.style === 'deepObject') return deepFields(name, value, refuse).map(([key, item]) => single(key, item));
    if (Array.isArray(value)) {
      const items = elementsOf(value);
      return style === null || style.explode ? items.map((item) => single(name, item)) : joined(items.map(toText));
    }
    if (typeof value !== 'object' || style === null) return [single(name, value)];
    const members = membersOf(value as object);
    if (!style.explode) return joined(members.flatMap(([key, item]) => [key, toText(item)]));
    return members.flatMap(([key, item]) => {
      const owner = owners.get(key) ?? name;
      if (owner !== name) refuse(`its member ${JSON.stringify(key)} would be sent as a part of ${owner}`);
      owners.set(key, name);
      return Array.isArray(item) ? elementsOf(item).map((one) => single(key, one)) : [single(key, item)];
    });
  };
}

/**
 * `name[key]`, and `name[0]` for the items of an array, at any depth.
 *
 * OpenAPI leaves arrays under deepObject open. Numbered keys are what the libraries of the services that declare it
 * write, and the only form that keeps the items of an array of objects apart.
 */
function deepFields(path: string, value: unknown, refuse: (problem: string) => never): [name: string, item: unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  const members = Array.isArray(value) ? Object.entries(elementsOf(value)) : membersOf(value);
  return members.flatMap(([key, member]) => {
    if (/[[\]]/.test(key)) refuse('the name of a member holds a bracket');
    return deepFields(`${path}[${key}]`, member, refuse);
  });
}

/** A string as it is, everything else as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
