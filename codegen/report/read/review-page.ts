/** Parses two tables of `TOOLS.md`: the cost of each tool, and the operations without a tool. */

import type { UnexposedOperation } from '../types.ts';

const ROW = /^\| (`+ ?)([A-Z]+) (.*?)( ?`+) \| (.*) \| ((?:codegen|connector\.yaml)[^|]*) \|$/;

const COST = /^\| \[`([A-Za-z0-9_-]+)`\]\([^)]*\) \|.*\| ([\d,]+) \| ([\d,]+) \|$/gm;

/** Input and output tokens together, by tool name: the table of tools that `emit/review-page.ts` writes. */
export function readCosts(page: string): ReadonlyMap<string, number> {
  const number = (figure = ''): number => Number(figure.replaceAll(',', ''));
  return new Map(
    [...page.matchAll(COST)].map(([, name = '', input, output]) => [name, number(input) + number(output)]),
  );
}

/** The rows under "Not exposed" that `emit/review-page.ts` writes; empty if the page has no such section. */
export function readNotExposed(page: string): UnexposedOperation[] {
  const start = page.indexOf('\n## Not exposed\n');
  if (start < 0) return [];
  const end = page.indexOf('\n## ', start + 4);
  const table = page.slice(start, end < 0 ? undefined : end);
  return table.split('\n').flatMap((line) => {
    const [, , method, path, , reason, by = ''] = ROW.exec(line) ?? [];
    if (method === undefined || path === undefined || reason === undefined) return [];
    return [{ method, path: path.replaceAll('\\|', '|'), reason: plainText(reason), isOutside: by.endsWith('`only`') }];
  });
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\\([\\`*_{}[\]|~$@#.)+-])/g, '$1');
}
