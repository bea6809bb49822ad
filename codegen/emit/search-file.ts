/** `search.ts` of a service: the words that `search_tools` matches to find its tools. */

import { StructureKind } from 'ts-morph';
import { toSearchWords } from '../../shared/search/search-words.ts';
import { toWords } from '../../shared/search/words.ts';
import { CONTRACT_MODULE } from '../contract-module.ts';
import type { ConnectorModel } from '../tools/types.ts';
import { block, jsonLiteral } from './literal.ts';
import { exportedConstant, type Statement } from './source-file.ts';

/** Name of the exported constant. */
export const SEARCH_IDENTIFIER = 'searchWords';

export function toSearchStatements(connector: ConnectorModel): Statement[] {
  const known = new Map<string, readonly string[]>();
  const wordsOf = (text: string): readonly string[] => {
    const words = known.get(text) ?? toWords(text);
    known.set(text, words);
    return words;
  };
  const members = [...connector.tools, ...connector.handWritten].map((tool) => {
    const words = jsonLiteral(toSearchWords(tool, connector, wordsOf), 2, tool.name.length + 2);
    return `${tool.name}: ${words}`;
  });
  return [
    {
      kind: StructureKind.ImportDeclaration,
      isTypeOnly: true,
      namedImports: ['SearchWords'],
      moduleSpecifier: CONTRACT_MODULE,
    },
    exportedConstant(SEARCH_IDENTIFIER, 'Readonly<Record<string, SearchWords>>', block('{', members, '}')),
  ];
}
