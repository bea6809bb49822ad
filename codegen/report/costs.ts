/** The cost of the tools to a model before and after, in tokens of their `tools/list` entries. */

import { createToolSizer, type ToolEntry } from '../emit/tool-size.ts';
import { isSame } from '../json.ts';
import { matchTools } from './match-tools.ts';
import type { Change, Report, ServiceSurface, ToolCost, ToolSurface } from './types.ts';

/** Tokens of one tool's entry in a list of the catalogue mode `lean`. */
export type CountTokens = (tool: ToolSurface) => number;

/** Counts like `emit/tool-size.ts`, and each tool once. */
export async function createTokenCounter(): Promise<CountTokens> {
  const sizeOf = await createToolSizer();
  const counted = new WeakMap<ToolSurface, number>();
  return (tool) => {
    const rare = tool.members.rare as ToolEntry['rare'];
    const tokens = counted.get(tool) ?? sizeOf(rare === undefined ? tool : { ...tool, rare });
    counted.set(tool, tokens);
    return tokens;
  };
}

/** By service: the token limit of its tools together. */
export type Budgets = ReadonlyMap<string, number>;

/** Changed services only: their totals, and the tools whose cost changed, the largest change first. */
export function toCosts(
  before: readonly ServiceSurface[],
  after: readonly ServiceSurface[],
  changes: readonly Change[],
  { budgets, count }: { readonly budgets: Budgets; readonly count: CountTokens },
): Pick<Report, 'services' | 'costs'> {
  const changed = [...new Set(changes.map(({ service }) => service))].sort();
  const toolsByService = changed.map((service) => ({
    service,
    old: before.find((surface) => surface.service === service)?.tools ?? [],
    now: after.find((surface) => surface.service === service)?.tools ?? [],
  }));
  const total = (tools: readonly ToolSurface[]) => tools.reduce((sum, tool) => sum + count(tool), 0);
  return {
    services: toolsByService.map(({ service, old, now }) => ({
      service,
      toolsBefore: old.length,
      toolsAfter: now.length,
      tokensBefore: total(old),
      tokensAfter: total(now),
      budget: budgets.get(service) ?? null,
    })),
    costs: toolsByService
      .flatMap(({ service, old, now }) => toolCosts(service, old, now, count))
      .filter((cost) => !isSame(cost.before, cost.after))
      .sort((a, b) => difference(b) - difference(a) || (a.tool < b.tool ? -1 : 1)),
  };
}

function toolCosts(
  service: string,
  old: readonly ToolSurface[],
  now: readonly ToolSurface[],
  count: CountTokens,
): ToolCost[] {
  const { pairs, removed, added } = matchTools(old, now);
  return [
    ...pairs.map(({ before, after }) => ({ service, tool: after.name, before: count(before), after: count(after) })),
    ...removed.map((tool) => ({ service, tool: tool.name, before: count(tool), after: null })),
    ...added.map((tool) => ({ service, tool: tool.name, before: null, after: count(tool) })),
  ];
}

function difference({ before, after }: ToolCost): number {
  return Math.abs((after ?? 0) - (before ?? 0));
}
