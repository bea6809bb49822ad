/** Reads values from the text of one parameter: elements, pairs, documents. */

import type { SandboxParameter } from '../descriptor/operations.ts';
import type { ValueShape } from '../descriptor/schemas.ts';

export type DecodedValues = Record<string, unknown>;
export type Decode = (text: string) => string;

/** A value inside an array or an object: JSON if it is itself an array or an object. */
export function decodeElement(shape: ValueShape, text: string): unknown {
  return shape.kind === 'primitive' ? text : parseJson([text]);
}

/** Decodes a `content` parameter. */
export function decodeDocument(parameter: SandboxParameter, texts: readonly string[]): unknown {
  return parameter.content === 'json' ? parseJson(texts) : single(texts);
}

/** Decodes an array or an object whose parts are joined by one delimiter (`style` with `explode: false`). */
export function decodeJoined(parameter: SandboxParameter, parts: readonly string[], decode: Decode): unknown {
  const { value } = parameter;
  if (value.kind === 'array') return parts.map((part) => decodeElement(value.items(), decode(part)));
  return decodePairs(value, inPairs(parts), decode);
}

/**
 * Decodes the members of an object. A repeated name becomes an array.
 *
 * @param repeats an array repeats its name for each element (`form` with `explode`), instead of being JSON
 */
export function decodePairs(
  shape: ValueShape,
  pairs: readonly (readonly [name: string, text: string])[],
  decode: Decode,
  repeats = false,
): DecodedValues {
  const values = new Map<string, string[]>();
  for (const [rawName, rawText] of pairs) {
    const name = decode(rawName);
    values.set(name, [...(values.get(name) ?? []), decode(rawText)]);
  }
  return Object.fromEntries(
    [...values].map(([name, texts]) => {
      const member = shape.member(name);
      if (repeats && member.kind === 'array') return [name, texts.map((text) => decodeElement(member.items(), text))];
      return [name, texts.length === 1 ? decodeElement(member, texts[0] ?? '') : texts];
    }),
  );
}

/** Splits `name=value`; the value is empty without `=`. */
export function splitPair(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** A repeated value stays an array, which no primitive schema accepts. */
export function single(texts: readonly string[]): unknown {
  return texts.length === 1 ? texts[0] : texts;
}

/** The value of one JSON text; the text itself if it is not JSON. */
export function parseJson(texts: readonly string[]): unknown {
  try {
    return texts.length === 1 ? JSON.parse(texts[0] ?? '') : texts;
  } catch {
    return single(texts);
  }
}

export function inPairs(parts: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < parts.length; at += 2) pairs.push([parts[at] ?? '', parts[at + 1] ?? '']);
  return pairs;
}
