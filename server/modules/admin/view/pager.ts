/** Links between the pages of a list, and between pages of the dashboard. */

import { type Html, html } from '../../../base/pages/html.ts';
import type { ListPage, ListPlace } from '../../../base/store/reports/list-page.ts';

/** Parameters of a query; null values are left out. */
export type Parameters = Readonly<Record<string, string | null>>;

/** An address with a query. */
export function address(path: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Where the requested page begins. @param list distinguishes several lists on one page. */
export function placeIn(query: (name: string) => string | null, list = ''): ListPlace {
  const [before, after] = [query(`${list}before`), query(`${list}after`)];
  if (before !== null) return { before };
  return after === null ? {} : { after };
}

interface Pager {
  readonly path: string;
  /** The filters of the list. */
  readonly parameters?: Parameters;
  /** See `placeIn`. */
  readonly list?: string;
  /** Default: `Newer` and `Older`. */
  readonly words?: readonly [back: string, on: string];
  readonly anchor?: string;
}

/** Links to the pages on both sides; nothing where the list has one page. */
export function pager({ newer, older }: Pick<ListPage<unknown>, 'newer' | 'older'>, options: Pager): Html | null {
  const { path, parameters = {}, list = '', words = ['Newer', 'Older'], anchor } = options;
  const addressOf = (name: 'before' | 'after', place: string | null) => {
    if (place === null) return null;
    return address(path, { ...parameters, [list + name]: place }) + (anchor === undefined ? '' : `#${anchor}`);
  };
  return pageLinks(addressOf('after', newer), addressOf('before', older), { words, list: list.replace(/-$/, '') });
}

/** Links to two addresses; null: there is no page on that side. */
export function pageLinks(
  back: string | null,
  on: string | null,
  { words = ['Previous', 'Next'], list = '' }: { words?: readonly [back: string, on: string]; list?: string } = {},
): Html | null {
  if (back === null && on === null) return null;
  const link = (to: string | null, relation: string, word: string) =>
    to === null ? null : html`<li><a href="${to}" rel="${relation}">${word}</a></li>`;
  return html`<nav class="pager" aria-label="Pages${list === '' ? '' : ` of ${list}`}"><ul>${link(back, 'prev', words[0])}${link(on, 'next', words[1])}</ul></nav>`;
}
