/** The search index of a catalogue. */

import type { SearchWords, ToolIndex } from '../../../../shared/search/index.ts';
import type { Catalogue, CatalogueEntry } from '../catalogue/catalogue.ts';

const indexes = new WeakMap<Catalogue, Promise<ToolIndex>>();

/** The shared index of all served tools, built at its first use. `accepts` excludes tools that a caller may not see. */
export function toolIndexOf(catalogue: Catalogue): Promise<ToolIndex> {
  const index = indexes.get(catalogue) ?? createIndex(catalogue);
  indexes.set(catalogue, index);
  return index;
}

async function createIndex(catalogue: Catalogue): Promise<ToolIndex> {
  const [{ createToolIndex }, { toSearchWords }] = await Promise.all([
    import('../../../../shared/search/index.ts'),
    import('../../../../shared/search/search-words.ts'),
  ]);
  const wordsOf = ({ connector, tool }: CatalogueEntry): SearchWords =>
    connector.search?.[tool.name] ?? toSearchWords(tool, connector);
  return createToolIndex(new Map([...catalogue.entries()].map((entry) => [entry.tool.name, wordsOf(entry)])));
}
