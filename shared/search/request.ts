/** Parses what someone typed: the words to look for, and how much each is trusted. */

import { findNames, type TypedNames } from './names.ts';
import { withPlainVerbs } from './phrases.ts';
import { isOfVerb, isVerb, type SynonymKind, synonymsOf, toSharedStem } from './synonyms/index.ts';
import { toJoinedPairs, toWords } from './words.ts';

/** One word that was typed. */
export interface TypedWord {
  readonly stem: string;
  /** 1, or less if it is likely to be a name, or comes after the first sentence. */
  readonly trust: number;
  /** True if a tool has it. */
  readonly isKnown: boolean;
  /** True if it stands for a name next to what is asked for, which alone makes no tool fit. */
  readonly isAside?: boolean;
  /** Its synonyms; verbs only for the first word of the request. */
  readonly synonyms: ReadonlyMap<string, SynonymKind>;
}

/** A parsed request. */
export interface Request {
  readonly words: readonly TypedWord[];
  /** True if it asks a question, and no change is wanted. */
  readonly isQuestion: boolean;
  /** Possible first words of a title if the request begins with a verb, else null. */
  readonly lead: ReadonlySet<string> | null;
  /** True if it begins with a verb, known or not. */
  readonly isOrder: boolean;
  /** The words as typed; empty if the request asks for all of something. */
  readonly forms: ReadonlySet<string>;
  /** Stems of what something is removed from, which is not to be removed itself: `remove omar from the newsletter`. */
  readonly containerStems: ReadonlySet<string>;
}

/** Longer requests are cut. */
const MAX_TYPED_WORDS = 40;
/** For a word with a capital letter inside a sentence. */
const NAME_TRUST = 0.5;
/** For a word that only occurs after the first sentence. */
const LATER_TRUST = 0.3;
const FIRST_SENTENCE = /^.*?[.?!](?=\s+\p{Lu})/su;
/** These words ask for a list, whatever the verb. */
const MANY = /\b(?:all|every|everyone|everybody|everything)\b/i;
const MANY_VERBS: ReadonlySet<string> = new Set([toSharedStem('list')]);
/** Beginnings of a question, which wants no change; `how do I` is an order. */
const QUESTION =
  /^\s*(?:which|what|who|whose|whom|where|when|why|do|did|does|am|is|are|has|have|was|were|may|can(?!\s+you\b)|should|how\s+(?:many|much|long|often|old|big|far))\b/i;
/** Verbs for an order whose own verb is unknown: `label an issue`. */
const WRITING_VERBS: readonly string[] = ['create', 'add', 'update', 'set'].map(toSharedStem);
/** An order whose verb is otherwise a noun: `comment on an issue`. */
const ORDER = /^\s*(?:please\s+)?(\p{L}+(?<!s))\s+(?:a|an|the|my|our|this|that|these|those|on|to|into|with)\s/iu;
/** A statement of what should be asks for a change, unless it describes the object: `people who may enter`. */
const WISH =
  /^(?:(?!\b(?:who|that|which|whom|whose|where|what)\b).)*\b(?:must|should|shall|(?:has|have|needs?|ought|is|are) to|may|only|nobody|no one)\b/i;
const REMOVED_FROM = /^(.*?\p{L}\s+\p{L}.*?)\s(?:from|off|out of)\s(.*)$/isu;
const REMOVE = toSharedStem('delete');
/** `create a new list` is `create a list`. */
const NEWNESS: ReadonlySet<string> = new Set(['new', 'existing'].map(toSharedStem));
const NO_WORDS: ReadonlySet<string> = new Set();
const FIND = toSharedStem('find');
const FINDING_VERBS: ReadonlySet<string> = new Set(['find', 'search', 'lookup'].map(toSharedStem));
/** Words next to a name that only ask what there is about it: `what do we know about Acme Corp`. */
const LOOKING_UP = toStemSet(
  'find search look lookup who up own owner locate get show see view open check pull dig bring fetch give tell know learn reach meet met ' +
    'remember detail info background anything something everything more profile record card contact data entry ' +
    'user person people company',
);
/** For a word that means any person or thing. */
const VAGUE_TRUST = 0.6;
const VAGUE = toStemSet(
  'people person somebody someone anybody anyone nobody thing something anything stuff lot whole time lately other certain specific ' +
    'particular much many long same exactly one another way',
);
/** Verbs that only mean something at the beginning of a request. */
const LIGHT = toStemSet('get got getting give given take taken make made put set go come keep');

