/** A page that stays current without a script: the browser reloads it for some minutes. */

import { type Html, html } from '../../../base/pages/html.ts';
import type { OperatorRequest } from '../request.ts';
import { moment } from '../view/parts.ts';

const EVERY_SECONDS = 10;
const MINUTES = 10;

/** Whether a page reloads itself, and the note about it. */
interface Live {
  /** When reloading stops, in milliseconds since 1970; null: the page does not reload. */
  readonly until: number | null;
  readonly notice: Html;
}

/**
 * Reads the parameter `live`: `1` starts reloading, and later addresses hold the time at which it stops.
 *
 * It stops by itself, so that a page that is left open does not send requests for ever or keep its operator signed in.
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
