/** Pagination: what codegen found in the descriptor, and the lists whose pagination it could not determine. */

import {
  CURSOR_ARGUMENTS,
  LAST_RECORD_ARGUMENTS,
  OFFSET_ARGUMENTS,
  PAGE_ARGUMENTS,
  plainName,
  SIZE_ARGUMENTS,
} from '../../../codegen/tools/answers/paging-names.ts';
import type { ToolModel } from '../../../codegen/tools/types.ts';
import { countEach, type Draft, toCount, toList } from './draft.ts';

const STARTS = [
  { names: CURSOR_ARGUMENTS, rule: 'next: /...' },
  { names: LAST_RECORD_ARGUMENTS, rule: 'kind: last, items: /..., id: /id' },
  { names: PAGE_ARGUMENTS, rule: 'kind: page, items: /...' },
  { names: OFFSET_ARGUMENTS, rule: 'kind: offset, items: /...' },
];

export function writePages(tools: readonly ToolModel[], draft: Draft): void {
  const detectedKinds = tools.flatMap(({ page }) =>
    page === null ? [] : [`${page.argument} (${page.kind ?? 'cursor'})`],
  );
  if (detectedKinds.length > 0) {
    const kinds = countEach(detectedKinds).map(([kind, count]) => `${count} by ${kind}`);
    draft.say(
      `Seen in the descriptor: how lists go on, ${toList(kinds)}. TOOLS.md says it of each; nothing needs to be written for them.`,
    );
  }
  const unpagedLists = tools.flatMap((tool) => {
    const start = tool.page === null && tool.operation.method === 'GET' ? startOf(tool) : null;
    return start === null ? [] : [{ ...start, name: tool.name }];
  });
  const [[likelyRule] = [undefined]] = countEach(unpagedLists.map(({ rule }) => rule));
  if (likelyRule !== undefined) {
    const lists = unpagedLists.filter(({ rule }) => rule === likelyRule);
    draft.decide(
      'pagination',
      `how do ${toCount(unpagedLists.length, 'list')} go on of which the descriptor does not say it: ${toList(unpagedLists.map(({ name }) => name))}? Write pagination under each of them${detectedKinds.length > 0 ? '' : ', or here for all'}.`,
    );
    draft.say(`For ${lists.length} of them, with what belongs in place of the dots:`);
    draft.propose(false, `pagination: { ${likelyRule} }`);
  }
  if (detectedKinds.length > 0 || likelyRule !== undefined) draft.add('');
}

function startOf({ arguments: args }: ToolModel): { readonly rule: string } | null {
  const findArgument = (names: ReadonlySet<string>) =>
    args.find(({ name, wire }) => wire?.in === 'query' && names.has(plainName(wire.name ?? name)))?.name;
  const size = findArgument(SIZE_ARGUMENTS);
  for (const { names, rule } of STARTS) {
    const argument = findArgument(names);
    if (argument === undefined) continue;
    return { rule: `argument: ${argument}, ${rule}${size === undefined ? '' : `, size: ${size}`}` };
  }
  return null;
}
