/** The frame of a user's own page: one column, wide enough for lists. */

import { html } from '../../../base/pages/html.ts';
import type { Layout } from '../../../base/pages/page.ts';
import { STYLE } from '../../../base/pages/style.ts';

export const USER_LAYOUT: Layout = {
  style: `${STYLE}
body { display: block; }
main { max-width: 46rem; margin: 1rem auto; }
footer { margin: 0 auto; }
h2 { margin: 2rem 0 .75rem; font-size: 1.25rem; }
h3 { margin: 0 0 .25rem; font-size: 1.0625rem; }
article { margin: 0 0 1rem; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
article > :last-child { margin-bottom: 0; }
article dl { border: 0; margin: .5rem 0; }
article dl div, article dl div + div { display: grid; grid-template-columns: 8.5rem 1fr; gap: 0 .75rem; padding: .25rem 0; border: 0; }
article > dl + p { margin: .875rem 0 0; }
article dt { line-height: 1.7; }
article .actions { margin-top: .75rem; }
article ul, dd ul { margin: 0; }
summary { display: inline-block; min-height: 1.5rem; cursor: pointer; color: var(--accent); text-decoration: underline; }
form, main > ul { margin: 0 0 1rem; }
details { margin: .25rem 0 0; }
details form { margin: .5rem 0 0; }
details p { margin: 0; }
button { flex: 0 1 auto; }
details.danger > summary, button.danger { color: var(--alert); border-color: var(--alert); }
time { white-space: nowrap; }
.owner { padding: .75rem 1rem; background: var(--page); border-radius: .5rem; }
.done { border-color: var(--accent); background: var(--page); }
@media (max-width: 30rem) { main { margin: 0; } article dl div, article dl div + div { grid-template-columns: 4.75rem 1fr; } article ul { padding-left: 1rem; } article .actions button, details button { flex: 1 1 100%; width: 100%; } }
`,
  frame: (content) => html`<main>
${content}
</main>
<footer>Unified Tool Gateway</footer>`,
};
