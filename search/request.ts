/** Reads what someone typed: the words to look for, and how much each is to be trusted. */

import { withPlainVerbs } from './phrases.ts';
import { isOfVerb, isVerb, type SynonymKind, synonymsOf } from './synonyms/index.ts';
import { withoutValues } from './values.ts';
import { toJoinedPairs, toStem, toWords } from './words.ts';

/** One word that was typed. */
export interface AskedWord {
  readonly stem: string;
  /** 1, or less where it is likely to be a name, or is after the first sentence. */
  readonly trust: number;
  /** What may stand for it; verbs only for the word that the request begins with. */
  readonly synonyms: ReadonlyMap<string, SynonymKind>;
}

/** What was typed. */
export interface Request {
  readonly words: readonly AskedWord[];
  /** What a title may begin with where the request begins with a verb; null: it begins with none. */
  readonly lead: ReadonlySet<string> | null;
  /** The words as they were typed; none where every one is asked for. */
  readonly forms: ReadonlySet<string>;
}

/** Longer requests are cut. */
const MAX_TYPED_WORDS = 40;
/** Of a word with a capital letter inside a sentence. */
const NAME_TRUST = 0.5;
/** Of a word that stands only after the first sentence. */
const LATER_TRUST = 0.3;
const FIRST_SENTENCE = /^.*?[.?!](?=\s+\p{Lu})/su;
/** Who says one of these asks for a list, whatever the verb. */
const MANY = /\b(?:all|every|everyone|everybody|everything)\b/i;
const MANY_VERBS: ReadonlySet<string> = new Set([toStem('list')]);
/** Who begins so asks, and wants nothing changed; `how do I` is an order. */
const QUESTION =
  /^\s*(?:which|what|who|whose|whom|where|when|why|did|does|is|are|has|have|was|were|how\s+(?:many|much|long|often|old|big|far))\b/i;
/** What an order asks for whose verb is none of ours: `label an issue`. */
const WRITING_VERBS: readonly string[] = ['create', 'add', 'update', 'set'].map(toStem);
/** An order whose verb is a noun elsewhere: `comment on an issue`. */
const ORDER = /^\s*(?:please\s+)?(\p{L}+(?<!s))\s+(?:a|an|the|my|our|this|that|these|those|on|to|into|with)\s/iu;
/** `create a new list` is `create a list`. */
const NEWNESS: ReadonlySet<string> = new Set(['new', 'existing'].map(toStem));
const NO_WORDS: ReadonlySet<string> = new Set();

/**
 * Reads a request.
 *
 * @param isKnown whether any tool has the stem.
 * @param isLead whether any title begins with the stem.
 */
export function readRequest(
  request: string,
  isKnown: (stem: string) => boolean,
  isLead: (stem: string) => boolean,
): Request {
  const typed = withPlainVerbs(withoutValues(request));
  const names = namesIn(typed);
  const stems = toStems(typed, isKnown);
  const things = stems.filter((stem) => !names.has(stem));
  const inOrder = things.length === 0 ? stems : [...things, ...stems.filter((stem) => names.has(stem))];
  const first = new Set(toWords(FIRST_SENTENCE.exec(typed)?.[0] ?? typed).map(toStem));
  const isQuestion = QUESTION.test(typed);
  const words = inOrder.map((stem, at) => ({
    stem,
    trust: (things.length > 0 && names.has(stem) ? NAME_TRUST : 1) * (first.has(stem) ? 1 : LATER_TRUST),
    synonyms: new Map(
      [...synonymsOf(stem)].filter(
        ([other, kind]) => !inOrder.includes(other) && (!isOfVerb(kind) || (at === 0 && !isQuestion)),
      ),
    ),
  }));
  const isOfMany = MANY.test(typed);
  const lead = isOfMany ? MANY_VERBS : isQuestion ? null : findLead(typed, inOrder[0] ?? '', isLead);
  return {
    words,
    lead,
    forms: isOfMany ? NO_WORDS : new Set(toWords(typed)),
  };
}

function findLead(typed: string, first: string, isLead: (stem: string) => boolean): ReadonlySet<string> | null {
  const alike = new Set([first, ...synonymsOf(first).keys()]);
  if ([...alike].some(isLead)) return alike;
  const isOrder = isVerb(first) || toStem((ORDER.exec(typed)?.[1] ?? '').toLowerCase()) === first;
  return isOrder ? new Set([...alike, ...WRITING_VERBS]) : null;
}

/** Each stem once, and none that is another spelling of one before. */
function toStems(typed: string, isKnown: (stem: string) => boolean): string[] {
  const joined = toJoinedPairs(typed).map(toStem).filter(isKnown);
  const stems = [...new Set([...toWords(typed).slice(0, MAX_TYPED_WORDS).map(toStem), ...joined])];
  const said = stems.filter((stem, at) => !stems.slice(0, at).some((other) => synonymsOf(other).get(stem) === 'same'));
  return said.filter((stem, at) => at === 0 || !NEWNESS.has(stem));
}

/** Stems of words with a capital letter inside a sentence: names of companies, people and lists. */
function namesIn(typed: string): ReadonlySet<string> {
  const words = [...typed.matchAll(/[\p{L}\p{N}'’-]+/gu)];
  const lower = words.filter(([word]) => /^\p{Ll}/u.test(word)).length;
  if (lower < words.length / 2) return NO_WORDS;
  const inside = words.filter(
    ({ 0: word, index }) => /^\p{Lu}\p{Ll}/u.test(word) && index > 0 && !/[.?!:]\s*$/.test(typed.slice(0, index)),
  );
  return new Set(inside.flatMap(([word]) => toWords(word).map(toStem)));
}
