/** The frame of every dashboard page: its menu, one search over everything, links to the sections of a long page, and room for tables. */

import { raw } from 'hono/html';
import {
  ADMIN_PATH,
  type CurrentSession,
  type DashboardParts,
  MENU_GROUPS,
  type MenuGroup,
} from '../../../base/dashboard/pages.ts';
import { untrusted } from '../../../base/dashboard/parts.ts';
import { badge, button, hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { Layout } from '../../../base/pages/page.ts';
import { SCRIPT } from './script.ts';

type Entry = readonly [path: string, name: string, group: MenuGroup];

/** The menu. Entries of modules come last in their group. */
const SECTIONS: readonly Entry[] = [
  ['', 'Overview', 'Activity'],
  ['/calls', 'Calls', 'Activity'],
  ['/usage', 'Usage', 'Activity'],
  ['/partners', 'Partners', 'Access'],
  ['/users', 'Users', 'Access'],
  ['/connections', 'Connections', 'Access'],
  ['/clients', 'Clients', 'Access'],
  ['/grants', 'Grants', 'Access'],
  ['/tools', 'Tools', 'Catalogue'],
  ['/upstreams', 'Upstreams', 'Catalogue'],
  ['/operators', 'Operators', 'System'],
];

/** Path of the search over everything. */
export const SEARCH_PATH = '/search';

interface SignedIn {
  /** Path of the entry that is the current one. */
  readonly section: string;
  readonly session: CurrentSession;
  /** Entries of modules. */
  readonly parts: readonly DashboardParts[];
  /** See `RenderedPage`. */
  readonly script?: string | undefined;
}

/**
 * Returns the frame of one answer.
 *
 * @param signedIn operator whose menu it has, or null for the sign-in page.
 */
export function toAdminLayout(signedIn: SignedIn | null): Layout {
  if (signedIn === null) return { name: 'dashboard', frame: (content) => html`<main id="content">${content}</main>` };
  return {
    name: 'dashboard',
    script: SCRIPT + (signedIn.script ?? ''),
    readsFromHere: signedIn.script !== undefined,
    frame: (content) => html`<a class="skip" href="#content">Skip to content</a>
<header class="side">
<p class="brand"><a href="${ADMIN_PATH}">Unified Tool Gateway</a></p>
<form method="get" action="${ADMIN_PATH}${SEARCH_PATH}" role="search" aria-label="Everything"><input type="search" name="q" maxlength="200" placeholder="Search" aria-label="Search services, users, tools and calls" aria-keyshortcuts="/" autocomplete="off"></form>
${menu(signedIn)}
</header>
<main id="content">
${withContents(content)}
</main>`,
  };
}

function menu({ section, session, parts }: SignedIn): Html {
  const added = parts.flatMap(({ pages = [] }) =>
    pages.flatMap(({ path, menu: name, menuGroup = 'System' }): readonly Entry[] =>
      name === undefined ? [] : [[path, name, menuGroup]],
    ),
  );
  const entries = [...SECTIONS, ...added];
  const [, current = 'Menu'] = entries.find(([path]) => path === section) ?? [];
  return html`<details class="menu"><summary>${current}</summary>
<nav aria-label="Dashboard">${MENU_GROUPS.map(
    (group) =>
      html`<p id="menu-${group}">${group}</p><ul aria-labelledby="menu-${group}">${entries
        .filter(([, , its]) => its === group)
        .map(
          ([path, name]) =>
            html`<li><a href="${ADMIN_PATH}${path}"${path === section ? html` aria-current="page"` : null}>${menuIcon(path)}${name}</a></li>`,
        )}</ul>`,
  )}</nav>
<p class="who">${untrusted(session.name)} ${session.role === 'act' ? null : badge('may look')}<br><span id="zone">Times in UTC</span></p>
<form method="post" action="${ADMIN_PATH}/sign-out">${hidden('csrf', session.csrf)}${button('Sign out', { kind: 'plain' })}</form></details>`;
}

/** Lines of the menu's icons on a grid of 24, by the path of an entry. */
const ICON_LINES: Readonly<Record<string, string>> = {
  '': 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  '/calls': 'M3 12h4l3-8 4 16 3-8h4',
  '/usage': 'M5 20v-8M12 20V4M19 20v-5',
  '/live': 'M12 11a1 1 0 1 1 0 2 1 1 0 0 1 0-2M7 17a7 7 0 0 1 0-10M17 7a7 7 0 0 1 0 10',
  '/audit': 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3',
  '/partners': 'M4 21V8l8-5 8 5v13zM10 21v-6h4v6',
  '/users': 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8M4 21c0-4 4-6 8-6s8 2 8 6',
  '/connections': 'M9 7V3M15 7V3M7 7h10v4a5 5 0 0 1-10 0zM12 16v5',
  '/clients': 'M4 5h16v11H4zM9 20h6M12 16v4',
  '/grants': 'M8 11a4 4 0 1 1 0 8 4 4 0 0 1 0-8M11 12l9-9M16 7l3 3',
  '/tools': 'M14 7a4 4 0 0 1 5-4l-2 3 1 1 3-2a4 4 0 0 1-5 5L8 18a2 2 0 0 1-3-3z',
  '/upstreams': 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  '/operators': 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9 12l2 2 4-4',
};

/** Of an entry that a module adds and that is not listed. */
const OTHER_ICON = 'M12 5a7 7 0 1 1 0 14 7 7 0 0 1 0-14';

/** Returns the icon of an entry. Its name is next to it. */
function menuIcon(path: string): Html {
  return html`<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="${ICON_LINES[path] ?? OTHER_ICON}"/></svg>`;
}

/** A page with fewer sections is short enough to scroll. */
const MIN_SECTIONS = 5;

/** A heading of a section, but not of a card. Texts of others are escaped, so none of them can look like one. */
const HEADING = /(?<!<section class="card"[^>]*>)<h2(?: id="([^"]+)")?>(.*?)<\/h2>/gs;

/** Adds links to the sections before the first one, and the anchors that they lack. A page with few sections stays as it is. */
function withContents(content: Html): Html {
  const markup = String(content);
  const headings = [...markup.matchAll(HEADING)].map(([tag, id, inner = '']) => {
    // What follows in small letters is no part of the name.
    const title = inner
      .replace(/<small.*/s, '')
      .replaceAll(/<[^>]*>/g, '')
      .trim();
    return { tag, inner, title, id: id ?? title.toLowerCase().replaceAll(/[^a-z]+/g, '-') };
  });
  const [first] = headings;
  if (first === undefined || headings.length < MIN_SECTIONS) return content;
  const links = headings.map(({ id, title }) => html`<li><a href="#${id}">${raw(title)}</a></li>`);
  const anchored = headings.reduce(
    (text, { tag, id, inner }) => text.replace(tag, () => `<h2 id="${id}">${inner}</h2>`),
    markup,
  );
  const start = anchored.indexOf(`<h2 id="${first.id}">`);
  const list = html`<nav class="contents" aria-label="On this page"><ul>${links}</ul></nav>`;
  return html`${raw(anchored.slice(0, start))}${list}
${raw(anchored.slice(start))}`;
}
