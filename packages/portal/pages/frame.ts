/** The frame of the portal's pages: the navigation, the person, and the message of the last form. */

import { badge, button, foreign, hidden, toast } from '../../../server/base/pages/components.ts';
import { type Html, html } from '../../../server/base/pages/html.ts';
import type { Layout } from '../../../server/base/pages/page.ts';
import type { PortalRequest } from '../request.ts';
import { PAGE_SCRIPT } from './script.ts';

/** An entry of the navigation. */
export interface PortalSection {
  readonly path: string;
  readonly name: string;
}

export const SECTIONS: readonly PortalSection[] = [
  { path: '/services', name: 'Services' },
  { path: '/clients', name: 'AI clients' },
  { path: '/approvals', name: 'Approvals' },
  { path: '/activity', name: 'Activity' },
  { path: '/access', name: 'Access' },
];

/** Parts of the frame that differ from page to page. */
interface FrameParts {
  readonly sections: readonly PortalSection[];
  /** Calls that wait for the person. */
  readonly waiting: number;
}

/** Returns the frame of one answer. */
export function frameOf(request: PortalRequest, { sections, waiting }: FrameParts): Layout {
  const { csrf, flash, gateway, person } = request;
  const items = sections.map((section) => {
    const isCurrent = isWithin(request.ctx.path, section.path);
    const count = section.path === '/approvals' && waiting > 0 ? waitingBadge(waiting) : null;
    return html`<li><a href="${section.path}"${isCurrent ? html` aria-current="page"` : null}>${section.name}${count}</a></li>`;
  });
  return {
    name: 'document',
    script: PAGE_SCRIPT,
    readsFromHere: true,
    gateway,
    frame: (content) => html`<a class="skip" href="#content">Skip to content</a>
<header class="signed-in"><p>Signed in as <strong>${foreign(person.name)}</strong></p>
<form method="post" action="/sign-out">${hidden('csrf', csrf)}${button('Sign out', { kind: 'plain' })}</form></header>
<nav aria-label="Portal"><ul class="chips">${items}</ul></nav>
<main id="content">
${content}
${flash === null ? null : toast(flash)}
</main>
<p id="copied" class="unseen" role="status"></p>
<script src="${gateway}/connect.js" defer></script>`,
  };
}

function waitingBadge(waiting: number): Html {
  return html` ${badge(String(waiting), 'warn')}<span class="unseen"> waiting for you</span>`;
}

/** The start page is the page of services. */
function isWithin(path: string, section: string): boolean {
  if (path === '/') return section === '/services';
  return path === section || path.startsWith(`${section}/`);
}
