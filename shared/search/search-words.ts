/** Creates the words by which a tool is found, from its texts and the synonyms of its service. */

import { toStem, toWords } from './words.ts';

/** Words of one tool, separated by spaces, by field. */
export interface SearchWords {
  readonly name: string;
  readonly title: string;
  /** Of the first sentence that adds to the title. */
  readonly summary: string;
  /** Of the rest of the description. */
  readonly details: string;
  /** Names of arguments, and their listed values. */
  readonly arguments: string;
  /** Other words that people use for these things. */
  readonly synonyms: string;
  readonly service: string;
}

/** The searchable parts of a tool. */
interface SearchedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The searchable parts of a service. */
interface SearchedService {
  readonly name: string;
  readonly title: string;
  /** Synonyms for words in the name or the title of a tool. */
  readonly synonyms?: Readonly<Record<string, readonly string[]>>;
}

/** Later words of a description tell less and less about the purpose of a tool. */
const MAX_DETAILS = 60;
/** For one argument. Longer lists are of countries and currencies. */
const MAX_VALUES = 8;
/** Markup, addresses, and names of other tools: the tool would be found by them. */
const NO_WORDS = /<[^>]*>|https?:\S+|\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g;
const FIRST_SENTENCE = /^\s*\S[\s\S]*?(?<!\b(?:e\.g|i\.e))[.!?\n](?=\s|$)/;

/**
 * The words of a tool.
 *
 * @param wordCache The words of texts seen before, to which this adds: thousands of tools have the same argument names.
 */
export function toSearchWords(
  tool: SearchedTool,
  service: SearchedService,
  wordCache = new Map<string, readonly string[]>(),
): SearchWords {
  const wordsOf = (text: string): readonly string[] => {
    const words = wordCache.get(text) ?? toWords(text);
    wordCache.set(text, words);
    return words;
  };
  const name = unique(wordsOf(tool.name));
  const title = unique(wordsOf(tool.title));
  const [first, rest] = cutFirstSentence(tool.description.replaceAll(NO_WORDS, ' '), tool.title, wordsOf);
  const summary = unique(wordsOf(first));
  const details = unique(wordsOf(rest)).filter((word) => !summary.includes(word));
  const indexedTexts = [name, title].map((words) => ` ${words.map(toStem).join(' ')} `);
  const isInTool = (words: string) => {
    const stems = ` ${wordsOf(words).map(toStem).join(' ')} `;
    return indexedTexts.some((text) => text.includes(stems));
  };
  const synonyms = Object.entries(service.synonyms ?? {}).flatMap(([word, others]) => (isInTool(word) ? others : []));
  return {
    name: name.join(' '),
    title: title.join(' '),
    summary: summary.join(' '),
    details: details.slice(0, MAX_DETAILS).join(' '),
    arguments: unique(argumentTexts(tool.inputSchema).flatMap(wordsOf)).join(' '),
    synonyms: unique(synonyms.flatMap(wordsOf)).join(' '),
    service: unique(wordsOf(`${service.name} ${service.title}`)).join(' '),
  };
}

function argumentTexts({ properties }: SearchedTool['inputSchema']): string[] {
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) => {
    if (!isObject(schema)) return [name];
    const values = schema.enum ?? (isObject(schema.items) ? schema.items.enum : undefined);
    const texts = Array.isArray(values) ? values.filter((value): value is string => typeof value === 'string') : [];
    return [name, ...texts.slice(0, MAX_VALUES)];
  });
}

/** If the first sentence only repeats the title, takes the second. */
function cutFirstSentence(
  text: string,
  title: string,
  wordsOf: (text: string) => readonly string[],
): [first: string, rest: string] {
  const [first] = FIRST_SENTENCE.exec(text) ?? [text];
  const rest = text.slice(first.length);
  const isTitle = wordsOf(first).join(' ') === wordsOf(title).join(' ');
  return isTitle && rest.trim() !== '' ? cutFirstSentence(rest, '', wordsOf) : [first, rest];
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
