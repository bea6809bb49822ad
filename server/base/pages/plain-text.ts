/** Makes untrusted texts safe for a page, such as the name that a client gave itself. */

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
