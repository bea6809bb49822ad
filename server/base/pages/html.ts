/** The template tag for pages, which escapes every value except markup that it created itself, and safe texts of others, such as a client's name for itself. */

import { html as template } from 'hono/html';

/** Markup that the tag created. */
export type Html = Awaited<ReturnType<typeof template>>;

/** Values of a template. `null` becomes nothing. Objects and promises are not accepted, so none is converted to text by accident. */
export type HtmlValue = string | number | Html | null | readonly HtmlValue[];

/** Creates markup. Texts are escaped for elements and for attributes in double quotes, which every attribute must have. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  const markup = template(strings, ...values);
  if (markup instanceof Promise) throw new Error('a page waits for nothing');
  return markup;
}

/** Made on first use: the rules of a language would be loaded with every start. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Removes what can make a text look like another: control, formatting and bidirectional characters, private use,
 * line breaks and runs of spaces, and more than three combining marks in a row. Truncates to `maxLength`.
 *
 * @param maxLength in characters as people count them, at least 2.
 * @returns null when nothing readable is left.
 */
export function toPlainText(text: string, maxLength: number): string | null {
  const visible = text
    .normalize('NFC')
    .replaceAll(/[\s\p{Z}]+/gu, ' ')
    .replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/(\p{M}{3})\p{M}+/gu, '$1')
    .replaceAll(/ +/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(visible)) return null;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const characters = [...segmenter.segment(visible)];
  if (characters.length <= maxLength) return visible;
  return `${characters
    .slice(0, maxLength - 1)
    .map(({ segment }) => segment)
    .join('')
    .trimEnd()}…`;
}

const MAX_NAME_LENGTH = 60;

/** Returns a name that someone else chose, safe to show, or null if nothing readable is left of it. */
export function shownName(name: string | null): string | null {
  return toPlainText(name ?? '', MAX_NAME_LENGTH);
}
