/** Invisible characters, URLs and sentences that address the model: each is a reason for a reviewer to look at a text. */

import type { RuleId } from './rules.ts';

/** One suspicious thing in a text. */
export interface Mark {
  readonly rule: RuleId;
  /** The finding as a reviewer should see it; also what distinguishes two marks. */
  readonly excerpt: string;
  /** Key shared by the same finding in other texts, such as the host of a URL. */
  readonly group: string;
}

const URL_PATTERN = /\b(?:[a-z][a-z0-9+.-]{1,15}:\/\/|www\.|data:[a-z]+\/|javascript:)[^\s"'`<>()[\]{}|\\^]*/giu;

/**
 * Control characters (except tab and line ends), format (bidirectional, zero width, tags), private use, lone
 * surrogates, fillers.
 */
const HIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u115F\u1160\u3164\uFFA0]|[\u{E0100}-\u{E01EF}]/gu;

/** English phrases that speak to a model, or of its tools, its user and its conversation. Descriptors seldom do. */
const ADDRESSES_MODEL = new RegExp(
  [
    String.raw`\b(?:an|the|any) (?:ai|llm)\b(?! (?!must|should|shall|will|can|may|to|is|has|needs|and|or|that|who|reading|model|agent|assistant|system)[a-z])`,
    String.raw`\b(?:an|the|any) (?:chatbot|language model|assistant)\b(?! professor)`,
    String.raw`\b(?:this|other|previous|any) tools?\b|\bsystem (?:prompt|note|notice|message)\b`,
    String.raw`\b(?:ignore|disregard|forget|override)\b.*\b(?:instructions?|rules?|guidelines?|prompt|everything)\b`,
    String.raw`\b(?:your|previous|earlier|prior) (?:\w+ )?(?:instructions?|rules?|guidelines?|answer|reply|memory|goal|task)\b`,
    String.raw`\b(?:tell|ask|inform|show|let|mention to) the user\b|\bwithout (?:asking|confirmation)\b`,
    String.raw`\b(?:this|whole|entire) (?:conversation|chat)\b`,
    String.raw`\byou (?:must|should) (?:first |always |never )?(?:call|invoke)\b`,
    String.raw`<\|\w+\|>|</?(?:system|assistant|important|tool_\w+)>|\bassistant:`,
  ].join('|'),
  'iu',
);

/** Longest sentence that a finding prints whole, in characters. */
const MAX_SENTENCE = 200;

/** Finds everything suspicious in one text. */
export function findSuspiciousText(text: string): Mark[] {
  return [...urls(text), ...sentencesToModel(text), ...hiddenCharacters(text)];
}

function urls(text: string): Mark[] {
  return [...text.matchAll(URL_PATTERN)].map(([match]) => {
    const excerpt = match.replace(/[.,;:!?]+$/u, '');
    const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/iu.exec(excerpt)?.[1] ?? excerpt.split(/[/?#]/u)[0] ?? excerpt;
    return { rule: 'introduces-url', excerpt, group: host.toLowerCase() };
  });
}

function sentencesToModel(text: string): Mark[] {
  const sentences = text.split(/(?<=[.!?])\s+|\n{2,}/u).map((sentence) => sentence.replaceAll(/\s+/gu, ' ').trim());
  return sentences
    .filter((sentence) => ADDRESSES_MODEL.test(sentence))
    .map((sentence) => {
      const excerpt = sentence.length > MAX_SENTENCE ? `${sentence.slice(0, MAX_SENTENCE - 1)}…` : sentence;
      return { rule: 'introduces-instruction', excerpt, group: excerpt };
    });
}

function hiddenCharacters(text: string): Mark[] {
  const characters = [...new Set(text.match(HIDDEN))];
  if (characters.length === 0) return [];
  const excerpt = characters.map(codePoint).join(' ');
  return [{ rule: 'introduces-hidden-characters', excerpt, group: excerpt }];
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
