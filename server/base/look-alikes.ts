/** Tells whether two names look the same, also if their letters are of several alphabets. */

/** Letters that look like a Latin letter or digit, by what they look like (a part of the table of UTS 39). */
const LOOKALIKES: readonly (readonly [letter: string, lookalikes: string])[] = [
  ['a', 'аαɑａᴀᎪꓮ4@'],
  ['b', 'вьβЬʙᏴꓐ8'],
  ['c', 'сϲⅽᴄᏟꓚς'],
  ['d', 'ԁⅾᴅᎠꓓđ'],
  ['e', 'еєεᴇᎬꓰ3℮'],
  ['f', 'ƒꜰꓝ'],
  ['g', 'ɡԍɢᏀꓖ'],
  ['h', 'һнհηʜᎻꓧħ'],
  ['i', 'іɩιıl1|ӏǀ!їíɪʟᎥᏞꓲꓡł'],
  ['j', 'јϳᴊᎫꓙ'],
  ['k', 'кκᴋᏦꓗ'],
  ['m', 'мⅿμᴍᎷꓟ'],
  ['n', 'пոиɴꓠ'],
  ['o', 'оοօ0οᴏꓳø'],
  ['p', 'рρᴘᏢꓑ'],
  ['q', 'ԛգꞯ'],
  ['r', 'ггʀᎡꓣ'],
  ['s', 'ѕ5$ꜱᏚꓢ'],
  ['t', 'тτᴛᎢꓔ7†ŧ'],
  ['u', 'υսцᴜꓴ'],
  ['v', 'ѵνᴠᏙꓦ'],
  ['w', 'ԝшωᴡᎳꓪ'],
  ['x', 'хχꓫ'],
  ['y', 'уүγʏᎩꓬ'],
  ['z', 'ᴢζᏃꓜ'],
];

/** The Latin letter that a letter, digit or sign looks like. Keys are in lower case. */
export const LATIN_LETTERS: ReadonlyMap<string, string> = new Map(
  LOOKALIKES.flatMap(([letter, alike]) => [...alike.toLowerCase()].map((other) => [other, letter] as const)),
);

/** Alphabets with letters that look like those of another one. */
const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Lisu}/u,
];
const LATIN_ONLY = '0';

/** Letters and digits that look alike in many fonts. */
const SAME_IN_ASCII: Readonly<Record<string, string>> = { l: 'i', 1: 'i', 0: 'o' };

/** Tells whether two names look the same. Within one alphabet other than the Latin one, every letter counts as different. */
export function looksLike(one: string, other: string): boolean {
  const [a, b] = [fold(one), fold(other)];
  if (a === b) return true;
  const scripts = scriptsOf(a);
  const isOneAlphabet = scripts === scriptsOf(b) && scripts.length === 1 && scripts !== LATIN_ONLY;
  return !isOneAlphabet && toLatin(a) === toLatin(b);
}

/** Full width, styles and case make no difference. */
function fold(name: string): string {
  const folded = name.normalize('NFKC').toLowerCase().normalize('NFC');
  return [...folded].map((character) => SAME_IN_ASCII[character] ?? character).join('');
}

function toLatin(folded: string): string {
  const letters = [...folded].map((character) => {
    const isAscii = character.charCodeAt(0) < 0x80;
    const letter = isAscii ? character : (LATIN_LETTERS.get(character) ?? character);
    return SAME_IN_ASCII[letter] ?? letter;
  });
  return letters.join('').replaceAll('rn', 'm').replaceAll('vv', 'w');
}

/** Returns the numbers of the alphabets in a name. */
function scriptsOf(name: string): string {
  return SCRIPTS.flatMap((script, index) => (script.test(name) ? [index] : [])).join();
}
