/** Writes paths by each parameter's style and explode (OpenAPI 3.1 §4.8.12.2, RFC 6570 §3.2.2, §3.2.5, §3.2.7). */

import type { PathStyle, Styles } from '../../contract/index.ts';
import { contentText, elementsOf, isContent, isDefined, membersOf, styleOf, valueText } from './parameter-text.ts';
import { percentEncode } from './percent-encoding.ts';
import { UnsendableError } from './unsendable.ts';

const TEMPLATE = /(\{[^{}]+\})/;
const PLAIN: PathStyle = { style: 'simple', explode: false };

/**
 * Creates the `pathSerializer` of one call.
 *
 * Values are percent-encoded, so that none of them can add a segment or cut the path. A segment that would come out
 * empty, `.` or `..`, also before a `;`, is refused: it would lead to another path (WHATWG URL, "double-dot URL path
 * segment"; servers that take path parameters off do so before they resolve dots).
 *
 * An exploded label joins by dots, which percent-encoding leaves alone: an element with a dot is refused too.
 *
 * @throws {UnsendableError} by the serializer; for a segment, naming its last parameter.
 */
export function createPathSerializer(
  styles: Styles<PathStyle>,
): (pathname: string, values: Readonly<Record<string, unknown>>) => string {
  return (pathname, values) => {
    let written = '';
    let segment = '';
    let last: string | null = null;
    const endSegment = () => {
      if (last !== null) checkSegment(segment, last, values[last]);
      written += segment;
      segment = '';
      last = null;
    };
    for (const part of pathname.split(TEMPLATE)) {
      const name = part.startsWith('{') ? part.slice(1, -1) : '';
      if (name !== '' && Object.hasOwn(values, name)) {
        segment += writeValue(name, values[name], styleOf(styles, name) ?? PLAIN);
        last = name;
        continue;
      }
      const [first = '', ...others] = part.split('/');
      segment += first;
      for (const text of others) {
        endSegment();
        segment = `/${text}`;
      }
    }
    endSegment();
    return written;
  };
}

function checkSegment(segment: string, name: string, value: unknown): void {
  const text = segment.replace(/^\//, '').replaceAll(/%2e/gi, '.');
  const [bare = ''] = text.split(';');
  if (text !== '' && bare !== '.' && bare !== '..') return;
  const what = text === '' ? 'nothing' : `"${bare}"`;
  throw new UnsendableError('path', name, `it would put ${what} between two slashes of the path`, value);
}

function writeValue(name: string, value: unknown, style: Styles<PathStyle>[string]): string {
  if (isContent(style)) return percentEncode(contentText(value, style) ?? '');
  if (!isDefined(value)) return '';
  if (typeof value === 'object') {
    const elements = Array.isArray(value) ? elementsOf(value) : membersOf(value).flat();
    if (style.style === 'label' && style.explode && elements.some((one) => valueText(one).includes('.'))) {
      throw new UnsendableError('path', name, 'a dot would split an element in two', value);
    }
    return Array.isArray(value)
      ? writeArray(name, elements.map(encode), style)
      : writeObject(name, membersOf(value), style);
  }
  const text = encode(value);
  if (style.style === 'simple') return text;
  return style.style === 'label' ? `.${text}` : named(name, text);
}

function writeArray(name: string, items: readonly string[], { style, explode }: PathStyle): string {
  if (items.length === 0) return '';
  if (style === 'simple') return items.join(',');
  if (style === 'label') return `.${items.join(explode ? '.' : ',')}`;
  return explode ? items.map((item) => named(name, item)).join('') : `;${percentEncode(name)}=${items.join(',')}`;
}

function writeObject(name: string, members: readonly (readonly [string, unknown])[], style: PathStyle): string {
  if (members.length === 0) return '';
  if (!style.explode) {
    const flat = members.flatMap(([key, member]) => [percentEncode(key), encode(member)]);
    return writeArray(name, flat, style);
  }
  if (style.style === 'matrix') return members.map(([key, member]) => named(key, encode(member))).join('');
  const pairs = members.map(([key, member]) => `${percentEncode(key)}=${encode(member)}`);
  return style.style === 'simple' ? pairs.join(',') : `.${pairs.join('.')}`;
}

/** `;name=value`, without `=` for an empty value (RFC 6570 §3.2.7). */
function named(name: string, text: string): string {
  return `;${percentEncode(name)}${text === '' ? '' : `=${text}`}`;
}

function encode(value: unknown): string {
  return percentEncode(valueText(value));
}
