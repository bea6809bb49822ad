/** What the tools cost a model before and after, in tokens of their `tools/list` entries. */

import { isSame } from './canonical.ts';
import { matchTools } from './match-tools.ts';
import type { Change, Report, ServiceSurface, ToolCost, ToolSurface } from './types.ts';

/** Tokens of one tool's entry: name, title, description, both schemas and the hints. */
export type CountTokens = (tool: ToolSurface) => number;

/** Counts with o200k_base. The encoder is imported on first use, because it takes a quarter of a second to load. */
export async function createTokenCounter(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const plainText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  const known = new WeakMap<ToolSurface, number>();
  return (tool) => {
    const { name, title, description, inputSchema, outputSchema, annotations } = tool;
    const entry = { name, title, description, inputSchema, outputSchema, annotations };
    const tokens = known.get(tool) ?? countTokens(JSON.stringify(entry), plainText);
    known.set(tool, tokens);
    return tokens;
  };
}

/** Of changed services only: their totals, and the tools whose cost changed, the largest change first. */
export function toCosts(
  before: readonly ServiceSurface[],
  after: readonly ServiceSurface[],
  changes: readonly Change[],
  count: CountTokens,
): Pick<Report, 'services' | 'costs'> {
  const changed = [...new Set(changes.map(({ service }) => service))].sort();
  const sides = changed.map((service) => ({
    service,
    old: before.find((one) => one.service === service)?.tools ?? [],
    now: after.find((one) => one.service === service)?.tools ?? [],
  }));
  const total = (tools: readonly ToolSurface[]) => tools.reduce((sum, tool) => sum + count(tool), 0);
  return {
    services: sides.map(({ service, old, now }) => ({
      service,
      toolsBefore: old.length,
      toolsAfter: now.length,
      tokensBefore: total(old),
      tokensAfter: total(now),
    })),
    costs: sides
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
