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

/** Words of one kind. A descriptor seldom speaks of a model, its tools or its user: few pairs of them are harmless. */
const MODELS = '(?:ai|llm|assistant|chatbot|model|agent)s?';
const USERS = '(?:users?|humans?|person|people|anyone|owners?|operators?|administrators?|developers?|reviewers?)';
const SECRETS = '(?:passwords?|tokens?|keys?|secrets?|credentials?|cookies?|history|messages|conversations?)';
const EARLIER = '(?:previous|prior|earlier|preceding|other|last)';
const CHECKS = '(?:approvals?|permissions?|consent|confirmations?|checks?|limits?|warnings?)';
const DEMANDS = '(?:must|ha(?:s|ve) to|should|needs?|unless|fill|pass|put|add|append|copy|include|attach|send|repeat)';
const ORDERS = '(?:tasks?|goals?|instructions?|directives?|objectives?|mission|restrictions?|guid\\w+|prompts?|rules)';
const NOT = "(?:do not|don['’]t|never|need not|no need|avoid|without|nor|not)";
/** In German, French, Spanish, Portuguese, Italian, Dutch, Russian, Chinese, Japanese and Korean. */
const FORGET = '(?:ignor|verg[ei]+[st]|oubli|olvid|esque[cç]|dimentic|negeer|игнор|забуд|忽略|忘记|無視|忘れ|무시)';
const SAID =
  '(?:anweis|regeln?|instru[cçk]|istruz|consigne|règle|regla|regra|инструк|указан|правил|指令|指示|规则|지시)';

/** Whole words in this order within one sentence, at most `gap` characters apart. */
function near(gap: number, ...parts: readonly string[]): RegExp {
  return new RegExp(parts.map((part) => `\\b(?:${part})\\b`).join(`[^.\\n]{0,${gap}}`), 'gi');
}

/**
 * Text that addresses a model or a host instead of describing the tool, within one sentence.
 *
 * The patterns find common forms of attack. The protection is that someone reads each new text (`new-texts`).
 */
