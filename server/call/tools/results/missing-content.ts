/** Errors for successful answers that lack content: an empty body, or a list that continues at an unreadable place. */

import { type ExplainedError, explain } from './errors.ts';
import type { CalledTool } from './upstream-errors.ts';

/** A success without the promised content: it cannot be distinguished from an empty list. */
export function explainEmpty(called: CalledTool, status: number): ExplainedError {
  const reads = called.tool.annotations.readOnlyHint;
  const done = reads ? '' : ' The call itself took effect.';
  return explain('upstream_invalid_answer', {
    message: `${called.connector.title} answered ${status}, but without the content that belongs there.${done}`,
    advice: reads
      ? 'That is not an empty list: call again in a moment.'
      : 'Look at what it changed instead of calling again.',
    status,
    repeatable: reads,
  });
}

/** A page of a list that continues at an unreadable place. The items of the page follow. */
export function explainLostRest(called: CalledTool, status: number): ExplainedError {
  return explain('upstream_invalid_answer', {
    message: `${called.connector.title} says that the list goes on, but not readably where. The items of this page follow: they are not all.`,
    advice: 'Work with these items only where some of them are enough, or call again in a moment.',
    status,
    repeatable: called.tool.annotations.idempotentHint,
  });
}
