/** Counts the tokens that a tool list costs a model in each mode. */

import { CATALOGUE_MODES, type CatalogueMode, WHOLE_PERMISSION } from '../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../server/call/tools/catalogue/catalogue.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import type { ToolList } from '../../../server/call/tools/provider.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { connectorsOf } from './published-connectors.ts';

/** Tokens (o200k_base) of one list, by mode. */
interface ListCost {
  readonly title: string;
  readonly tools: number;
  readonly tokens: Readonly<Record<CatalogueMode, number>>;
}

/** Measures the lists of users who are connected to every service. */
export async function measureListCosts(): Promise<readonly ListCost[]> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const plainText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  const costOf = (title: string, connectors: readonly Connector[]): ListCost => {
    const catalogue = createCatalogue(connectors);
    const access = {
      clientId: null,
      scopes: ['tools:write'],
      services: connectors.map(({ name }) => name),
    } as const;
    const count = (mode: CatalogueMode): number => {
      const asked = { ...access, permission: { ...WHOLE_PERMISSION, catalogue: mode } };
      let tokens = 0;
      let cursor: string | null | undefined = null;
      while (cursor !== undefined) {
        const { json, nextCursor }: ToolList = catalogue.list(asked, cursor);
        tokens += countTokens(Buffer.from(json).toString('utf8'), plainText);
        cursor = nextCursor;
      }
      return tokens;
    };
    const [full, compact, search] = CATALOGUE_MODES.map(count);
    const tools = connectors.reduce((sum, connector) => sum + connector.tools.length, 0);
    return { title, tools, tokens: { full: full ?? 0, compact: compact ?? 0, search: search ?? 0 } };
  };
  const published = await connectorsOf();
  const github = published.filter(({ name }) => name === 'github');
  return [
    costOf('the five connectors', await loadConnectors()),
    ...(github.length === 0 ? [] : [costOf('GitHub', github)]),
    ...(published.length < 2 ? [] : [costOf(`${published.length} services`, published)]),
  ];
}

/** The table in docs/reference/catalogue-modes.md. */
export function toCostTable(costs: readonly ListCost[]): string {
  const figure = (count: number) => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return [
    '| Tokens of a list | Tools | `full` | `compact` | `search` |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...costs.map(({ title, tools, tokens }) => {
      const figures = [tools, tokens.full, tokens.compact, tokens.search].map(figure);
      return `| ${title} | ${figures.join(' | ')} |`;
    }),
  ].join('\n');
}
