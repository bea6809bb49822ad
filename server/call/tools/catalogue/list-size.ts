/** Warns the operator if the list of all tools takes much of a model's context. No tool is left out because of it. */

import type { Logger } from 'pino';
import { estimateListTokensOf } from '../fitting/tokens.ts';
import type { Catalogue } from './catalogue.ts';

/** Lists with more estimated tokens are reported. */
export const LARGE_LIST_TOKENS = 50_000;

/** Estimates, from its bytes, the tokens of the list of a user with all services and rights, in the operator's mode. */
export function estimateListTokens({ listBytes }: Pick<Catalogue, 'listBytes'>): number {
  return estimateListTokensOf(listBytes);
}

/** Call it once, at the start. */
export function reportLargeList(catalogue: Catalogue, log: Pick<Logger, 'warn'>): void {
  const tokens = estimateListTokens(catalogue);
  if (tokens <= LARGE_LIST_TOKENS) return;
  log.warn(
    { tokens, mode: catalogue.mode },
    'the list of all tools is large for a model: CATALOGUE_MODE makes it smaller, and a connection code can ask for a smaller one',
  );
}