/**
 * Reads a request.
 *
 * @param isKnown true if any tool has the stem.
 * @param isLead true if any title begins with the stem.
 */
export function readRequest(
  request: string,
  isKnown: (stem: string) => boolean,
  isLead: (stem: string) => boolean,
): Request {
  const typed = withPlainVerbs(withoutValues(request));
  const names = findNames(typed, isKnown);
  const capitalized = new Set([...namesIn(typed), ...(names?.stems ?? [])]);
  const stems = toStems(typed, isKnown);
  const plainStems = stems.filter((stem) => !capitalized.has(stem));
  const isQuestion = QUESTION.test(typed) || QUESTION.test(request);
  if (names !== undefined && isOnlyLookedUp(plainStems, { isQuestion: isQuestion && !names.hasPossessive, isKnown }))
    return toNameRequest(names, isQuestion);

  const otherNames = stems.filter((stem) => capitalized.has(stem) && names?.stems.has(stem) !== true);
  const inOrder = plainStems.length === 0 ? stems : [...plainStems, ...otherNames];
  const first = new Set(toWords(FIRST_SENTENCE.exec(typed)?.[0] ?? typed).map(toSharedStem));
  const trustOf = (stem: string, at: number): number =>
    (plainStems.length > 0 && capitalized.has(stem) ? NAME_TRUST : 1) *
    (first.has(stem) ? 1 : LATER_TRUST) *
    (VAGUE.has(stem) || ((at > 0 || isQuestion) && LIGHT.has(stem)) ? VAGUE_TRUST : 1);
  const words: TypedWord[] = inOrder.map((stem, at) => ({
    stem,
    trust: trustOf(stem, at),
    isKnown: isKnown(stem),
    synonyms: new Map(
      [...synonymsOf(stem)].filter(
        ([other, kind]) => !inOrder.includes(other) && (!isOfVerb(kind) || (at === 0 && !isQuestion)),
      ),
    ),
  }));
  if (names !== undefined) words.push({ ...toNamedThing(names, NAME_TRUST), isAside: true });
  const isOfMany = MANY.test(typed);
  const isOrder = !isQuestion && isOrderOf(typed, inOrder[0] ?? '');
  const lead = isOfMany ? MANY_VERBS : isQuestion ? null : findLead(typed, inOrder[0] ?? '', { isLead, isOrder });
  return {
    words,
    isQuestion: isQuestion && !isOfMany,
    lead,
    isOrder,
    forms: isOfMany ? NO_WORDS : new Set(toWords(typed)),
    containerStems: lead?.has(REMOVE) ? containerStemsIn(request) : NO_WORDS,
  };
}

/** Returns true if a request with these words next to a name only asks what there is about the name. */
function isOnlyLookedUp(
  plainStems: readonly string[],
  { isQuestion, isKnown }: { isQuestion: boolean; isKnown: (stem: string) => boolean },
): boolean {
  return plainStems.every(
    (stem) => LOOKING_UP.has(stem) || (isQuestion && !isKnown(stem) && synonymsOf(stem).size === 0),
  );
}

/** The request for a tool that finds what is named. */
function toNameRequest(names: TypedNames, isQuestion: boolean): Request {
  const find = { stem: FIND, trust: NAME_TRUST, isKnown: true, synonyms: synonymsOf(FIND) };
  return {
    words: [find, toNamedThing(names, 1)],
    isQuestion,
    lead: FINDING_VERBS,
    isOrder: false,
    forms: NO_WORDS,
    containerStems: NO_WORDS,
  };
}

function toNamedThing({ kind, synonyms }: TypedNames, trust: number): TypedWord {
  return { stem: kind, trust, isKnown: true, synonyms };
}

