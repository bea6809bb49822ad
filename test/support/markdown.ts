/** Finds what GitHub would not render as its author meant, and the links and headings of a page. */

import { lexer, type Token, type Tokens } from 'marked';

/** A page, as a renderer of GitHub-flavoured Markdown reads it. */
export interface RenderedPage {
  /** One sentence for each fault, with the first line of the text that has it. */
  readonly faults: readonly string[];
  /** Targets of links and pictures, in Markdown and in HTML. */
  readonly links: readonly string[];
  /** Ids of headings, as GitHub makes them, and of HTML elements. */
  readonly anchors: readonly string[];
}

/** A rule for text that shows in the page as it was typed, in paragraphs or in their inline text. */
interface TextRule {
  readonly pattern: RegExp;
  readonly fault: string;
}

const BLOCK_RULES: readonly TextRule[] = [
  { pattern: /^ *\|/m, fault: 'a row outside a table' },
  { pattern: /^ *:?-{3,}:? *\|/m, fault: 'a row outside a table' },
  { pattern: /^ *(?:`{3}|~{3})/m, fault: 'a fence of code that is not one' },
  { pattern: /\n *(?:[-*+]|\d+[.)]) +\S/, fault: 'a list item inside a paragraph' },
  { pattern: /^ *#{1,6}[^#\s!]/m, fault: 'a heading without a space' },
];

const INLINE_RULES: readonly TextRule[] = [
  { pattern: /\]\(|\]\[[^\]]*\]/, fault: 'a link that is not one' },
  { pattern: /`/, fault: 'a backtick without its pair' },
  { pattern: /\*\*/, fault: 'bold text that is not bold' },
  { pattern: /<!--|-->/, fault: 'a comment that shows' },
];

/** Renders a page. */
export function renderPage(markdown: string): RenderedPage {
  const faults: string[] = [];
  const links: string[] = [];
  const anchors: string[] = [];
  const addFault = (fault: string, text: string) => faults.push(`${fault}: ${text.trim().split('\n', 1)[0]}`);
  const applyRules = (rules: readonly TextRule[], text: string) => {
    for (const { pattern, fault } of rules) {
      const found = pattern.exec(text);
      if (found !== null) addFault(fault, text.slice(found.index));
    }
  };

  const visit = (token: Token, isBlock: boolean): void => {
    switch (token.type) {
      case 'heading':
        anchors.push(nextAnchor(slugOf(textOf(token)), anchors));
        break;
      case 'code':
        if (!isClosed(token as Tokens.Code)) addFault('code without a fence that ends it', token.raw);
        break;
      case 'table':
        for (const row of cutRowsOf(token as Tokens.Table)) addFault('a row with more cells than the head', row);
        break;
      case 'html':
        if (/<!--(?![\s\S]*-->)/.test(token.raw)) addFault('a comment that does not end', token.raw);
        for (const [, target = ''] of token.raw.matchAll(/ (?:href|src|srcset)="([^"\s]+)/g)) links.push(target);
        for (const [, id = ''] of token.raw.matchAll(/ (?:id|name)="([^"]+)"/g)) anchors.push(id);
        break;
      case 'link':
      case 'image':
        links.push((token as Tokens.Link).href);
        break;
      case 'paragraph':
        applyRules(BLOCK_RULES, token.raw);
        break;
      case 'text':
        if (isBlock) applyRules(BLOCK_RULES, token.raw);
        else applyRules(INLINE_RULES, (token as Tokens.Text).text);
        break;
    }
    for (const child of childrenOf(token)) visit(child, token.type === 'list_item' || token.type === 'blockquote');
  };

  for (const token of lexer(markdown, { gfm: true })) visit(token, true);
  return { faults, links, anchors };
}

function childrenOf(token: Token): readonly Token[] {
  if (token.type === 'list') return (token as Tokens.List).items;
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [...header, ...rows.flat()].flatMap(({ tokens }) => tokens);
  }
  return 'tokens' in token ? (token.tokens ?? []) : [];
}

/** The text of a heading, without marks. */
function textOf(token: Token): string {
  if (token.type === 'html') return '';
  const children = childrenOf(token);
  if (children.length > 0) return children.map(textOf).join('');
  return 'text' in token ? unescapeHtml(String(token.text)) : '';
}

function unescapeHtml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** GitHub numbers headings that have the same text. */
function nextAnchor(slug: string, taken: readonly string[]): string {
  let anchor = slug;
  for (let number = 1; taken.includes(anchor); number += 1) anchor = `${slug}-${number}`;
  return anchor;
}

/** Code is closed by a fence of its own kind; indented code is nearly always a mistake. */
function isClosed({ raw, codeBlockStyle }: Tokens.Code): boolean {
  if (codeBlockStyle === 'indented') return false;
  const [fence = ''] = /^ *(`{3,}|~{3,})/.exec(raw)?.slice(1) ?? [];
  return new RegExp(`\\n *${fence[0]}{${fence.length},} *\\n*$`).test(raw);
}

/** Rows whose last cells a renderer drops. */
function cutRowsOf({ raw, header }: Tokens.Table): readonly string[] {
  const cellsOf = (row: string) =>
    row
      .trim()
      .replace(/^\||(?<!\\)\|$/g, '')
      .split(/(?<!\\)\|/).length;
  const rows = raw.trimEnd().split('\n').slice(2);
  return rows.filter((row) => cellsOf(row) > header.length);
}
