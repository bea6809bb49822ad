/** The frame of every dashboard page: its menu, one search over everything, and room for tables. */

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
import { withContents } from './contents.ts';
import { menuIcon } from './icons.ts';
import { SCRIPT } from './script.ts';

type Entry = readonly [path: string, name: string, group: MenuGroup];

/** The menu. Entries of modules come last in their group. */
const SECTIONS: readonly Entry[] = [
  ['', 'Overview', 'Activity'],
  ['/calls', 'Calls', 'Activity'],
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
    script: SCRIPT,
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
