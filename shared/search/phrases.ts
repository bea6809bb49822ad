/** Replaces phrases of several words with one verb: `turn the workflow off` is `disable the workflow`. */

import { SAYINGS } from './sayings.ts';

/** Verbs, the particles that follow within four words, and the plain verb for both. */
const PHRASES: readonly (readonly [verbs: string, particles: string, plain: string])[] = [
  ['turn|switch|toggle', 'on', 'enable'],
  ['get|set', 'going', 'start'],
  ['turn|switch|toggle', 'off', 'disable'],
  ['take|took|taken|tak|pull', 'off|out|away|down', 'remove'],
  ['throw|threw|thrown', 'out|away', 'remove'],
  ['put|bring|brought|get', 'back', 'restore'],
  ['bring|catch|keep', 'up to date', 'sync'],
  ['catch', 'up', 'sync'],
  ['hand|sign', 'over', 'transfer'],
  ['take|took|taken|tak', 'back', 'withdraw'],
  ['call', 'off', 'cancel'],
  ['cut', 'off', 'revoke'],
  ['shut|power', 'down|off', 'stop'],
  ['power|boot|fire|wake', 'up|on', 'start'],
  ['spin|stand', 'up', 'create'],
  ['tear|tore', 'down', 'delete'],
  ['log|sign', 'out|off', 'logout'],
  ['kick|boot', 'out|off', 'remove'],
  ['clean|clear|wipe|wip', 'up|out', 'clear'],
  ['roll', 'back', 'rollback'],
  ['back', 'up', 'backup'],
  ['scale|scal', 'up|down', 'resize'],
];
/** Applied in this order. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\bfor good\b|(?<=\b(?:my|our|your|their|his|her|its)\s+)own\b/gi, ' '],
  // `I` implies the speaker's own things, unless it is only part of how they ask.
  [
    /^\s*(?:how (?:do|can|would|should) i|(?:can|could|may) i|i (?:want|need|would like|have) to|i['’]?d like to|i (?:want|need))\b/i,
    '',
  ],
  // What someone said is a comment.
  [/\bwhat\s+((?:\w+\s+){1,2}?)(?:wrote|said|say|says|think|thinks)\b(?!\s+about\b)/gi, 'comments $1'],
  // What a thing is called by is how it is found, not what is wanted.
  [/\bby\s+(?:(?:its|their|the)\s+)?(?:name|title|id|number)\b/gi, ' '],
  [/(?<!\bam\s+)\bi(?:['’](?:m|ve|d))?\b/gi, ' my '],
  ...SAYINGS,
  [/\bstop\s+(?:e-?mail|mail|messag|contact)ing\b/gi, 'unsubscribe contact'],
  [/\bstop\s+(?!run)(\p{L}{3,}?)ing\b/giu, 'remove un$1 $1'],
  [/\bkick(?:s|ed|ing)?\s+off\b/gi, 'start'],
  [/\blook(?:s|ed|ing)?\s+at\b/gi, 'view'],
  ...PHRASES.map(([verbs, particles, plain]) => {
    const verb = String.raw`\b(?:${verbs})(?:s|es|ed|d|p?ing|ting|ning)?`;
    return [
      new RegExp(String.raw`${verb}\s+((?:[\w'’.-]+\s+){0,4}?)(?:${particles})\b`, 'gi'),
      `${plain} $1 `,
    ] as const;
  }),
  [/\b(run|send|start|deliver|try|build|open|play)\b(.*?)\b(?:again|once more|one more time)\b/gi, 're$1 $2'],
  [/\bbetween\b(?=.*\band\b)/gi, 'compare'],
  [/\bhow\s+often\b/gi, 'count'],
  // `make the thing something` changes it; `make a thing` creates it.
  [/^\s*(?:(?:please|can you|could you)\s+)?make\s+(?!(?:an?|new|another|me)\b)(?=\S+\s+\S)/i, 'update '],
];

/** The request with plain verbs. */
export function withPlainVerbs(typed: string): string {
  return RULES.reduce((text, [phrase, plain]) => text.replace(phrase, plain), typed);
}
