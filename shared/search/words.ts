/** Splits texts of descriptors, tools and people into comparable words. */

import { stemmer } from 'stemmer';

/** Words that do not describe what a tool does. */
const EMPTY = new Set(
  (
    'a an the this that these those of for to in on at by with from as is are was were be been am do does did can could ' +
    'would should will shall may might must i you he she it we they us our your his her its their them please want need ' +
    'like some any there here what which whom whose how when where why and or but if then than so no not have has had ' +
    'having let just about into onto out over via per using use used also only its one two each'
  ).split(' '),
);

/** Words that people write as two or with an apostrophe, and descriptors as one. */
const JOINED: readonly (readonly [RegExp, string])[] = [
  [/\bwho\s?am\s?i\b/g, 'whoami'],
  [/\blook(s|ed|ing)?\s+up\b/g, 'lookup'],
  [/\bset(s|ting)?\s+up\b/g, 'setup'],
  [/\bget(s|ting)?\s+rid\b/g, 'delete'],
  [/\bsign(s|ed|ing)?\s+(\w+\s+)?up\b/g, 'register'],
  [/\bturn(s|ed|ing)?\s+on\b/g, 'enable'],
  [/\bturn(s|ed|ing)?\s+off\b/g, 'disable'],
  [/\bhow\s+(many|much)\b/g, 'count'],
  [/\b(give|show|tell|get|find|send|bring|fetch|list|let)\s+(me|us)\b/g, '$1'],
  [/\bprs?\b/g, 'pull request'],
  [/\bbug\s+reports?\b/g, 'issue'],
  [/\b(api\s+)?(calls|requests)\s+(.*\s)?(left|remaining)\b/g, 'rate limit'],
  [/\bsub-?\s?(task|issue|item)/g, 'sub $1'],
  [/\b(which|what|whose)\s+(.*\s)?am\s+i\b/g, 'whoami $2'],
  [/\b(br(?:ing|ought)|get)\s+back\b/g, 'restore'],
  [/\bthr(?:ow|ew)s?\s+(out|away)\b/g, 'dismiss'],
  [/\b(?:held|hold(?:s|ing)?)\s+(\w+\s+){0,2}up\b/g, 'block $1'],
  [/\bthumbs?\s+(up|down)\b/g, 'reaction'],
  [/\b(log|sign)(s|ged|ed|ging|ing)?\s+(me\s+)?(in|into)\b/g, 'login'],
  [/\b(take|took|taken|taking)\s+(off|out|away)\b/g, 'remove'],
  [/\bkick(s|ed|ing)?\s+(\w+\s+)?out\b/g, 'remove $2'],
  [/\bmark(s|ed|ing)?\s+(?=.*\sas\s)/g, 'update '],
  [/['’]s\b/g, ''],
];

/**
 * The words of a text, in order, in lower case: names are split between their parts (`listId`, `list_id`), and a part
 * of one or two letters stays joined by its hyphen (`e-mail`, `re-run`).
 */
export function toWords(text: string): string[] {
  return splitWords(JOINED.reduce((line, [pattern, word]) => line.replaceAll(pattern, word), withSpaces(text)));
}

/** The words of a text, in the same way but without looking for phrases, which takes most of the time. */
export function toSingleWords(text: string): string[] {
  return splitWords(withSpaces(text));
}

function withSpaces(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]{2,})([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/\b(\p{L}{1,2})-(?=\p{L})/gu, '$1');
}

function splitWords(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !EMPTY.has(word));
}

/** Each pair of adjacent words as one: `pay out` is a `payout`. */
export function toJoinedPairs(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(1).map((word, at) => `${words[at]}${word}`);
}

/** The stem that a word shares with its other forms: `companies` and `company` are one. */
export function toStem(word: string): string {
  return stemmer(word);
}