function containerStemsIn(typed: string): ReadonlySet<string> {
  const [, removed = '', from = ''] = REMOVED_FROM.exec(typed) ?? [];
  const stems = new Set(toWords(removed).map(toSharedStem));
  return new Set(
    toWords(from)
      .map(toSharedStem)
      .filter((stem) => !stems.has(stem)),
  );
}

function isOrderOf(typed: string, first: string): boolean {
  return isVerb(first) || toSharedStem((ORDER.exec(typed)?.[1] ?? '').toLowerCase()) === first;
}

function findLead(
  typed: string,
  first: string,
  { isLead, isOrder }: { isLead: (stem: string) => boolean; isOrder: boolean },
): ReadonlySet<string> | null {
  const leadStems = new Set([first, ...synonymsOf(first).keys()]);
  if ([...leadStems].some(isLead)) return leadStems;
  if (isOrder) return new Set([...leadStems, ...WRITING_VERBS]);
  return WISH.test(typed) ? new Set(WRITING_VERBS) : null;
}

/** Each stem once. */
function toStems(typed: string, isKnown: (stem: string) => boolean): string[] {
  const joined = toJoinedPairs(typed).map(toSharedStem).filter(isKnown);
  const stems = [...new Set([...toWords(typed).slice(0, MAX_TYPED_WORDS).map(toSharedStem), ...joined])];
  return stems.filter((stem, at) => at === 0 || !NEWNESS.has(stem));
}

function toStemSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').map(toSharedStem));
}

/** Stems of words with a capital letter inside a sentence: names of companies, people and lists. */
function namesIn(typed: string): ReadonlySet<string> {
  const words = [...typed.matchAll(/[\p{L}\p{N}'’-]+/gu)];
  const lower = words.filter(([word]) => /^\p{Ll}/u.test(word)).length;
  if (lower < words.length / 2) return NO_WORDS;
  const inside = words.filter(
    ({ 0: word, index }) => /^\p{Lu}\p{Ll}/u.test(word) && index > 0 && !/[.?!:]\s*$/.test(typed.slice(0, index)),
  );
  return new Set(inside.flatMap(([word]) => toWords(word).map(toSharedStem)));
}

const URL_VALUE = /\bhttps?:\/\/\S+/gi;
const EMAIL_VALUE = /[^\s@<>"]+@[^\s@<>"]+\.\p{L}{2,}/gu;
const FILE_VALUE =
  /(?<![p{L}p{N}])(?:[\w.-]+\/)*[\w-]+\.(?:md|txt|ya?ml|json|js|ts|py|go|rs|java|rb|c|h|cpp|cs|php|sh|toml|ini|cfg|csv|xlsx?|docx?|pdf|html?|xml|sql|png|jpe?g)\b/gi;
const OTHER_VALUES: readonly RegExp[] = [
  /"[^"]+"|“[^”]+”|«[^»]+»/g,
  /\bv\d+(?:\.\d+)*\b/gi,
  /(?<![\p{L}\p{N}])[$€£#]?\d[\d.,:/-]*%?(?![\p{L}\p{N}])/gu,
];
const MONTH_WITH_NUMBER =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,4}(?:st|nd|rd|th)?\b|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/gi;
const PADDING =
  /\b(?:right now|for now|now|already|yet|still|really|actually|currently|thanks|thank you|hey|hi|hello|kindly|whats|whos|hows|wheres|im|called|named)\b/gi;

/**
 * The request without its values: an address becomes the word `url` or `email`. Unchanged if nothing else was typed.
 */
function withoutValues(typed: string): string {
  const kinds = typed
    .replaceAll(URL_VALUE, ' url ')
    .replaceAll(EMAIL_VALUE, ' email ')
    .replaceAll(FILE_VALUE, ' file ');
  const remainingText = [MONTH_WITH_NUMBER, ...OTHER_VALUES, PADDING].reduce(
    (text, value) => text.replaceAll(value, ' '),
    kinds,
  );
  return /\p{L}/u.test(remainingText) ? remainingText : typed;
}
