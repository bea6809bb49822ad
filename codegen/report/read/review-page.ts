/** Reads back two tables of `TOOLS.md`: what each tool costs, and the operations without a tool. */

import type { UnexposedOperation } from '../types.ts';

const ROW = /^\| (`+ ?)([A-Z]+) (.*?)( ?`+) \| (.*) \| ((?:codegen|connector\.yaml)[^|]*) \|$/;

const COST = /^\| \[`([A-Za-z0-9_-]+)`\]\([^)]*\) \|.*\| ([\d,]+) \| ([\d,]+) \|$/gm;

/** Tokens in and out together, by name of tool: what `emit/review-page.ts` wrote into the table of tools. */
export function readCosts(page: string): ReadonlyMap<string, number> {
  const number = (figure = ''): number => Number(figure.replaceAll(',', ''));
  return new Map(
    [...page.matchAll(COST)].map(([, name = '', input, output]) => [name, number(input) + number(output)]),
  );
}

/** What `emit/review-page.ts` wrote under "Not exposed"; none where the page has no such part. */
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
