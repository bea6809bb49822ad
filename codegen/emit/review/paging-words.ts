/** Describes in `TOOLS.md` how a list continues. */

import type { PageRule } from '../../tools/types.ts';
import { markdownCode } from '../markdown.ts';

/** One sentence. */
export function pagingWords(rule: PageRule): string {
  const argument = markdownCode(rule.argument);
  switch (rule.kind) {
    case 'header':
      return `${argument} takes the header ${markdownCode(rule.header)} of the answer before.`;
    case 'link': {
      const linkLocation = rule.next === undefined ? `the ${markdownCode('Link')} header` : markdownCode(rule.next);
      return `arguments take the query of the link to the next page, in ${linkLocation} of the answer before.`;
    }
    case 'last':
      return `${argument} takes ${markdownCode(rule.id)} of the last record in ${markdownCode(rule.items)}${whileTrue(rule.more)}.`;
    case 'offset':
      return `${argument} counts records from ${rule.first}${endOf(rule)}.`;
    case 'page':
      return `${argument} counts pages from ${rule.first}${endOf(rule)}.`;
    default: {
      const { next, queryParameter, more } = rule;
      const source =
        queryParameter === null
          ? markdownCode(next)
          : `the parameter ${markdownCode(queryParameter)} of the URL in ${markdownCode(next)}`;
      return `${argument} takes ${source} of the answer before${whileTrue(more)}.`;
    }
  }
}

function whileTrue(more: string | null): string {
  return more === null ? '' : `, while ${markdownCode(more)} is true`;
}

function endOf({
  total,
  pages,
  more,
}: {
  readonly total?: string;
  readonly pages?: string;
  readonly more?: string;
}): string {
  if (total !== undefined) return `, up to ${markdownCode(total)} records`;
  if (pages !== undefined) return `, up to ${markdownCode(pages)} pages`;
  return more === undefined ? ', until a page is not full' : whileTrue(more);
}
