/** Lists of the dashboard: a search form, a table in pages, and links between the pages. */

import { button, hiddenFields } from '../pages/components.ts';
import { type Html, html } from '../pages/html.ts';
import { type ListPage, type PageCursor, readListPage } from '../store/list-page.ts';
import { type Field, field } from './forms.ts';
import type { OperatorRequest } from './pages.ts';
import { type Table, table } from './parts.ts';

const PAGE_SIZE = 50;

/** Parameters of a query; null values are left out. */
export type Parameters = Readonly<Record<string, string | null>>;

/** An address with a query. */
export function address(path: string, parameters: Parameters): string {
  const query = new URLSearchParams(withoutNulls(parameters) as Record<string, string>);
  // A colon is itself in a query (RFC 3986 §3.4).
  return query.size === 0 ? path : `${path}?${query.toString().replaceAll('%3A', ':')}`;
}

/** Returns the members that are not null. */
export function withoutNulls<Members extends object>(
  members: Members,
): {
  readonly [Name in keyof Members]?: Exclude<Members[Name], null>;
} {
  const entries = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [Name in keyof Members]?: Exclude<Members[Name], null> };
}

interface SearchOptions {
  /** Parameters that it sends on. */
  readonly hiddenParameters?: Parameters;
  /** Default `Search`. */
  readonly button?: string;
  /** Filters that one press sets, and another removes. */
  readonly quickFilters?: Readonly<Record<string, Parameters>>;
}

/** The filters of a list: those that are offered or set as chips, then the form with all of them. */
export function searchForm(
  path: string,
  fields: readonly Field[],
  { hiddenParameters = {}, button: label = 'Search', quickFilters = {} }: SearchOptions = {},
): Html {
  const show = (shownFields: readonly Field[]) => shownFields.map((formField) => html`${field(formField)}\n`);
  const folded = fields.filter(({ folded: isFolded }) => isFolded === true);
  const unfolded = fields.filter((formField) => !folded.includes(formField));
  const submit = button(label);
  const isAllFolded = unfolded.length === 0;
  const fold = html`<details><summary>More filters</summary><div class="filters">${show(folded)}${isAllFolded ? submit : null}</div></details>`;
  return html`${filterChips(path, fields, { hiddenParameters, quickFilters })}
<form method="get" action="${path}" class="filters" role="search" aria-label="Filters">
${hiddenFields(hiddenParameters)}
${show(unfolded)}${isAllFolded ? null : submit}${folded.length === 0 ? null : fold}</form>`;
}

function filterChips(
  path: string,
  fields: readonly Field[],
  { hiddenParameters = {}, quickFilters = {} }: SearchOptions,
) {
  const values: Parameters = {
    ...hiddenParameters,
    ...Object.fromEntries(fields.map(({ name, value }) => [name, value ?? null])),
  };
  const isSet = (parameters: Parameters) => Object.entries(parameters).every(([name, value]) => values[name] === value);
  const isInQuickFilter = (name: string) =>
    Object.values(quickFilters).some((parameters) => isSet(parameters) && name in parameters);
  const quickFilterChips = Object.entries(quickFilters).map(([text, parameters]) => {
    const cleared = Object.fromEntries(Object.keys(parameters).map((name) => [name, null]));
    const filterUrl = address(path, { ...values, ...(isSet(parameters) ? cleared : parameters) });
    return html`<li><a href="${filterUrl}"${isSet(parameters) ? html` aria-current="true"` : null}>${text}</a></li>`;
  });
  const activeFilterChips = fields.flatMap(({ name, label, value = null, options = [] }) => {
    if (value === null || value === '' || isInQuickFilter(name)) return [];
    const [, text] = options.find(([option]) => option === value) ?? [value, value];
    return html`<li><a href="${address(path, { ...values, [name]: null })}" aria-current="true" title="Remove this filter">${label}: <bdi>${text}</bdi> ×</a></li>`;
  });
  return quickFilterChips.length + activeFilterChips.length === 0
    ? null
    : html`<ul class="chips" aria-label="Filters">${quickFilterChips}${activeFilterChips}</ul>`;
}

/** Reads the first `limit` rows from a place on (see `readListPage`). */
type Read<Row> = (cursor: PageCursor, limit: number) => Promise<readonly Row[]>;

/** A table in pages. */
export interface List<Row> extends Table<Row>, Pager {
  /** Rows per page. Default 50. */
  readonly pageSize?: number;
  /** Key of a row. */
  keyOf(row: Row): string;
}

/** The page of the list that was asked for, with links to the pages on both sides. */
export async function list<Row>(request: OperatorRequest, read: Read<Row>, options: List<NoInfer<Row>>): Promise<Html> {
  return showList(await readList(request, read, options), { now: request.now, ...options });
}

/** Reads the page of the list that was asked for. */
export function readList<Row>(
  { query }: OperatorRequest,
  read: Read<Row>,
  { pageSize = PAGE_SIZE, keyOf, list = '' }: List<NoInfer<Row>>,
): Promise<ListPage<Row>> {
  return readListPage({ place: readCursor(query, list), limit: pageSize, read, keyOf });
}

export function showList<Row>(page: ListPage<Row>, options: List<Row>): Html {
  return html`${table(page.rows, options)}
${pager(page, options)}`;
}

/** Returns the place where the requested page begins. @param list distinguishes several lists on one page. */
export function readCursor(query: (name: string) => string | null, list = ''): PageCursor {
  const before = query(`${list}before`);
  const after = query(`${list}after`);
  if (before !== null) return { before };
  return after === null ? {} : { after };
}

interface Pager {
  readonly path: string;
  /** The filters of the list. */
  readonly parameters?: Parameters;
  /** See `readCursor`. */
  readonly list?: string;
  /** Default: `Newer` and `Older`. */
  readonly words?: readonly [back: string, on: string];
  readonly anchor?: string;
}

/** Links to the pages on both sides; nothing where the list has one page. */
export function pager({ newer, older }: ListPage<unknown>, options: Pager): Html | null {
  const { path, parameters = {}, list = '', words = ['Newer', 'Older'], anchor } = options;
  const addressOf = (name: 'before' | 'after', key: string | null) => {
    if (key === null) return null;
    return address(path, { ...parameters, [list + name]: key }) + (anchor === undefined ? '' : `#${anchor}`);
  };
  return pageLinks(addressOf('after', newer), addressOf('before', older), { words, list: list.replace(/-$/, '') });
}

/** Returns links to the pages on both sides. @param back null where there is no page before. @param on null where there is none after. */
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

/** The parameters of a page's address, by name. */
export function parametersOf<Name extends string>(
  query: (name: string) => string | null,
  names: readonly Name[],
): Readonly<Record<Name, string | null>> {
  return Object.fromEntries(names.map((name) => [name, query(name)])) as Record<Name, string | null>;
}
