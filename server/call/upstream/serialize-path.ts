/** Writes paths by each parameter's style and explode (OpenAPI 3.1 §4.8.12.2, RFC 6570 §3.2.2, §3.2.5, §3.2.7). */

import type { ContentStyle, PathStyle, ToolRequest } from '../../contract/index.ts';
import {
  type Arguments,
  CannotSendError,
  type Secrets,
  type Slot,
  toCannotSend,
  toSlots,
} from './serialize-sources.ts';
import {
  contentText,
  fieldsOf,
  hasMembers,
  isContent,
  isDefined,
  isJsonContent,
  percentEncode,
  STYLES,
  valueText,
} from './serialize-styles.ts';

type PathSlot = Slot<PathStyle | ContentStyle>;

/** A piece of a segment: literal text, or a parameter. */
type Piece = string | PathSlot;

const TEMPLATE = /(\{[^{}]+\})/;
const PLAIN: PathStyle = { style: 'simple', explode: false };
/** Characters that a path cannot contain (WHATWG URL, "path percent-encode set"), or that would end it. */
const NOT_IN_PATH = /%(?![0-9a-f]{2})|[^!$%&'()*+,\-./0-9:;=@A-Z[\]_a-z|~]+/gi;
const NOT_IN_QUERY = /%(?![0-9a-f]{2})|[^!$%&()*+,\-./0-9:;=?@A-Z[\]_a-z|~]+/gi;

/** Writes one path. */
type PathWriter = (args: Arguments, secrets?: Secrets) => string;

/**
 * Compiles the path of one tool.
 *
 * Values are percent-encoded, so that no value can add a segment or cut the path. A segment that would become empty, `.` or `..`, also before a `;`,
 * is refused, because it would lead to another path (WHATWG URL, "double-dot URL path segment"; servers that strip path parameters do so before they
 * resolve dots).
 *
 * An exploded label joins by dots, which percent-encoding leaves alone. So an element with a dot is refused too.
 *
 * @throws {CannotSendError} by the writer; for a segment, it names its last parameter.
 */
export function compilePath(template: string, bindings: ToolRequest['path']): PathWriter {
  const slots = new Map(toSlots('path', bindings).map((slot) => [`{${slot.parameter}}`, slot]));
  const isPlain = [...slots.values()].every(({ style }) => style === undefined);
  const segments = toSegments(template, slots);
  if (segments.every((segment) => typeof segment === 'string')) {
    const path = segments.join('/');
    return () => path;
  }
  return (args, secrets) =>
    segments
      .map((segment) => (typeof segment === 'string' ? segment : writeSegment(segment, args, secrets, isPlain)))
      .join('/');
}

/** Compiles a query in the key of a path: literal text stays, and path parameters are filled in. */
export function compileQueryTemplate(template: string, bindings: ToolRequest['path']): PathWriter {
  if (template === '') return () => '';
  const slots = new Map(toSlots('path', bindings).map((slot) => [`{${slot.parameter}}`, slot]));
  const pieces = template
    .split(TEMPLATE)
    .map((token) => slots.get(token) ?? token.toWellFormed().replace(NOT_IN_QUERY, encodeURIComponent));
  return (args, secrets) =>
    pieces
      .map((piece) => (typeof piece === 'string' ? piece : percentEncode(valueText(piece.read(args, secrets) ?? ''))))
      .join('');
}

/** Arguments that become path segments: refused when empty, `.` or `..`. */
export function pathArguments({ request }: { readonly request: ToolRequest }): readonly string[] {
  const cachedNames = argumentsOfPaths.get(request);
  if (cachedNames !== undefined) return cachedNames;
  const names = toSlots('path', request.path).flatMap(({ argument, entries, style }) => {
    const bringsMore = isContent(style) ? isJsonContent(style) : style?.style === 'matrix';
    return argument === null || entries !== undefined || bringsMore ? [] : [argument];
  });
  argumentsOfPaths.set(request, names);
  return names;
}

/** Cached, because every call needs it. */
const argumentsOfPaths = new WeakMap<ToolRequest, readonly string[]>();

/** The segments between the slashes; those without a parameter are plain texts. */
function toSegments(template: string, slots: ReadonlyMap<string, PathSlot>): (string | readonly Piece[])[] {
  const segments: Piece[][] = [[]];
  for (const token of template.split(TEMPLATE)) {
    const slot = slots.get(token);
    const [first = '', ...followingTexts] = slot === undefined ? token.split('/').map(toPathText) : [slot];
    segments.at(-1)?.push(first);
    segments.push(...followingTexts.map((text) => [text]));
  }
  return segments.map((pieces) => (pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : pieces));
}

function toPathText(text: string): string {
  return text.toWellFormed().replace(NOT_IN_PATH, encodeURIComponent);
}

function writeSegment(
  pieces: readonly Piece[],
  args: Arguments,
  secrets: Secrets | undefined,
  isPlain: boolean,
): string {
  let segment = '';
  let last: PathSlot | undefined;
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      segment += piece;
      continue;
    }
    last = piece;
    try {
      segment += writeValue(piece, piece.read(args, secrets), isPlain);
    } catch (error) {
      throw toCannotSend(error, piece);
    }
  }
  if (last !== undefined) checkSegment(segment, last);
  return segment;
}

function checkSegment(segment: string, last: PathSlot): void {
  const text = segment.replaceAll(/%2e/gi, '.');
  const [segmentName = ''] = text.split(';');
  if (text !== '' && segmentName !== '.' && segmentName !== '..') return;
  const description = text === '' ? 'nothing' : `"${segmentName}"`;
  throw new CannotSendError(last, `it would put ${description} between two slashes of the path`);
}

/** @param isPlain true if no parameter of the path has a style: then fewer characters are escaped. */
function writeValue(slot: PathSlot, value: unknown, isPlain: boolean): string {
  const { parameter, style = PLAIN } = slot;
  if (isContent(style)) return percentEncode(contentText(value, style) ?? '');
  if (isPlain && !hasMembers(value)) return isDefined(value) ? encodeURIComponent(valueText(value)) : '';
  const { delimiter, prefix, isNamed } = STYLES[style.style];
  const fields = fieldsOf(value, style.explode);
  if (style.style === 'label' && style.explode && hasMembers(value)) {
    const texts = fields.flatMap(({ name, texts }) => [name ?? '', ...texts]);
    if (texts.some((text) => text.includes('.')))
      throw new CannotSendError(slot, 'a dot would split an element in two');
  }
  const encodedFields = fields.map(({ name, texts }) => {
    const text = texts.map(percentEncode).join(delimiter);
    if (!isNamed && name === null) return text;
    const encodedName = percentEncode(name ?? parameter);
    // A name without a value has no `=` (RFC 6570 §3.2.7).
    return isNamed && text === '' ? encodedName : `${encodedName}=${text}`;
  });
  if (encodedFields.length === 0) return '';
  return prefix + encodedFields.join(prefix === '' ? delimiter : prefix);
}
