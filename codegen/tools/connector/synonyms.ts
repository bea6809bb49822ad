/** Adds other names for the things of a service, from connector.yaml, to the words by which its tools are found. */

import { toStem, toWords } from '../../../shared/search/words.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { Reporter } from '../problems.ts';
import type { ToolModel } from '../types.ts';

/** Rejects words that are in no tool's name or title: their synonyms would find nothing. */
export function buildSynonyms(
  { synonyms }: ConnectorConfig,
  tools: readonly Pick<ToolModel, 'name' | 'title'>[],
  report: Reporter,
): ConnectorConfig['synonyms'] {
  const heads = tools.map(({ name, title }) => new Set(toWords(`${name} ${title}`).map(toStem)));
  for (const word of Object.keys(synonyms)) {
    const parts = toWords(word).map(toStem);
    if (parts.length > 0 && heads.some((head) => parts.every((part) => head.has(part)))) continue;
    report.config('config-unused', ['synonyms', word], `No tool has ${JSON.stringify(word)} in its name or title.`);
  }
  return synonyms;
}
