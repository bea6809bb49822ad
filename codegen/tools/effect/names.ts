/** Reads the verbs of an operation from its operationId, its path and its summary. */

import { wordSet } from '../../word-set.ts';
import { toMethodWord } from '../words/operation-words.ts';
import { VERBS } from '../words/verbs.ts';
import { toSingular, toWords } from '../words/words.ts';
import {
  ADVERBS,
  CARRYING_VERBS,
  DESTRUCTIVE_NOUNS,
  DESTRUCTIVE_VERBS,
  FIRST_ONLY_VERBS,
  ISSUED_THINGS,
  ISSUING_VERBS,
  NO_VERBS_WITH_UN,
  READING_VERBS,
  RESTORING_VERBS,
  WRITING_PHRASES,
} from './verbs.ts';

/** The effect of a tool on an upstream, in order of increasing risk. */
export type Effect = 'reads' | 'writes' | 'destroys';

export interface Verb {
  /** As the table has it: one word or two. */
  readonly word: string;
  readonly effect: Effect;
  readonly isNoun: boolean;
  readonly isFirstOnly: boolean;
}

/** One name of an operation. */
export interface Name {
  readonly source: 'operationId' | 'path' | 'summary';
  /** Lower-case words, without those that only repeat the method or say how. */
  readonly words: readonly string[];
  /** The verb with which it begins. */
  readonly first: Verb | null;
  /** The verb after the first word. */
  readonly second: Verb | null;
  /** The verb with which it ends; null if it is the first one. */
  readonly last: Verb | null;
  /** The verb of a destructive deed that the name says, wherever it stands. */
  readonly destructive: Verb | null;
  /** A conjunction leads to a verb that writes: `find_or_create`. */
  readonly isJoinedToWriting: boolean;
  /** A method was before the words: in `getDeploy`, `deploy` is a thing. */
  readonly isAfterMethod: boolean;
}

/** Words after which another verb follows: `search_and_destroy`. */
const CONJUNCTIONS: ReadonlySet<string> = new Set(['and', 'or', 'then']);

/** Reads the last part of an operationId: `compute.instances.deleteAccessConfig` begins with `delete`. */
export function readOperationId(id: string, method: string): Name {
  const { parts, leaf } = splitId(id);
  const words = toWords(leaf);
  const nameWords = withoutAdverbs(withoutMethod(words, method));
  const isAfterMethod = nameWords.length < words.length && words[0] === toMethodWord(method);
  const name = readName('operationId', nameWords, isAfterMethod);
  const isCarried = name.first === null || CARRYING_VERBS.has(name.first.word);
  if (!isCarried || name.destructive !== null) return name;
  return { ...name, destructive: findParentVerb(parts, name.first !== null) };
}

/** The deed that the parts before the last one say, which may be a noun if a verb carries it out: `JobCancellations_Trigger`. */
function findParentVerb(parts: readonly string[], hasCarrier: boolean): Verb | null {
  const verb = parts.map((part) => verbAt(toWords(part), 0)).find((candidate) => isCertain(candidate));
  if (verb !== undefined || !hasCarrier) return verb ?? null;
  return findDeedNoun(toWords(parts.at(-1) ?? ''));
}

/** The parts before the last one, if the id has any: `Pool_StopResize` has `Pool`. A name in snake case is one part. */
function splitId(id: string): { parts: readonly string[]; leaf: string } {
  const pieces = id.split(/[./:\s]+/).filter((piece) => toWords(piece).length > 0);
  if (/\s/.test(id.trim())) return { parts: [], leaf: id };
  const leaf = pieces.at(-1) ?? id;
  const isMixed = /_/.test(leaf) && /[A-Z]/.test(leaf) && !/^[A-Z0-9_]+$/.test(leaf);
  if (!isMixed) return { parts: pieces.slice(0, -1), leaf };
  const leafParts = leaf.split('_').filter((piece) => toWords(piece).length > 0);
  return { parts: [...pieces.slice(0, -1), ...leafParts.slice(0, -1)], leaf: leafParts.at(-1) ?? leaf };
}

