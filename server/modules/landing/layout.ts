/** The frame of the landing page: one column of text, and a script that adds copy buttons. */

import { html } from '../../base/pages/html.ts';
import type { Layout } from '../../base/pages/page.ts';
import { STYLE } from '../../base/pages/style.ts';

/** Adds a button to every text to copy. Without a script there is no button, and the text can be selected. */
const SCRIPT = `
const status = document.getElementById('copied');
for (const text of document.querySelectorAll('pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy ' + text.getAttribute('aria-label'));
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      status.textContent = button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(text);
      status.textContent = button.textContent = 'Selected: copy it with the keyboard';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 3000);
  });
  text.after(button);
}
`;

export const LANDING_LAYOUT: Layout = {
  style: `${STYLE}
body { display: block; padding: 1rem; }
main { max-width: 46rem; margin: 2rem auto; }
footer { margin: 0 auto; }
h2 { margin: 2rem 0 .5rem; font-size: 1.25rem; }
h3 { margin: 1.5rem 0 .25rem; font-size: 1rem; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 .5rem; }
summary { padding: .625rem 1rem; font-weight: 600; cursor: pointer; }
details > div { padding: 0 1rem 1rem; }
details p { margin: 0 0 .5rem; }
pre { margin: 0 0 .5rem; padding: .75rem 1rem; background: var(--page); border: 1px solid var(--line); border-radius: .5rem;
  font: .875rem/1.5 ui-monospace, "Cascadia Mono", "Segoe UI Mono", "Liberation Mono", Menlo, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
pre + button { min-height: 2.25rem; padding: .25rem .75rem; margin: 0 0 .75rem; font-size: .9375rem; }
.install { display: inline-block; padding: .5rem 1rem; margin: 0 .5rem .5rem 0; font-weight: 600; text-decoration: none;
  color: var(--accent-text); background: var(--accent); border: 1px solid var(--accent); border-radius: .5rem; }
.install:hover { background: var(--accent-hover); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) { body { padding: 0; } main { margin: 0; } }
`,
  script: SCRIPT,
  frame: (content) => html`<main>
${content}
</main>
<p id="copied" class="unseen" role="status"></p>
<footer>Unified Tool Gateway</footer>`,
};
