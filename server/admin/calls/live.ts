/** A page that shows what is new by itself, without a script: the browser loads it again, for some minutes. */

import { type Html, html } from '../../pages/html.ts';
import type { OperatorRequest } from '../request.ts';
import { moment } from '../view/parts.ts';

const EVERY_SECONDS = 10;
const MINUTES = 10;

/** Whether a page follows what happens, and what is said about it. */
interface Live {
  /** Until when, in milliseconds since 1970; null: it does not. */
  readonly until: number | null;
  readonly notice: Html;
}

/**
 * Reads `live` of the query: `1` begins, and the time until when it continues is there from then on.
 *
 * It ends by itself, so that a page that was left open neither asks for ever nor keeps its operator signed in.
 *
 * @param toAddress the address of the page with that value of `live`.
 */
export function followLive({ ctx, now, query }: OperatorRequest, toAddress: (live: string | null) => string): Live {
  const asked = query('live');
  const latest = now + MINUTES * 60_000;
  const until = asked === '1' ? latest : Math.min(Number(asked ?? 0), latest);
  if (until <= now || Number.isNaN(until)) {
    const over = asked === null ? null : html` Live updates have stopped.`;
    return { until: null, notice: html`<p><a href="${toAddress('1')}">Show live</a>${over}</p>` };
  }
  ctx.set('Refresh', `${EVERY_SECONDS}; url=${toAddress(String(until))}`);
  return {
    until,
    notice: html`<p class="live"><a href="${toAddress(null)}">Stop</a> This page reloads every ${EVERY_SECONDS} seconds, until ${moment(until)}.</p>`,
  };
}
