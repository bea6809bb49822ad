/** Finds names of people and companies in what someone typed, by their form and by what no tool knows. */

import { isVerb, type SynonymKind, synonymsOf, toSharedStem } from './synonyms/index.ts';
import { toWords } from './words.ts';

/** The names in a request. */
export interface TypedNames {
  readonly stems: ReadonlySet<string>;
  /** The stem of what is probably named. */
  readonly kind: string;
  /** Other things that may be named. */
  readonly synonyms: ReadonlyMap<string, SynonymKind>;
  /** True if what is asked for belongs to a name: `Ada's shoe size`. */
  readonly hasPossessive: boolean;
}

const KINDS = { person: toSharedStem('person'), company: toSharedStem('company') };
const OTHER_KIND = { person: 'company', company: 'person' } as const;
/** Things that are named after people or companies. */
const NAMED_THINGS = ['customer', 'contact', 'account'].map(toSharedStem);

const COMPANY_NAME = new RegExp(
  String.raw`\s(?:&|and)\s|\.\p{L}{2,}$|\s(?:${[
    'inc|corp|corporation|company|co|llc|llp|ltd|limited|plc|gmbh|ag|kg|sa|sas|srl|spa|bv|nv|ab|oy|pty|group|holdings?',
    'industries|enterprises?|systems?|technolog(?:y|ies)|labs?|software|partners|ventures|capital|bank|traders|trading',
    'logistics|robotics|analytics|solutions|services|consulting|foods?|motors|energy|media|studios?|brothers|bros|sons',
  ].join('|')})\.?$`,
  'iu',
);
const CAPITALIZED = String.raw`\p{Lu}[\p{L}\p{N}’'-]*\.?`;
const JOINING = String.raw`(?:(?:&|and|of|de|da|del|van|von|der)\s+){0,2}`;
const CAPITALIZED_WORDS = new RegExp(
  String.raw`(?<![\p{L}\p{N}])${CAPITALIZED}(?:\s+${JOINING}${CAPITALIZED})*(?![\p{L}\p{N}])`,
  'gu',
);
const DOMAIN = /(?<![\p{L}\p{N}@.-])[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{Ll}{2,}(?![\p{L}\p{N}])/gu;
const HAS_DOT = /\.\p{Ll}/u;
const LOOK_UP = [
  String.raw`look(?:ing)?\s*up|find|(?:look|search)\s+for|pull\s+up|tell\s+me\s+about`,
  String.raw`(?:info|information|details|anything)\s+(?:on|about)|what\s+do\s+(?:we|you)\s+know\s+about`,
].join('|');
/** One unknown word after these is a person. */
const ASK_WHO = String.raw`who(?:['’]s|\s+is|\s+was)|do\s+(?:we|you)\s+know`;
/** A single unknown word in lower case may also be a misspelt thing, so only two or three are a name after any verb. */
const LOWER_CASE_NAME = new RegExp(
  String.raw`^\s*(?:please\s+)?(?:(?:${ASK_WHO})\s+(?<person>\S+(?:\s\S+){0,2})|` +
    String.raw`(?:${LOOK_UP})\s+(?<name>\S+(?:\s\S+){1,2}))\s*[?.!]*$`,
  'iu',
);
const POSSESSIVE = /['’]s?$/u;

/**
 * Finds the names in a request.
 *
 * @param isKnown returns true if any tool has the stem, which then names no person.
 */
export function findNames(typed: string, isKnown: (stem: string) => boolean): TypedNames | undefined {
  const isUnknown = (stem: string) => !isKnown(stem) && !isVerb(stem);
  const stems = new Set<string>();
  let kind: keyof typeof KINDS = 'person';
  let hasPossessive = false;
  for (const { 0: text, index } of [...typed.matchAll(CAPITALIZED_WORDS), ...typed.matchAll(DOMAIN)]) {
    const nameStems = toWords(text).map(toSharedStem).filter(isUnknown);
    const startsSentence = /(?:^|[.?!:])\s*$/u.test(typed.slice(0, index));
    const isFirstWordOnly = startsSentence && !/\s/u.test(text) && !POSSESSIVE.test(text) && !HAS_DOT.test(text);
    if (isFirstWordOnly || nameStems.every((stem) => synonymsOf(stem).size > 0)) continue;
    for (const stem of nameStems) stems.add(stem);
    if (POSSESSIVE.test(text)) hasPossessive = true;
    if (COMPANY_NAME.test(text.replace(POSSESSIVE, ''))) kind = 'company';
  }
  if (stems.size === 0) {
    const { person, name = person } = LOWER_CASE_NAME.exec(typed)?.groups ?? {};
    const nameStems = toWords(name ?? '').map(toSharedStem);
    if (nameStems.some((stem) => !isUnknown(stem) || synonymsOf(stem).size > 0)) return undefined;
    for (const stem of nameStems) stems.add(stem);
    if (COMPANY_NAME.test(name ?? '')) kind = 'company';
  }
  if (stems.size === 0) return undefined;
  return { stems, kind: KINDS[kind], synonyms: toSynonyms(kind), hasPossessive };
}

function toSynonyms(kind: keyof typeof KINDS): ReadonlyMap<string, SynonymKind> {
  const other = KINDS[OTHER_KIND[kind]];
  const things = [other, ...synonymsOf(other).keys(), ...NAMED_THINGS];
  return new Map([...things.map((stem) => [stem, 'everyday'] as const), ...synonymsOf(KINDS[kind])]);
}
