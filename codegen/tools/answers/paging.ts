/** Decides how the list of a tool is paged: from connector.yaml, else from the descriptor. */

import { withoutUndefined } from '../../json.ts';
import type { PaginationConfig } from '../../load/config/paging.ts';
import type { ConnectorConfig, ToolConfig } from '../../load/connector-config.ts';
import type { OperationModel } from '../../model/types.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { ArgumentModel, PageRule } from '../types.ts';
import { type AnswerSchemas, checkPointer, hasArray, hasMember } from './answer-pointers.ts';
import { findPaging, firstOf } from './find-paging.ts';

interface Context extends AnswerSchemas {
  readonly tool: string;
  readonly config: ToolConfig | null;
  readonly operation: OperationModel;
  readonly arguments: readonly ArgumentModel[];
  readonly report: Reporter;
}

/**
 * Returns the page rule of a tool: its own, else that of the service. A tool without the argument of that rule has no pages. What the descriptor says
 * counts only where connector.yaml has neither rule.
 */
export function buildPage(service: ConnectorConfig['pagination'], context: Context): PageRule | null {
  const toolRule = context.config?.pagination;
  const rule = toolRule === undefined ? service : toolRule;
  if (rule === undefined) return hasMember('page', context) ? null : findPaging(context);
  if (rule === null) return null;
  const path = toolRule === undefined || toolRule === null ? ['pagination'] : ['tools', context.tool, 'pagination'];
  const names = context.arguments.map(({ name }) => name);
  if (!names.includes(rule.argument)) {
    if (toolRule !== undefined) {
      context.report.config(
        'config-pagination',
        [...path, 'argument'],
        `${context.tool} has no argument ${rule.argument}.`,
        suggest(rule.argument, names, 'Write `pagination: null`.'),
      );
    }
    return null;
  }
  for (const key of ['next', 'more', 'total', 'pages'] as const) {
    const pointer = rule[key];
    if (pointer !== undefined) checkPointer('config-pagination', [...path, key], pointer, context);
  }
  if (hasMember('page', context)) {
    context.report.config(
      'config-pagination',
      path,
      `The answer of ${context.tool} has a member page, where the arguments of the next page would be.`,
      'Write `pagination: null` for this tool.',
    );
  }
  return toRule(rule, path, context);
}

function toRule(rule: PaginationConfig, path: readonly (string | number)[], context: Context): PageRule | null {
  const { argument, next, more = null } = rule;
  const itemsAndSize = findItemsAndSize(rule, path, context);
  const { items } = itemsAndSize;
  switch (rule.kind) {
    case 'header':
      return { kind: 'header', argument, header: (rule.header ?? '').toLowerCase(), ...itemsAndSize };
    case 'link':
      return withoutUndefined({ kind: 'link', argument, next, ...itemsAndSize });
    case 'last':
      if (items === undefined) return null;
      checkPointer('config-pagination', [...path, 'id'], `${items}/0${rule.id ?? ''}`, context);
      return { kind: 'last', argument, ...itemsAndSize, items, id: rule.id ?? '', more };
    case 'offset':
    case 'page':
      if (items === undefined) return null;
      return withoutUndefined({
        kind: rule.kind,
        argument,
        ...itemsAndSize,
        items,
        first: rule.first ?? firstOf(context.arguments, rule.kind, argument),
        total: rule.total,
        pages: rule.pages,
        more: rule.more,
      });
    default:
      return { argument, next: next ?? '', queryParameter: rule.queryParameter ?? null, more, ...itemsAndSize };
  }
}

/** Returns the members that following pages needs: the place of the records, and the argument for the page size. */
function findItemsAndSize(
  rule: PaginationConfig,
  path: readonly (string | number)[],
  context: Context,
): Pick<PageRule, 'items' | 'size'> {
  const pointers = rule.items === undefined ? [] : [rule.items].flat();
  const [only] = pointers;
  const items = pointers.find((pointer) => hasArray(pointer, context) || context.answers.length === 0);
  if (items === undefined && only !== undefined && pointers.length === 1) {
    checkPointer('config-pagination', [...path, 'items'], only, context);
  }
  const size = context.arguments.find(({ name }) => name === rule.size)?.name;
  return withoutUndefined({ items, size });
}
