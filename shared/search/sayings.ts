/** Replaces whole clauses with the plain words of tools: `how is the build doing` asks for its status. */

const QUESTION_WORDS = 'which|what|who|whose|whom|where|when|why|how|do|does|did|is|are|has|have|was|were';
const SECRETS = '(?:passwords?|secrets?|keys?|tokens?|credentials?)';
const CAPITALIZED = String.raw`\p{Lu}\p{Ll}+`;
const HANDLING = 'add put drop remove invite give take make let kick assign move ban block'.split(' ');
const inEitherCase = (word: string) => `[${word[0]?.toUpperCase()}${word[0]}]${word.slice(1)}`;

const ORDER_START = String.raw`^\s*(?:(?:please|can you|could you)\s+)?`;
const CONTENT = '(?:this|that|these|those|it|the\\s+following|what|how)';

/** Applied in this order, after `I` has become `my` and before verbs with particles. */
export const SAYINGS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:at most|no more than)\b/gi, 'limit'],
  [/\bhow\s+(?:many|much|big|large|long|often)\b(?=.*\b(?:may|can|allowed)\b)/gi, 'limit '],
  // `how much` with a cost is not a count.
  [/\bhow\s+much\b(?=.*\b(?:spen[dt]|spending|costs?|pay|paying|owe)\b)/gi, ' '],
  // Something that should no longer be is to be removed, unless someone asks for it.
  [
    new RegExp(
      String.raw`^(?!\s*(?:${QUESTION_WORDS}|list|show|get|find)\b)(.*)\b(?:(?:is|are|was|were)\s+)?` +
        String.raw`(?:no longer|(?:no|any) ?more|any longer)\b(?:\s+(?:needs?|wants?|uses?))?(.*)$`,
      'i',
    ),
    'discontinue $1 $2',
  ],
  [
    new RegExp(String.raw`^(?!\s*(?:${QUESTION_WORDS})\b)(.*?)\b(?:leaves|has\s+left|is\s+leaving)\b`, 'i'),
    'remove $1 ',
  ],
  [/\bun(protect|label|tag|invite|share|register|install|deploy|restrict)(?:s|ing)?\b/gi, 'remove $1'],
  [/\b(?:doesn['’]?t|does not|don['’]?t|do not)\s+apply\b/gi, 'bypass'],
  [/^\s*(?:please\s+)?let\s+(?!(?:me|us)\b)/i, 'allow '],
  // What someone dictates is a text to add, and its own words say nothing about the tool.
  [
    new RegExp(
      String.raw`${ORDER_START}(?:(?:remember|memori[sz]e|jot|scribble)\b(?!\s+(?:to|me|my)\b)|(?:note|write)\s+(?:${CONTENT}\s+)?down\b|` +
        String.raw`(?:make|take)\s+(?:a\s+)?notes?\b|note(?:\s+that\b|\s*:)|keep\s+in\s+mind\b|` +
        String.raw`(?:save|keep|store|record)\s+${CONTENT}(?=\s*(?:$|[.:]|for|so|in\s+mind|you|i|my)\b)).*$`,
      'is',
    ),
    'create document text',
  ],
  [
    /^\s*what\s+(?:do|does|did)\b(?=.*\bsay\s+about\b)|^\s*what\s+is\s+(?:written|mentioned)\s+about\b/i,
    'search text ',
  ],
  // `who` with `put`, `dropped` or `made` is a person.
  [
    new RegExp(
      String.raw`^\s*(?:[Pp]lease\s+)?((?:${HANDLING.map(inEitherCase).join('|')})\s+)` +
        String.raw`${CAPITALIZED}(?:\s+(?:and\s+)?${CAPITALIZED})*` +
        String.raw`(?=\s+(?:to|from|on|off|into|onto|in|out|as|an?|access|the|is|be)\b)`,
      'u',
    ),
    '$1person ',
  ],
  [/^\s*is\s+\p{Lu}[\w-]*\s+(?:in|on|part\s+of)\b/u, 'check member '],
  [/\bwhat\s+(?:can|may)\s+(.*?)\bdo\b/gi, 'permission $1'],
  [/\b(?:has|have)(?:n['’]?t|\s+not)\s+(?:\w+\s+)?(?:accepted|answered|joined|responded)\b/gi, 'pending invitation'],
  // How something is or went, and where it is, is a status, usage or location in the words of tools.
  [
    /\bhow\s+(?:is|are|was|were|did)\b(.*?)\b(?:do(?:ing)?|go(?:ing)?|com(?:e|ing)\s+along|get(?:ting)?\s+on)\b/gi,
    'status $1',
  ],
  [/\bhow\s+far\s+(?:along\s+)?(?:is|are)\b/gi, 'status'],
  [/^\s*did\b(.*?)\b(?:work|finish|succeed|go\s+through|get\s+through)\b/i, 'status $1'],
  [/\bhow\s+(?:much|often|many)\b(.*?)\bused\b/gi, 'usage $1'],
  [/\bbeen\s+up\s+to\b|\bgo(?:es|ing)?\s+on\b/gi, 'activity'],
  [/\bwhere\b(.*?)\bfound\b/gi, 'location $1 '],
  [/\bwhat(?:['’]s|\s+is)\s+(?:in|inside)\s+(?=(?:\w+\s+){0,2}(?:file|folder|directory)\b)/gi, 'content '],
  [/^\s*(?:all\s+)?(?:about|info(?:rmation)?\s+(?:on|about)|details?\s+(?:of|on|about))\b/i, 'get '],
  [
    /\bwhen\s+(?:was|were|did)\b(.*?)\b(?:(?:last|first)\s+)?(?:changed?|updated?|touch(?:ed)?|created?|modif(?:y|ied)|set|rotated?)\b/gi,
    'get $1',
  ],
  // A server that is notified of events has a webhook.
  [
    /(\b(?:urls?|servers?|endpoints?)\b.*)\bwhen(?:ever)?\b|\bwhen(?:ever)?\b(?=.*\b(?:urls?|servers?|endpoints?)\b)/gi,
    '$1 webhook ',
  ],
  [/\b(?=(?:events?|updates|notifications)\s+to\b.*\b(?:servers?|urls?|endpoints?)\b)/gi, 'webhook '],
  // To start a workflow is to dispatch it.
  [
    /^\s*(?:please\s+)?(?:run|start|trigger|launch|fire|kick\s+off)\s+((?:\w+\s+){0,3}?(?:workflow|pipeline)\b)(?!\s+run)/i,
    'dispatch $1',
  ],
  [
    new RegExp(
      String.raw`\b(?:exposed|leaked|leaking)\s+${SECRETS}\b|` +
        String.raw`\b${SECRETS}\b(.*?)\b(?:committed|pushed|exposed|leaked|checked\s+in)\b`,
      'gi',
    ),
    'leaked secret alert $1 ',
  ],
  [/\bbuild\s+(?:machine|server|box|computer|node)(s?)\b/gi, 'runner$1'],
  [/\bkeep(?:s|ing)?\s+an\s+eye\s+on\b/gi, 'watch'],
  [/\bkeep(?:s|ing)?\s+up\s+with\b/gi, 'follow'],
  [/\bkeep(?:s|ing)?\b(.*?)\baway\b/gi, 'block $1'],
  [/\b(?:lgtm|looks good to me)\b/gi, 'approve review'],
  [/\bby\s+hand\b/gi, 'manually'],
];
