/** Texts of a lean tool: without what its names already say, and without what a caller cannot use. */

import type { JsonSchema } from './schema-types.ts';
import { toSingleWords, toStem } from './words.ts';

/** Longer descriptions end with the last paragraph that fits, or the first. */
const MAX_DESCRIPTION_CHARS = 250;
const SENTENCES = /[\s\S]+?(?:(?<!\b(?:e\.g|i\.e))[.!?](?=\s|$)|$)\s*/g;
/** Rights of the service's own users and tokens, which its refusal names too; names of pages without their addresses. */
const NOT_FOR_CALLERS = new RegExp(
  [
    String.raw`\b(?:tokens?|scopes?)\b[\s\S]*\bscopes?\b`,
    String.raw`\bto use this endpoint\b[^,]*$`,
    String.raw`^(?:The a|A)uthenticated users? must (?:have|be)\b`,
    String.raw`^Anyone with\b[\s\S]*\bcan use this endpoint\b`,
    String.raw`^For more information\b`,
    String.raw`\bis not case sensitive\.?\s*$`,
  ].join('|'),
);
/** A sentence with one of these says more than its nouns. */
const SAYS_MORE = /[`_\d:"]|\b(?:only|not|no|without|if|when|unless|omit|omitted|default|must|instead)\b/i;
/** `The number of results per page (max 100).` */
const BRACKETS_AT_END = /^([^()]*)\(([^()]*)\)[.\s]*$/;
const SAYS_NOTHING = toStems(
  'account fetch given handle id identify name number page result return resource specify type unique value want',
);
/** `The name of the partition` says something of `partitionId`. */
const KINDS = toStems('name number slug handle');
/** `org` and `organization` say the same. */
const MIN_SHORT_FORM = 3;

/** The description of a tool. A first sentence that is its title is left out if more follows. */
export function toLeanDescription(text: string, title: string): string {
  const [first = '', ...rest] = sentencesOf(toBeginning(text)).filter((sentence) => !NOT_FOR_CALLERS.test(sentence));
  const isTitle = rest.length > 0 && stemsOf(first).join(' ') === stemsOf(title).join(' ');
  return (isTitle ? rest : [first, ...rest]).join('').trim() || text;
}

/** The stems that names and titles say. */
export function statedStemsOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap(stemsOf));
}

/** The description of an argument without sentences that only repeat its name; empty if nothing is left. */
export function toLeanArgumentText(
  name: string,
  { description, enum: values }: JsonSchema,
  statedStems: ReadonlySet<string>,
) {
  const ownStems = stemsOf(name);
  const knownStems = [
    ...statedStems,
    ...ownStems,
    ...(Array.isArray(values) ? values.flatMap((value) => stemsOf(String(value))) : []),
  ];
  const isRepeated = (text: string): boolean => {
    const stems = stemsOf(text);
    return (
      !SAYS_MORE.test(text) &&
      stems.some((stem) => isOneOf(ownStems, stem)) &&
      stems.every((stem) => SAYS_NOTHING.has(stem) || isOneOf(knownStems, stem)) &&
      !(ownStems.includes('id') && stems.some((stem) => KINDS.has(stem)))
    );
  };
  const remaining = sentencesOf(String(description)).flatMap((sentence) => {
    const [, before = '', inside = ''] = BRACKETS_AT_END.exec(sentence) ?? [];
    if (before !== '' && isRepeated(before)) return [`${inside} `];
    return NOT_FOR_CALLERS.test(sentence) || isRepeated(sentence) ? [] : [sentence];
  });
  return remaining.join('').trim();
}

function toBeginning(text: string): string {
  if (text.length <= MAX_DESCRIPTION_CHARS) return text;
  const end = text.lastIndexOf('\n\n', MAX_DESCRIPTION_CHARS);
  const first = end < 0 ? text.indexOf('\n\n') : end;
  return first < 0 ? text : text.slice(0, first);
}

function sentencesOf(text: string): readonly string[] {
  return text.match(SENTENCES) ?? [];
}

function isOneOf(stems: readonly string[], stem: string): boolean {
  return stems.some(
    (other) =>
      other === stem ||
      (Math.min(other.length, stem.length) >= MIN_SHORT_FORM && (other.startsWith(stem) || stem.startsWith(other))),
  );
}

function stemsOf(text: string): readonly string[] {
  return toSingleWords(text).map(toStem);
}

function toStems(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').map(toStem));
}
