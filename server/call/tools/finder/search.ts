/** `search_tools`: finds the tools that a caller may call, best first. */

import { firstSentence } from '../../../../shared/search/compact.ts';
import type { Access } from '../../../base/principal/permission.ts';
import type { Catalogue, CatalogueEntry } from '../catalogue/catalogue.ts';
import { effectOf } from '../catalogue/facts.ts';
import { DEFAULT_FOUND } from '../catalogue/finder-tools.ts';
import type { CompleteToolResult } from '../provider.ts';
import { toJsonResult } from './json-result.ts';
import { toolIndexOf } from './tool-index.ts';

type SearchTools = (access: Access, args: Readonly<Record<string, unknown>>) => Promise<CompleteToolResult>;

/** Creates the search. A result contains only tools that its caller may call. */
export function createToolSearch(catalogue: Catalogue): SearchTools {
  return async (access, { words, service, effect, limit }) => {
    const accepts = (name: string): boolean => {
      const entry = catalogue.find(name);
      if (entry === undefined || (service !== undefined && entry.connector.name !== service)) return false;
      const isWanted = effect === undefined || entry.tool.annotations.readOnlyHint === (effect === 'reads');
      return isWanted && catalogue.shown(name, access) !== null;
    };
    const most = typeof limit === 'number' ? limit : DEFAULT_FOUND;
    const typed = typeof words === 'string' ? words.trim() : '';
    const names =
      typed === ''
        ? [...catalogue.entries()].map(({ tool }) => tool.name).filter(accepts)
        : (await toolIndexOf(catalogue)).search(typed, most, accepts);
    const found = names.slice(0, most).flatMap((name) => catalogue.find(name) ?? []);
    return toJsonResult({
      tools: found.map(toFound),
      ...(found.length > 0 && service === undefined ? {} : { services: servicesOf(catalogue, access) }),
    });
  };
}

function toFound({ connector, tool }: CatalogueEntry): object {
  return {
    name: tool.name,
    does: firstSentence(tool.description),
    service: connector.name,
    effect: effectOf(tool),
  };
}

function servicesOf(catalogue: Catalogue, { services }: Access): readonly string[] {
  return services.filter((service) => catalogue.findConnector(service) !== undefined);
}
