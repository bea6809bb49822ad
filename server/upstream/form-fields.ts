/**
 * What the members of a form become, before they are escaped for the form's own format: `name=value` pairs.
 *
 * Members without a style are written by content (OpenAPI 3.1.1 §4.8.15.1, "Fixed Fields for Value Serialization"): one
 * pair for each item of an array, JSON text for an object. The others follow RFC 6570, as query parameters do.
 */

import type { QueryStyle } from '../tools/contract.ts';

/** One pair. Several texts are joined by the delimiter of the style. */
export interface FormField {
  readonly name: string;
  readonly texts: readonly string[];
  /** Null: by content. */
  readonly style: QueryStyle | null;
}

/** The fields of one member; none for `undefined`, `null` and what holds nothing else. */
export function toFormFields(name: string, value: unknown, style: QueryStyle | null): FormField[] {
  const field = (key: string, ...texts: readonly string[]): FormField => ({ name: key, texts, style });
  if (isNothing(value)) return [];
  if (style?.style === 'deepObject') return deepFields(name, value).map(([key, text]) => field(key, text));
  if (Array.isArray(value)) {
    const texts = value.filter((item) => !isNothing(item)).map(toText);
    if (style !== null && !style.explode) return texts.length === 0 ? [] : [field(name, ...texts)];
    return texts.map((text) => field(name, text));
  }
  if (typeof value !== 'object' || style === null) return [field(name, toText(value))];
  const members = Object.entries(value as object).filter(([, member]) => !isNothing(member));
  if (members.length === 0) return [];
  if (style.explode) return members.flatMap(([key, member]) => toFormFields(key, member, { ...style, explode: true }));
  return [field(name, ...members.flatMap(([key, member]) => [key, toText(member)]))];
}

/**
 * `name[key]`, and `name[0]` for the items of an array, at any depth.
 *
 * OpenAPI leaves arrays under deepObject open. Numbered keys are what the libraries of the services that declare it
 * write, and the only form that keeps apart the items of an array of objects.
 */
function deepFields(path: string, value: unknown): [name: string, text: string][] {
  if (isNothing(value)) return [];
  if (typeof value !== 'object') return [[path, toText(value)]];
  return Object.entries(value as object).flatMap(([key, member]) => deepFields(`${path}[${key}]`, member));
}

/** A string as it is, everything else as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
