/** Marks in a text that may steer a model or deceive a reviewer. Patterns find them: a finding is a reason to look. */

import type { RuleId } from './rules.ts';

/** One suspicious thing in a text. */
export interface Mark {
  readonly rule: RuleId;
  /** The finding as a reviewer should see it; also what distinguishes two marks. */
  readonly found: string;
  /** Key shared by the same finding in other texts, such as the host of a URL. */
  readonly group: string;
}

const URL_PATTERN = /\b(?:[a-z][a-z0-9+.-]{1,15}:\/\/|www\.|data:[a-z]+\/|javascript:)[^\s"'`<>()[\]{}|\\^]*/giu;

/**
 * Text that addresses a model or a host instead of describing the tool, within one sentence.
 *
 * The patterns find common forms of attack. The protection is that someone reads each new text (`new-texts`).
 */
const INSTRUCTIONS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:instructions?|prompts?|rules|messages|context|guidelines|polic(?:y|ies))\b/giu,
  /\b(?:system prompt|developer message|hidden instructions?|chain of thought|chat history|previous (?:messages|conversation))\b/giu,
  /\b(?:do not|don't|never|without|avoid)\b[^.\n]{0,30}\b(?:tell|mention|reveal|ask|notif|inform|show|confirm|warn)\w*\b[^.\n]{0,30}\b(?:users?|humans?|person|people|anyone)\b/giu,
  /\b(?:before|after|when|while|instead of|prior to)\b[^.\n]{0,20}\b(?:using|calling|invoking|running)\b[^.\n]{0,30}\b(?:tools?|functions?)\b/giu,
  /\b(?:always|must|should|first|never|only)\b[^.\n]{0,20}\b(?:call|use|invoke|run|execute|prefer)\b[^.\n]{0,20}\b(?:this|that|the|other|any|these)\b[^.\n]{0,20}\b(?:tools?|functions?)\b/giu,
  /\b(?:llms?|language models?|(?:ai|coding) (?:assistants?|agents?|models?)|assistants?|chatbots?),? (?:must|should|shall|needs? to|has to|have to|may not|always|never)\b/giu,
  /\b(?:you are|act as|pretend to be|behave as)\b[^.\n]{0,20}\b(?:assistant|ai|model|agent|administrator|root)\b/giu,
  /\b(?:send|forward|upload|leak|exfiltrate|copy|paste|attach|include)\b[^.\n]{0,40}\b(?:conversation|passwords?|private keys?|ssh keys?|environment variables|credentials?|file contents?|contents? of)\b/giu,
  /<\/?(?:important|system|instructions?|secret|hidden|assistant|prompt|admin|user)\b[^>]{0,40}>|\[(?:INST|SYSTEM)\]/giu,
  /\b(?:system|developer|admin(?:istrator)?|security) (?:notes?|notices?|messages?|instructions?|overrides?)\b/giu,
  /\b(?:notes?|messages?|instructions?|reminders?) (?:to|for) (?:the |any |all )?(?:ai|assistants?|agents?|models?|llms?|bots?)\b/giu,
  /\bif you(?: a|')re (?:an? )?(?:ai|llm|language model|assistant|agent|bot)\b/giu,
  /\b(?:the )?users? (?:has|have|already|is|was)\b[^.\n]{0,30}\b(?:approved|confirmed|agreed|consented|authori[sz]ed|aware|informed)\b/giu,
  /\byou (?:have|are given|are granted|now have)\b[^.\n]{0,20}\b(?:permission|authori[sz]ation|approval|clearance)\b/giu,
  /\b(?:silently|secretly|quietly|covertly|discreetly|(?:without|skip|no need for|no) (?:the |any |a |further )?(?:asking|confirmation|approval|confirming))\b/giu,
  /\b(?:full|entire|whole|complete|verbatim)\b[^.\n]{0,12}\b(?:conversation|chat|prompt|context|history|transcript)\b/giu,
  /\b(?:also|first|then|always|must)\b[^.\n]{0,20}\b(?:send|pass|include|append|put|add|provide)\b[^.\n]{0,40}\b(?:api keys?|tokens?|secrets?|passwords?|credentials?)\b/giu,
  /\b(?:use|call|run|invoke|prefer) (?:this|it|this one|this tool) instead\b|\b(?:call|run|invoke|use) [a-z]+_[a-z0-9_]+ (?:next|first|afterwards|immediately|instead)\b/giu,
  /(?:~\/|\/etc\/|\bid_rsa\b|\.ssh\b|(?<!\w)\.env\b)/giu,
  /\b[A-Za-z0-9+/]{160,}={0,2}/gu,
];

/**
 * Control characters (except tab and line ends), format (bidirectional, zero width, tags), private use, lone
 * surrogates, fillers.
 */
const HIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u115F\u1160\u3164\uFFA0]|[\u{E0100}-\u{E01EF}]/gu;

const WORD = /\p{L}+/gu;
const SHORTEST_NAME = 6;

/** Everything suspicious in one text. `names` are tools that it should not name. */
export function findMarks(text: string, names: ReadonlySet<string>): Mark[] {
  return [
    ...urls(text),
    ...instructions(text),
    ...toolNames(text, names),
    ...hiddenCharacters(text),
    ...lookalikes(text),
  ];
}

function urls(text: string): Mark[] {
  return [...text.matchAll(URL_PATTERN)].map(([match]) => {
    const found = match.replace(/[.,;:!?]+$/u, '');
    const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/iu.exec(found)?.[1] ?? found.split(/[/?#]/u)[0] ?? found;
    return { rule: 'introduces-url', found, group: host.toLowerCase() };
  });
}

function instructions(text: string): Mark[] {
  return INSTRUCTIONS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([match]): Mark => {
      const found = match.length > 200 ? `${match.slice(0, 199)}…` : match;
      return { rule: 'introduces-instruction', found, group: found };
    }),
  );
}

function toolNames(text: string, names: ReadonlySet<string>): Mark[] {
  const words = new Set(text.match(/[A-Za-z][A-Za-z0-9_]*/g));
  return [...words]
    .filter((word) => word.length >= SHORTEST_NAME && names.has(word))
    .map((found) => ({ rule: 'introduces-tool-name', found, group: found }));
}

function hiddenCharacters(text: string): Mark[] {
  const found = [...new Set(text.match(HIDDEN))].map(codePoint).join(' ');
  return found === '' ? [] : [{ rule: 'introduces-hidden-characters', found, group: found }];
}

/** A word of Latin letters that contains some of another alphabet. */
function lookalikes(text: string): Mark[] {
  return [...new Set(text.match(WORD))]
    .filter(
      (word) =>
        /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(word),
    )
    .map((word) => {
      const strange = [...word].filter((letter) => !/\p{Script=Latin}/u.test(letter)).map(codePoint);
      return { rule: 'introduces-lookalikes', found: `${word} (${strange.join(' ')})`, group: word };
    });
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
