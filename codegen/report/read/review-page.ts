/** Reads back the table of `TOOLS.md` that lists the operations without a tool. */

import type { UnexposedOperation } from '../types.ts';

const ROW = /^\| (`+ ?)([A-Z]+) (.*?)( ?`+) \| (.*) \| (?:codegen|connector\.yaml)[^|]*\|$/;

/** What `emit/review-page.ts` wrote under "Not exposed"; none where the page has no such part. */
export function readNotExposed(page: string): UnexposedOperation[] {
  const start = page.indexOf('\n## Not exposed\n');
  if (start < 0) return [];
  const end = page.indexOf('\n## ', start + 4);
  const table = page.slice(start, end < 0 ? undefined : end);
  return table.split('\n').flatMap((line) => {
    const [, , method, path, , reason] = ROW.exec(line) ?? [];
    if (method === undefined || path === undefined || reason === undefined) return [];
    return [{ method, path: path.replaceAll('\\|', '|'), reason: plainText(reason) }];
  });
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\\([\\`*_{}[\]|~$@#.)+-])/g, '$1');
}
