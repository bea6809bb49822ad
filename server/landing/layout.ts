/** The frame of the landing page: one column to read. */

import { html } from '../pages/html.ts';
import type { Layout } from '../pages/page.ts';
import { STYLE } from '../pages/style.ts';

export const LANDING_LAYOUT: Layout = {
  style: `${STYLE}
body { display: block; padding: 1rem; }
main { max-width: 46rem; margin: 2rem auto; }
footer { margin: 0 auto; }
h2 { margin: 2rem 0 .5rem; font-size: 1.25rem; }
h3 { margin: 1.5rem 0 .25rem; font-size: 1rem; }
section p { margin: 0 0 .5rem; }
pre { margin: 0 0 .5rem; padding: .75rem 1rem; overflow-x: auto; background: var(--page); border: 1px solid var(--line); border-radius: .5rem;
  font: .875rem/1.5 ui-monospace, "Cascadia Mono", "Segoe UI Mono", "Liberation Mono", Menlo, monospace; overflow-wrap: normal; }
@media (max-width: 30rem) { body { padding: 0; } main { margin: 0; } }
`,
  frame: (content) => html`<main>
${content}
</main>
<footer>Unified Tool Gateway</footer>`,
};