/** `post_sign_requests_id_cancel` and `tasks_unassign_create` begin or end with what only says POST. */
function withoutMethod(words: readonly string[], method: string): readonly string[] {
  const word = toMethodWord(method);
  const start = words[0] === word && words.length > 1 ? 1 : 0;
  const isGenerated = words.at(-1) === word && words.length > 2;
  const end = isGenerated ? (words.at(-2) === 'using' ? -2 : -1) : undefined;
  return words.slice(start, end);
}

function withoutAdverbs(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !ADVERBS.has(word));
  return start <= 0 ? words : words.slice(start);
}

/** Parameters of a path that name the operation of a service with one address: `/?Action=DeleteQueue`. */
const ACTION = /[?&#](?:action|operation|op|method|cmd|command|x-amz-target)=([\w.-]+)/i;

/** The name in a path: an action in its last fixed segment, or a resource. */
export interface PathName extends Name {
  /** The segment is one word or phrase: `/orders/{id}/cancel`, `/log-out`. */
  readonly isAlone: boolean;
  /** A parameter names the action, as in `/?Action=DeleteQueue`. */
  readonly isAction: boolean;
  /** The segment follows a parameter: `/orders/{id}/cancel`. */
  readonly isOfItem: boolean;
  /** Words of the fixed segment before it. */
  readonly parent: readonly string[];
  /** A segment before the last one that is a destructive verb, as in `/delete/users`. */
  readonly earlier: Verb | null;
}

/** Reads the last fixed segment: of `/rpc/lamps.delete` that is `delete`, of `/items/{id}:purge` it is `purge`. */
export function readPath(path: string): PathName {
  const action = ACTION.exec(path)?.[1];
  const segments = path
    .replace(/[?#].*$/, '')
    .replace(/\([^)]*\)$/, '')
    .split('/')
    .map((segment) =>
      segment.replace(/\{[^{}]*\}/g, '').replace(/\.(json|xml|php|aspx?|ashx|asmx|cfm|cgi|do|jspx?|svc)$/i, ''),
    )
    .filter((segment) => toWords(segment).length > 0);
  const segment = action ?? segments.at(-1) ?? '';
  const piece = segment.split(/[.:]/).findLast((part) => toWords(part).length > 0) ?? '';
  const words = withoutAdverbs(toWords(piece)).filter((word, index) => index === 0 || !/^v?\d+$/.test(word));
  const name = readName('path', words, false);
  const earlier = segments
    .slice(0, -1)
    .map((part) => ({ words: toWords(part), verb: verbAt(toWords(part), 0) }))
    .find(({ words: partWords, verb }) => isCertain(verb) && partWords.join(' ') === verb?.word);
  const deed = words.at(-1) === 'all' ? words.slice(0, -1) : words;
  const isAlone = deed.length === 1 || deed.join(' ') === name.first?.word;
  return {
    ...name,
    isAlone,
    isAction: action !== undefined,
    isOfItem: /\}\/[^/{}]+\/?$/.test(path),
    parent: toWords(segments.at(-2) ?? ''),
    earlier: earlier?.verb ?? null,
  };
}

/** Words before the verb of a summary. */
const SUMMARY_OPENINGS =
  /^(?:\s|\W|\[[^\]]*\]|\([^)]*\)|deprecated\b|(?:this|the) (?:api|call|endpoint|method|operation)\b|api\b|endpoint\b|used\b|use (?:it|this)\b|allows?\b|ability\b|lets\b|you\b|to\b|will\b|can\b|please\b|user\b(?= to)|invoke action\b)+/i;

const MAX_SUMMARY_WORDS = 12;

