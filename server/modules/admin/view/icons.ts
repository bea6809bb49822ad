/** The icons of the menu, drawn as lines of the colour of the text. */

import { type Html, html } from '../../../base/pages/html.ts';

/** Lines on a grid of 24 by the path of an entry. */
const LINES: Readonly<Record<string, string>> = {
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
const OTHER = 'M12 5a7 7 0 1 1 0 14 7 7 0 0 1 0-14';

/** Returns the icon of an entry. Its name is next to it. */
export function menuIcon(path: string): Html {
  return html`<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="${LINES[path] ?? OTHER}"/></svg>`;
}
