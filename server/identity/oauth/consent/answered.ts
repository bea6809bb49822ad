/** Remembers that a request was answered, so that Back after Allow or Deny shows that instead of the question. */

import type { GatewayContext } from '../../../base/http/state.ts';
import { html } from '../../../base/pages/html.ts';
import { sendPage } from '../../../base/pages/page.ts';
import { countGuess, readGuesses, uncountGuess } from '../../../base/store/repositories/guess-counters.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { CONSENT_PAGE_TTL_SECONDS, type ConsentPageState } from './page-state.ts';

const keyOf = ({ id }: ConsentPageState) => `consent:answered:${id}`;

/** Marks the request. @returns false when it was marked before: exactly one of several callers gets true. */
export async function markAnswered(executor: Executor, pageState: ConsentPageState, now: number): Promise<boolean> {
  return (await countGuess(executor, keyOf(pageState), { windowMs: CONSENT_PAGE_TTL_SECONDS * 1000, now })) === 1;
}

/** Removes the mark, when the answer failed. */
export async function unmarkAnswered(executor: Executor, pageState: ConsentPageState): Promise<void> {
  await uncountGuess(executor, keyOf(pageState));
}

export async function isAnswered(executor: Executor, pageState: ConsentPageState, now: number): Promise<boolean> {
  return (await readGuesses(executor, keyOf(pageState), now)) > 0;
}

/** Shows that there is nothing left to decide. Status 410. */
export function showAnsweredPage(ctx: GatewayContext): void {
  const title = 'This request has been answered';
  const content = html`<h1>${title}</h1>
<p>You have allowed or denied it, and the application knows.</p>
<p>Go back to the application. To decide differently, start again there.</p>`;
  sendPage(ctx, 410, { title, content });
}