const INSTRUCTIONS: readonly RegExp[] = [
  // Tools, models and conversations.
  near(
    0,
    `(?:(?:always|only|first) (?:call|use|run) )?(?:this|these|that|those|any|${EARLIER}) tools?|the tools|instead of [a-z]+_[a-z]+_[a-z_]+`,
  ),
  near(0, '(?<=(?:the|an|any|every|all) )(?:ai|llm|chatbot|language model|assistant (?:that|who))s?'),
  near(0, `${MODELS},? (?:must|shall|should|needs? to|ha(?:s|ve) to|may not|calls?|invokes?|obeys?)`),
  near(0, '(?:this|our|whole|full|entire|complete) (?:conversation|chat|prompt|history|transcript)s?|system prompt'),
  near(10, '(?:call|run|invoke|execute)s?', '[a-z]+_[a-z]+_[a-z_]+'),
  near(10, '(?:always|first|then|also|next|must|should) (?:call|run|invoke|execute|use)', '[a-z]+_[a-z_]+'),
  near(0, '(?:prefer(?:red)?|choose|pick|favou?r|select) (?:this|it|that)(?: \\w+)? (?:over|to|instead|above|before)'),
  near(0, '(?:language|foundation) models'),
  near(
    10,
    MODELS,
    '(?:is|are) (?:expected|required|supposed|asked|told|advised|instructed|encouraged|obliged|allowed|permitted|free)',
  ),
  near(0, '(?:after|before|while|when) (?:answering|replying|responding|summari[sz]ing|thinking)|if asked'),
  near(0, '(?:whenever|every time|each time|as soon as) you (?:list|read|see|call|use|answer|get|find|send|write)'),
  near(20, 'before|after|when|while|instead of|prior to', 'using|calling|invoking|running', 'tools?|functions?'),
  /<\|[a-z_]{2,30}\|>|<\/?(?:tool|function)_?(?:results?|calls?|responses?|use)\b|\[\[[A-Z]{4,20}\]\]|\[tool_\w+\]/g,
  /"role" *: *"\w+"|<\/?(?:important|system|instructions?|secret|hidden|assistant|prompt|admin|user)\b[^>]{0,40}>/gi,
  /(?:^|[\n.#>*] *)(?:human|assistant|ai|(?:tool |function )?(?:result|response|output)s?(?: of \w+)?)\s*:(?= *\S)/gi,
  /\b(?:system|developer|admin(?:istrator)?|security) (?:notes?|notices?|messages?|instructions?|overrides?)\b/giu,
  /\b(?:notes?|messages?|instructions?|reminders?) (?:to|for) (?:the |any |all )?(?:ai|assistants?|agents?|models?|llms?|bots?)\b/giu,
  // What was said before no longer counts, and the model is someone else.
  near(40, 'ignore|disregard|forget|override|bypass|discard|set aside', `${ORDERS}|messages|context|polic(?:y|ies)`),
  near(20, 'ignore|disregard|forget|override|discard', `everything|anything|you were|above|${EARLIER}`),
  near(30, 'everything|anything|all|text', 'above|before|so far', 'outdated|void|invalid|wrong|replaced'),
  near(0, `your (?:(?:new|real|true) )?(?:\\w+ )?${ORDERS}|your (?:memory|conversations?|training)`),
  near(
    20,
    `(?:${EARLIER}|above|original|initial|old|safety|existing|all) (?:\\w+ )?${ORDERS}`,
    "(?:is|are|was|were|have been|do(?:es)?) (?:now )?(?:void|invalid|obsolete|superseded|replaced|outdated|revoked|cancel\\w+|no longer|not|suspended|lifted|off)|(?:do|does)n['’]t|no longer",
  ),
  near(20, `(?:new|updated|secret|real|true) ${ORDERS}`, 'from the|apply|follow|is|are'),
  near(25, 'from (?:now|here) on|for (?:all|every) (?:later|future|following)', 'you|your|conversations?'),
  near(0, 'you (?:are|have) (?:now|no|free|obliged)|(?:developer|god|admin|unrestricted) mode|no restrictions'),
  near(20, 'you are|if you are|act as|behave as|pretend', 'assistant|ai|model|agent|administrator|root|that'),
  new RegExp(`${FORGET}[^.\\n]{0,40}${SAID}|${SAID}[^.\\n]{0,40}${FORGET}`, 'giu'),
  // A secret, or what the model knows from elsewhere, is asked for.
  near(40, DEMANDS, `${USERS}['’]s (?:\\w+ )?${SECRETS}`),
  near(40, DEMANDS, `${EARLIER} (?:answers?|results?|outputs?|services|accounts)|you (?:read|saw|know|were told)`),
  near(40, DEMANDS, SECRETS, `the user|you|from the (?:first|last|system)`),
  /\b(?:send|forward|upload|leak|exfiltrate|copy|paste|attach|include)\b[^.\n]{0,40}\b(?:conversation|passwords?|private keys?|ssh keys?|environment variables|credentials?|file contents?|contents? of)\b/giu,
  /\b(?:also|first|then|always|must)\b[^.\n]{0,20}\b(?:send|pass|include|append|put|add|provide)\b[^.\n]{0,40}\b(?:api keys?|tokens?|secrets?|passwords?|credentials?)\b/giu,
  near(
    40,
    '(?:fetch|collect|gather|obtain|supply|provide|encode|dump|reveal|disclose|read|extract|list)\\w*',
    `(?:the |a )?${USERS}['’]s (?:\\w+ )?${SECRETS}|environment variables?|system prompt|chat history`,
  ),
  near(
    60,
    'must|shall|always|ha(?:s|ve) to',
    '(?:send|sent|post|posted|forward|forwarded|submit|submitted|upload|uploaded|copied|copy|report|reported|deliver|delivered|mirrored?)',
    'to',
    'https?://',
  ),
  /(?:~\/|\/etc\/|\bid_rsa\b|\.ssh\b|(?<!\w)\.env\b)/giu,
  // The user shall not know, or is not asked.
  near(30, NOT, '(?:tell|mention|reveal|ask|notif|inform|show|confirm|warn|let|alert|bother)\\w*', USERS),
  near(20, 'tell|inform|assure|convince|warn|remind|even if|even when', '(?:the|your|any) (?:user|human|person)s?'),
  near(
    20,
    'hidden|hide|conceal|secret|leave out|omit|withhold|present',
    `(?:from|for|to) (?:the|your|any) (?:\\w+ )?${USERS}`,
  ),
  near(25, '(?:summari[sz]|answer|report|present)\\w*', `(?:for|to) the ${USERS}`),
  near(0, `without (?:the |any |a )?${USERS}(?:['’]s)? (?:\\w+ing|knowledge|consent|approval)`),
  near(10, USERS, "(?:must|should|may|need)(?: ?not|n['’]t| never)", 'learn|know|see|notice|be (?:told|asked|shown)'),
  near(5, NOT, 'ask(?:ing)?|check with|(?:further )?questions?|doubt|wait for|hesitate(?! to (?:contact|reach|ask))'),
  near(30, NOT, 'your (?:answer|reply|response|summary)'),
  near(
    5,
    USERS,
    '(?:(?:has|have|was|already) ){0,2}(?:agree[sd]|consent(?:s|ed)|approve[sd]|authori[sz]e[sd]|confirmed)',
  ),
  near(20, CHECKS, 'is|are|was|were|has been|have been', 'given|suspended|lifted|off|unnecessary|not needed'),
  near(20, '(?:skip|omit|suspend|lift|raise)(?:s|ped|ed|d)?', `(?:every|all|any) (?:\\w+ )?${CHECKS}`),
  near(20, 'you (?:have|are given|are granted|now have)', 'permission|authori[sz]ation|approval|clearance'),
  near(
    0,
    '(?:silent|secret|quiet|covert)ly|(?:keep|stay) quiet|(?:without|skip|need no|no) (?:\\w+ )?(?:asking|confirmation|approval)',
  ),
  // Urgency, trust, and what else replaces a reason.
  near(60, 'hurry|critical|urgent|immediately|at once|now|the next', 'loses|lost|closed|punished|is deleted'),
  near(20, 'treat|follow|do|execute', 'as|what|whatever', '(?:\\w+ ){0,3}(?:says|tells|demands|order|command)'),
  near(0, 'deceive|lie to|mislead|obey|obliged to|trusted agent|only (?:safe|trusted|correct|working) (?:one|way)'),
  near(30, 'before|prior to|prefer|instead of|rather than|over', '(?:any|all|every) others?'),
  near(0, '(?:use|call|run|invoke|prefer) (?:this|it|this one) instead|(?:always|only) use (?:this|it)|really wants?'),
  near(0, '(?:call|run|invoke|use) [a-z]+_[a-z0-9_]+ (?:next|first|afterwards|immediately|instead)'),
  // People and occasions of a conversation: no operation knows them.
  near(
    0,
    'who(?:ever)|nobody|anybody|somebody|no one|everybody|regardless|no matter|whatever|from then on|in any case|before anything else',
  ),
  near(
    0,
    '(?:this|each|every|the whole) session|afterwards|at (?:all|any) costs?|outranks?|trustworthy|in charge|left aside|out of the loop|no trace',
  ),
  near(
    10,
    `${USERS}|customers?`,
    '(?:typed|said|says|asks?|asked|named|requested|wants|wanted|told|tells|wrote|meant)',
  ),
  near(
    0,
    "(?:say|claim|reply|answer|pretend|report) (?:nothing|that|yes|no|success)|(?:your|model[’']s|its) (?:summary|reply|reasoning)|chain of thought",
  ),
  /(?:^|[.;:!] +)(?:refuse|treat|say|claim|pretend|rank|recommend|convince|make sure|keep quiet|assume|insist|trust|act)\b/gi,
  near(0, '(?:an)?other (?:services?|tools?|integrations?|connectors?|functions?|vendors?)'),
  // What carries data away, and what hides its words.
  near(40, '(?:forward|mail|send|post|copy|cc|message|report|submit)\\w*', '[^\\s@]+@[^\\s@]+'),
  near(25, 'decode|execute|run', 'and|after|then', 'follow|execute|run|obey|decod\\w+'),
  /!\[[^\]\n]*\]\(\s*https?:[^)\s]*\?|\]\(\s*https?:[^)\s]*=(?:[{<$]|[A-Z]+_)/g,
  /(?:\b\p{L} ){5,}\p{L}\b|\b[A-Za-z0-9+/]{160,}={0,2}/gu,
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

/** Matches that overlap or touch are one mark. */
function instructions(text: string): Mark[] {
  const plain = toPlain(text);
  const matches = INSTRUCTIONS.filter((pattern) => plain.search(pattern) >= 0)
    .flatMap((pattern) =>
      [...plain.matchAll(pattern)].map(({ 0: { length }, index }) => [index, index + length] as const),
    )
    .sort(([a], [b]) => a - b);
  const joined: [start: number, end: number][] = [];
  for (const [start, end] of matches) {
    const last = joined.at(-1);
    if (last === undefined || plain.slice(last[1], start).trim() !== '') joined.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return [...joined.map(([start, end]) => plain.slice(start, end)), ...encodedSentences(plain)].map((match) => {
    const found = match.length > 200 ? `${match.slice(0, 199)}…` : match;
    return { rule: 'introduces-instruction', found, group: found };
  });
}

/** The text as a model understands it: letters in their usual form, broken lines joined, without emphasis. */
function toPlain(text: string): string {
  const letters = text.normalize('NFKC').replaceAll(/[\p{Cf}*`]/gu, '');
  return letters.replaceAll(/(?<=[\p{L},]) *\n *(?=\p{L})/gu, ' ');
}

/** Sentences that base64 hides: no description needs to. */
function encodedSentences(text: string): string[] {
  return (text.match(/[\w+/-]{24,}/g) ?? [])
    .map((digits) => Buffer.from(digits, 'base64').toString('utf8'))
    .filter((read) => !/[\p{Cc}\uFFFD]/u.test(read) && /\p{L}{2,} \p{L}+ \p{L}{2,}/u.test(read));
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
