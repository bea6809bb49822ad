/** The frame of every dashboard page: its menu, and room for tables. */

import { ADMIN_PATH, type CurrentSession, type DashboardParts } from '../../../base/dashboard/pages.ts';
import { badge, untrusted } from '../../../base/dashboard/parts.ts';
import { hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { Layout } from '../../../base/pages/page.ts';
import { ADMIN_STYLE } from './style.ts';

/** The menu; entries of modules follow, and operators end it. */
const SECTIONS = [
  ['', 'Overview'],
  ['/calls', 'Calls'],
  ['/partners', 'Partners'],
  ['/users', 'Users'],
  ['/connections', 'Connections'],
  ['/tools', 'Tools'],
  ['/upstreams', 'Upstreams'],
  ['/clients', 'Clients'],
  ['/grants', 'Grants'],
] as const;
const OPERATORS = ['/operators', 'Operators'] as const;

interface SignedIn {
  /** Path of the entry that is the current one. */
  readonly section: string;
  readonly session: CurrentSession;
  /** What modules add. */
  readonly parts: readonly DashboardParts[];
}

/**
 * The frame of one answer.
 *
 * @param signedIn null: no menu, for the sign-in page.
 */
export function toAdminLayout(signedIn: SignedIn | null): Layout {
  return {
    style: ADMIN_STYLE,
    frame: (content) => html`<a class="skip" href="#content">Skip to content</a>
<header>
<p class="brand"><a href="${ADMIN_PATH}">Unified Tool Gateway</a></p>
${signedIn === null ? null : menu(signedIn)}
</header>
<main id="content">
${content}
</main>`,
  };
}

function menu({ section, session, parts }: SignedIn): Html {
  const added = parts.flatMap(({ pages = [] }) =>
    pages.flatMap(({ path, menu: name }) => (name === undefined ? [] : [[path, name] as const])),
  );
  return html`<nav aria-label="Dashboard"><ul>${[...SECTIONS, ...added, OPERATORS].map(
    ([path, name]) =>
      html`<li><a href="${ADMIN_PATH}${path}"${path === section ? html` aria-current="page"` : null}>${name}</a></li>`,
  )}</ul></nav>
<p class="who">${untrusted(session.name)}${session.role === 'act' ? null : html` ${badge('may look')}`}</p>
<form method="post" action="${ADMIN_PATH}/sign-out">${hidden('csrf', session.csrf)}<button type="submit" class="plain">Sign out</button></form>`;
}