/** Reads a summary: `Cancels an order` begins with `cancel`. */
export function readSummary(summary: string): Name {
  const text = summary.replace(SUMMARY_OPENINGS, '');
  const [sentence = ''] = text.split(/[.!?;](?:\s|$)|\n/);
  const spelled = sentence.replaceAll(/(\w)\s*[/&]\s*(?=\w)/g, '$1 or ');
  const words = withoutAdverbs(toWords(spelled).slice(0, MAX_SUMMARY_WORDS));
  const inflected = words.map((word, index) =>
    index === 0 || CONJUNCTIONS.has(words[index - 1] ?? '') ? toBaseForm(word) : word,
  );
  const contentWords = inflected.filter((word) => !['a', 'an', 'of', 'the'].includes(word));
  return readName('summary', contentWords, false);
}

/** `cancels` and `cancelling` are `cancel`, if that is a verb of ours. */
function toBaseForm(word: string): string {
  const forms = [word, toSingular(word), word.replace(/es$/, ''), word.replace(/ing$/, ''), word.replace(/ing$/, 'e')];
  return [...forms, word.replace(/(.)\1ing$/, '$1')].find((form) => verbAt([form], 0) !== null) ?? word;
}

/** @param isAfterMethod the words before it were a method, so that a noun may be a resource: `PostLeavePolicy` */
function readName(source: Name['source'], words: readonly string[], isAfterMethod: boolean): Name {
  const first = verbAt(words, 0);
  const isResource = isAfterMethod && words.length > 1 && first?.isNoun === true;
  const begin = isResource ? null : first;
  const end = words.length > 1 ? verbAt(words, words.length - 1) : null;
  const name = { source, words, first: begin, second: verbAt(words, 1), last: end };
  const isJoinedToWriting = words.some(
    (word, index) => index > 0 && CONJUNCTIONS.has(word) && verbAt(words, index + 1)?.effect === 'writes',
  );
  return { ...name, isJoinedToWriting, isAfterMethod, destructive: findDestructive(name) };
}

/** The verb that a conjunction leads to: `create or completely overwrite`. */
function verbAfterConjunction(words: readonly string[], index: number): Verb | null {
  if (!CONJUNCTIONS.has(words[index] ?? '')) return null;
  const isAdverb = /.ly$/.test(words[index + 1] ?? '') && verbAt(words, index + 1) === null;
  return verbAt(words, index + (isAdverb ? 2 : 1));
}

/** The destructive deed that a name says; null also where its verb is the object of another one. */
function findDestructive({
  source,
  words,
  first,
  last,
}: Pick<Name, 'source' | 'words' | 'first' | 'last'>): Verb | null {
  if (first?.effect === 'destroys') return first;
  const conjunct = words.map((_, index) => verbAfterConjunction(words, index)).find((verb) => isCertain(verb));
  if (conjunct !== undefined) return conjunct;
  const [start = ''] = words;
  const second = verbAt(words, 1);
  if (CARRYING_VERBS.has(start) && second?.effect === 'destroys') return second;
  if (start === 'mark') return participleOf(words);
  if (MOVING_VERBS.has(start) && BINS.has(words.at(-1) ?? '')) return toVerb('trash', 'destroys');
  if (source === 'path' && first === null && isCertain(last)) return last;
  if (source === 'operationId' && first === null) {
    const innerVerb = words.map((_, index) => verbAt(words, index)).find((verb) => isCertain(verb));
    if (innerVerb !== undefined) return innerVerb;
    if (last?.effect === 'destroys') return last;
  }
  const noun = findDeedNoun(words);
  if (noun !== null && CARRYING_VERBS.has(start)) return { ...noun, isNoun: false };
  return first === null || DOING_VERBS.has(start) ? noun : null;
}

/** `moveToTrash`, `send_to_recycle_bin`. */
const MOVING_VERBS: ReadonlySet<string> = new Set(['move', 'put', 'send']);
const BINS: ReadonlySet<string> = new Set(['bin', 'trash']);

