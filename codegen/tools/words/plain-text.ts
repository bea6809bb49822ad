/**
 * Turns the Markdown and HTML of a descriptor's texts into plain text: models get no page addresses, tags or comments.
 */

import { toCleanText } from './texts.ts';

/** Longer texts are cut to this first: no published text uses more than a sixteenth of it. */
const MAX_SOURCE_CHARS = 16_384;

/** Text without anything that could be markup. */
const PLAIN = /^[^<&[#|*\\`~=-]*$/;

/** Fenced blocks and code spans, whose content stays unchanged. */
const CODE =
  /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n([\s\S]*?)(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))|(?<!`)(`+)(?!`)[^\n]{0,300}?[^`\n]\3(?!`)/gm;

/** Sentences that only refer to a page. */
const SEE_ALSO =
  /(?<=^|[.!?:"”)]\s)(?:for (?:more|further|additional|detailed) (?:information|details|info)|to learn more|learn more|read more|find out more|more (?:information|info|details)|see also)\b[^.!?\n[]*\[[^[\]\n]*\]\([^()\s]*\)[^.!?\n[]*(?:[.!?]["”)]?|$)/gim;

const BREAKING =
  'address|article|aside|blockquote|br|caption|center|dd|details|div|dl|dt|footer|h[1-6]|header|hr|nav|ol|p|pre|section|summary|table|tbody|tfoot|thead|tr|ul';
const ATTRIBUTES = String.raw`(?:\s+[\w:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>]+))*\s*/?`;
const INLINE = 'a|abbr|b|code|del|em|font|i|img|ins|kbd|mark|s|samp|small|span|strike|strong|sub|sup|u|var';

const STEPS: readonly (readonly [RegExp, string])[] = [
  [/<(script|style)\b[^>]{0,500}>[\s\S]{0,5000}?<\/\1\s*>/gi, ''],
  [SEE_ALSO, ''],
  [/<li\b[^<>]{0,500}>/gi, '\n- '],
  [/<\/?li\s*\/?>/gi, '\n'],
  [/<\/(?:td|th)\s*>\s*<(?:td|th)\b[^<>]{0,500}>/gi, ' | '],
  [/<\/?(?:td|th)\b[^<>]{0,500}>/gi, ''],
  [new RegExp(`</?(?:${BREAKING})${ATTRIBUTES}>`, 'gi'), '\n'],
  [new RegExp(`</?(?:${INLINE})${ATTRIBUTES}>`, 'gi'), ''],
  [/!\[[^[\]]*\]\([^()\s]*(?:\s"[^"\n]*")?\)/g, ''],
  [/\[([^[\]]+)\]\((?=[^()\s]*[:/#.?])(?:[^()\s]|\([^()\s]*\))*(?:\s"[^"\n]*")?\)/g, '$1'],
  [/^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*$/gm, '$1'],
  [/^ {0,3}(?:(?:[-*_][ \t]*){3,}|={3,})$/gm, ''],
  [/^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+(?:[ \t]*:?-{2,}:?[ \t]*)?$\n?/gm, ''],
  [/^[ \t]*\|[ \t]*(.*?)[ \t]*\|[ \t]*$/gm, '$1'],
  [/\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*/g, '$1'],
  [/\\([_<>`])/g, '$1'],
];

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  bull: '•',
  copy: '©',
  gt: '>',
  hellip: '…',
  laquo: '«',
  ldquo: '“',
  le: '≤',
  lsquo: '‘',
  lt: '<',
  ge: '≥',
  mdash: '—',
  middot: '·',
  nbsp: ' ',
  ndash: '–',
  quot: '"',
  raquo: '»',
  rarr: '→',
  rdquo: '”',
  rsquo: '’',
  times: '×',
};

/**
 * One tidy text without markup. Keeps the texts of links and drops their targets; drops sentences that only refer to a
 * page. Keeps the content of code, and text that only looks like a tag (`<your-token>`).
 */
export function toPlainText(value: unknown): string {
  if (typeof value !== 'string') return '';
  if (PLAIN.test(value)) return toCleanText(value);
  const text = withoutComments(toCleanText(value.slice(0, MAX_SOURCE_CHARS)));
  let plain = '';
  let end = 0;
  for (const match of text.matchAll(CODE)) {
    plain += toUnmarked(text.slice(end, match.index)) + (match[1] === undefined ? match[0] : (match[2] ?? ''));
    end = match.index + match[0].length;
  }
  return toCleanText(plain + toUnmarked(text.slice(end)));
}

/** Removes HTML comments, which readers of a page do not see. An unclosed one extends to the end. */
function withoutComments(text: string): string {
  let plain = '';
  for (let from = 0; ; ) {
    const start = text.indexOf('<!--', from);
    if (start < 0) return plain + text.slice(from);
    plain += text.slice(from, start);
    const end = text.indexOf('-->', start + 4);
    if (end < 0) return plain;
    from = end + 3;
  }
}

function toUnmarked(text: string): string {
  const unmarked = STEPS.reduce((line, [pattern, replacement]) => line.replace(pattern, replacement), text);
  return unmarked.replace(/&(#x?[0-9a-f]{1,6}|[a-z]{2,6});/gi, toCharacter);
}

function toCharacter(entity: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? entity;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '';
}
