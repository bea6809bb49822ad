/** Values as text in which nothing is invisible, and remarks on letters that look like others. */

/**
 * Characters that are not seen, look like a plain space, or change how others are read; and the third and later of
 * several combining marks on one letter. A line break is none of them: JSON writes those in texts as `\n`.
 */
const UNSEEN = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{2})\p{M}/gu;

/**
 * Returns the value as JSON whose invisible characters are JSON escapes. `JSON.parse` gives the same value.
 *
 * @param indent spaces per level. Default: everything is on one line.
 */
export function toVisibleJson(value: unknown, indent = 0): string {
  return escapeUnseen(JSON.stringify(value, null, indent) ?? 'null');
}

/** Returns the text with JSON escapes in place of invisible characters. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, escapeUnits);
}

function escapeUnits(characters: string): string {
  return [...Array(characters.length).keys()]
    .map((index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}

const LATIN = /\p{Script=Latin}/u;
const OTHER_ALPHABET =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
/** Letters and digits in the form of full width or of mathematics. */
const STYLED = /[\uff10-\uff5a\u{1d400}-\u{1d7ff}\u2100-\u214f]/u;
/** Letters of other alphabets that look like Latin ones. */
const LATIN_LOOKALIKES = /^[аеорсухіјѕһԁԛԝӏАВЕКМНОРСТХУІЈЅԌοναιΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսհ]+$/u;
const NOT_ASCII = /\P{ASCII}/u;

const MAX_WORDS = 5;
const MAX_WORD_LENGTH = 80;

/**
 * Finds words that mix look-alike letters of several alphabets, or imitate a Latin word.
 *
 * @param json from `toVisibleJson`.
 * @returns a sentence that writes these letters as JSON escapes, or undefined if there are no such words.
 */
export function remarkOnLookAlikes(json: string): string | undefined {
  if (!NOT_ASCII.test(json)) return undefined;
  const words = json.replaceAll(/\\(?:u[0-9a-f]{4}|.)/gi, ' ').split(/[\s"'()<>[\]{},;]+/u);
  const isLatinText = words.some((word) => LATIN.test(word));
  const suspects = new Set(words.filter((word) => isLookAlike(word, isLatinText)));
  if (suspects.size === 0) return undefined;
  const spelledWords = [...suspects].slice(0, MAX_WORDS).map(spellOut);
  const moreText = suspects.size > spelledWords.length ? `, and ${suspects.size - spelledWords.length} more` : '';
  return `Has letters of several alphabets that look alike: ${spelledWords.join(', ')}${moreText}.`;
}

function isLookAlike(word: string, isLatinText: boolean): boolean {
  if (!NOT_ASCII.test(word)) return false;
  if (STYLED.test(word) || (LATIN.test(word) && OTHER_ALPHABET.test(word))) return true;
  const letters = [...word].filter((character) => /\p{L}/u.test(character)).join('');
  return isLatinText && LATIN_LOOKALIKES.test(letters);
}

/** Writes a word with escapes in place of all letters that are not ASCII. */
function spellOut(word: string): string {
  const short = word.length > MAX_WORD_LENGTH ? `${[...word].slice(0, MAX_WORD_LENGTH).join('')}…` : word;
  const escaped = short.replaceAll(/(?!…)\P{ASCII}/gu, escapeUnits);
  return `${short} is ${escaped}`;
}
