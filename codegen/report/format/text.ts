/** The report for a terminal: what the Markdown says, without its markup. */

import type { Report } from '../types.ts';
import { formatMarkdown, type MarkdownOptions } from './markdown.ts';

const MARKUP =
  /\\(?<escaped>[!-/:-@[-`{-~])|(?<ticks>`+)(?<pad> ?)(?<span>.*?)\k<pad>\k<ticks>(?!`)|<code>(?<element>.*?)<\/code>|\*\*|(?<entity>&(?:amp|lt|gt);)/g;

/** Says the same in the same order. Always the same text for the same report. */
export function formatText(report: Report, options: MarkdownOptions = {}): string {
  return toText(formatMarkdown(report, options));
}

/** Reads only Markdown that this folder writes. */
function toText(markdown: string): string {
  const lines: string[] = [];
  const table: string[][] = [];
  let fence: string | null = null;
  for (const line of markdown.split('\n')) {
    if (fence === null && line.startsWith('| ')) {
      table.push(toCells(line));
      continue;
    }
    if (table.length > 0) lines.push(...alignColumns(table.splice(0)));
    const mark = /^ *(`{3,})\w*$/.exec(line)?.[1];
    if (fence !== null) {
      if (mark === fence) fence = null;
      else lines.push(line);
    } else if (mark !== undefined) fence = mark;
    else lines.push(...toLines(line));
  }
  return `${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

function toLines(line: string): string[] {
  if (line === '</details>') return [];
  const [, level, title] = /^(#+) (.*)$/.exec(line) ?? [];
  if (level !== undefined && title !== undefined) {
    const text = inlineText(title);
    return [text, (level.length > 2 ? '-' : '=').repeat(text.length)];
  }
  const [, indent, summary, rest] = /^( *)<details><summary>(.*?)<\/summary>(.*?)(?:<\/details>)?$/.exec(line) ?? [];
  if (indent === undefined || summary === undefined) return [inlineText(line)];
  return [`${indent}${inlineText(summary)}:${rest ? ` ${inlineText(rest)}` : ''}`];
}

function inlineText(text: string): string {
  return text.replaceAll(MARKUP, (...match) => {
    const { escaped, span, element, entity = '' } = match.at(-1) as Record<string, string | undefined>;
    return escaped ?? span ?? decodeEntities(element ?? entity);
  });
}

function decodeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** In a table, `|` is escaped within code too. */
function toCells(line: string): string[] {
  const cells = line.slice(2, -2).split(' | ');
  return cells.map((cell) => (/^-+:?$/.test(cell) ? cell : inlineText(cell.replaceAll('\\|', '|'))));
}

/** The second row is the rule; its colons say which columns have figures. */
function alignColumns([head = [], rule = [], ...rows]: readonly string[][]): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map((cells) =>
    cells
      .map((cell, column) =>
        rule[column]?.endsWith(':') ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