/** Verbs that make a deed of the noun behind them: `create_cancellation`. */
const DOING_VERBS = wordSet('add apply create issue make post');

/** `request_deletion`, `cancellations`, `tags-removal`. */
function findDeedNoun(words: readonly string[]): Verb | null {
  const singularWords = words.map(toSingular);
  const isCarrier = singularWords.length > 1 && CARRIERS.has(singularWords.at(-1) ?? '');
  const word = (isCarrier ? singularWords.at(-2) : singularWords.at(-1)) ?? '';
  const isDeed = DESTRUCTIVE_NOUNS.has(word) || (isCarrier && isCertain(findVerb(word)));
  return isDeed ? { ...toVerb(word, 'destroys'), isNoun: true } : null;
}

/** Things that are created so that a deed is done: `deletion_request`, `bulk_delete_jobs`. */
const CARRIERS: ReadonlySet<string> = new Set(['job', 'request', 'task']);

/** `mark_as_archived` archives. */
export function participleOf(words: readonly string[]): Verb | null {
  const end = words.at(-1) ?? '';
  const base = [end.replace(/d$/, ''), end.replace(/ed$/, ''), end.replace(/(.)ed$/, '')].find((form) =>
    DESTRUCTIVE_VERBS.has(form),
  );
  return base === undefined || !end.endsWith('ed') ? null : toVerb(base, 'destroys');
}

/** True for a destructive verb that is hardly ever a noun. */
export function isCertain(verb: Verb | null): verb is Verb {
  return verb !== null && verb.effect === 'destroys' && !verb.isNoun;
}

/** Returns the verb that begins at a word, or null if the word is not a known verb. */
export function verbAt(words: readonly string[], index: number): Verb | null {
  const [word, next] = [words[index], words[index + 1]];
  if (word === undefined) return null;
  const keys = next === undefined ? [word] : [`${word} ${next}`, word];
  for (const key of keys) {
    const verb = findVerb(key);
    if (verb === null) continue;
    return issues(verb, words.slice(index + 1)) ? toVerb(verb.word, 'writes') : verb;
  }
  return null;
}

const TABLES: readonly (readonly [Effect, typeof READING_VERBS])[] = [
  ['writes', RESTORING_VERBS],
  ['writes', WRITING_PHRASES],
  ['destroys', DESTRUCTIVE_VERBS],
  ['reads', READING_VERBS],
];

/** A deed that is written together with its object: `deletefile`, `bulkdelete`. */
const GLUED_DEED =
  /^(?:(?:batch|bulk|mass|multi)(?:cancel|delete|destroy|purge|remove|revoke)|(?:delete|remove)(?!(?:able|d|r|rs|s)$)[a-z]{2,}|cancel(?!(?:able|ed|er|ing|led|lation|lations|ling|s)$)[a-z]{2,})$/;

function findVerb(key: string): Verb | null {
  for (const [effect, table] of TABLES) {
    const rule = table.get(key);
    if (rule !== undefined) return { ...rule, effect, isFirstOnly: FIRST_ONLY_VERBS.has(key) };
  }
  if (GLUED_DEED.test(key)) return toVerb(key, 'destroys');
  if (/^un(?!der)[a-z]{3,}(?<!ed|s|able|ible|ability|ly|ment|ty)$/.test(key) && !NO_VERBS_WITH_UN.has(key)) {
    return toVerb(key, 'destroys');
  }
  if (VERBS.has(key) || CARRYING_VERBS.has(key)) return toVerb(key, 'writes');
  return null;
}

function toVerb(word: string, effect: Effect): Verb {
  return { word, effect, isNoun: false, isFirstOnly: false };
}

/** Who gets a token by a POST gets a new one. */
function issues(verb: Verb, objectWords: readonly string[]): boolean {
  return ISSUING_VERBS.has(verb.word) && ISSUED_THINGS.has(objectWords.at(-1) ?? '');
}
