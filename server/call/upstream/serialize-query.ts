/** Writes query strings by each parameter's style and explode (OpenAPI 3.1 §4.8.12.2). */

import type { ContentStyle, QueryStyle, ToolRequest, WholeQuery } from '../../contract/index.ts';
import { type Arguments, type Slot, toCannotSend, toSlots } from './serialize-sources.ts';
import {
  contentText,
  createFieldWriter,
  type FieldWriter,
  hasMembers,
  isContent,
  percentEncode,
  percentEncodeReserved,
  STYLES,
} from './serialize-styles.ts';

type QuerySlot = Slot<QueryStyle | ContentStyle | WholeQuery>;

const DEFAULT_STYLE: QueryStyle = { style: 'form', explode: true };
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
    let writeFields: FieldWriter | undefined;
    const pairs: string[] = [];
    for (const { slot, plainName } of parameters) {
      try {
        const value = slot.read(args);
        if (value === undefined) continue;
        if (slot.style === undefined && value !== null && typeof value !== 'object') {
          pairs.push(`${plainName}=${encodeURIComponent(String(value))}`);
          continue;
        }
        writeFields ??= createFieldWriter(slots, 'repeated', true);
        pairs.push(...writePairs(slot, value, writeFields));
      } catch (error) {
        throw toCannotSend(error, slot);
      }
    }
    // The apostrophe is the only character left that URL parsers escape in a query (WHATWG URL, "special-query").
    return pairs.join('&').replaceAll("'", '%27');
  };
}

function writePairs(slot: QuerySlot, value: unknown, writeFields: FieldWriter): string[] {
  const { parameter, style = DEFAULT_STYLE } = slot;
  if (isContent(style)) {
    const text = contentText(value, style);
    if (text === null) return [];
    return ['whole' in style ? percentEncode(text) : `${percentEncode(parameter)}=${percentEncode(text)}`];
  }
  const { delimiter, inUrl } = STYLES[style.style];
  const reserved = style.explode || !hasMembers(value) ? '' : delimiter;
  const encode = (text: string): string =>
    style.allowReserved === true ? percentEncodeReserved(text, reserved) : percentEncode(text);
  return writeFields(slot, value, style).map(
    ({ name, texts }) => `${percentEncode(name)}=${texts.map(encode).join(inUrl)}`,
  );
}
