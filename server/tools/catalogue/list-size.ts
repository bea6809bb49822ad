/** Tells the operator when the list of all tools takes much of a model's context. Nothing is left out for it. */

import type { Logger } from 'pino';
import { estimateListTokensOf } from '../fitting/tokens.ts';
import type { Catalogue } from './catalogue.ts';

/** A list that is estimated larger is reported, in tokens. */
export const LARGE_LIST_TOKENS = 50_000;

/** Tokens of the list of a user who has every service and every right, as the operator's mode shows it, estimated from its bytes. */
export function estimateListTokens({ listBytes }: Pick<Catalogue, 'listBytes'>): number {
  return estimateListTokensOf(listBytes);
}

/** Once, at the start. */
export function reportLargeList(catalogue: Catalogue, log: Pick<Logger, 'warn'>): void {
  const tokens = estimateListTokens(catalogue);
  if (tokens <= LARGE_LIST_TOKENS) return;
  log.warn(
    { tokens, mode: catalogue.mode },
    'the list of all tools is large for a model: CATALOGUE_MODE makes it smaller, and a connection code can ask for a smaller one',
  );
}
