/** Renders a tool report as it appears in a pull request: its Markdown on a plain page. */

import { readFile } from 'node:fs/promises';
import { Marked } from 'marked';
import { html } from '../../../server/base/pages/html.ts';

const STYLE = `
:root { color-scheme: light dark; --page: #fff; --head: #f6f8fa; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --link: #0969da; --code: #818b981f; --plus: #dafbe1; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --head: #151b23; --text: #f0f6fc; --quiet: #9198a1; --line: #3d444d; --link: #4493f8; --code: #656c7633; --plus: #12261e; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem; background: var(--page); color: var(--text); font: 14px/1.5 system-ui, "Liberation Sans", sans-serif; }
.title { max-width: 58rem; margin: 0 auto 1rem; font-size: 1.5rem; }
.title span { color: var(--quiet); }
article { max-width: 58rem; margin: 0 auto; border: 1px solid var(--line); border-radius: 6px; }
header { padding: .5rem 1rem; background: var(--head); border-bottom: 1px solid var(--line); border-radius: 6px 6px 0 0; color: var(--quiet); }
header b { color: var(--text); }
.body { padding: .5rem 1rem 1rem; }
h2 { font-size: 1.5em; padding-bottom: .3em; border-bottom: 1px solid var(--line); margin: .5rem 0 1rem; }
h3 { font-size: 1.25em; margin: 1.25rem 0 .75rem; }
p { margin: 0 0 .75rem; }
table { border-collapse: collapse; margin: 0 0 1rem; }
th, td { padding: 6px 13px; border: 1px solid var(--line); }
code { padding: .2em .4em; border-radius: 6px; background: var(--code); font: 85% ui-monospace, "Liberation Mono", monospace; overflow-wrap: anywhere; }
pre { margin: .5rem 0; padding: .75rem 1rem; border-radius: 6px; background: var(--head); }
pre code { display: block; padding: 0; background: none; overflow-wrap: normal; }
ins { display: block; background: var(--plus); text-decoration: none; }
ul { margin: 0 0 .75rem; padding-left: 2em; } li { margin: .25rem 0; }
summary { cursor: pointer; margin: .25rem 0; }
`;

/** Highlights added lines as GitHub does. */
const markdown = new Marked({
  renderer: {
    code({ text }) {
      const lines = String(html`${text}`).replaceAll(/^\+.*$\n?/gm, (line) => `<ins>${line.trimEnd()}</ins>`);
      return `<pre><code>${lines}</code></pre>`;
    },
  },
});

/**
 * @param file Markdown that codegen wrote.
 * @returns a complete page.
 */
export async function renderPullRequest(file: string): Promise<string> {
  const report = await markdown.parse(await readFile(file, 'utf8'));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tool changes</title><style>${STYLE}</style></head>
<body><h1 class="title">Update the descriptor of notes <span>#42</span></h1>
<article><header><b>github-actions</b> commented</header><div class="body">${report}</div></article></body></html>`;
}
