/** The style sheet of all pages: readable at phone width, in light and dark mode, with larger text and forced colors. */

import { createHash } from 'node:crypto';

/** Backgrounds of text and controls. */
export const GROUNDS = {
  light: { page: '#f3f4f6', card: '#ffffff' },
  dark: { page: '#0e1117', card: '#181c24' },
} as const;

/** The content of the `<style>` element. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: ${GROUNDS.light.page}; --card: ${GROUNDS.light.card}; --text: #15181e; --quiet: #555d6b; --line: #d3d8e0;
  --accent: #1d4ed8; --accent-text: #ffffff; --accent-hover: #1e40af;
  --alert: #b42318; --alert-page: #fef3f2; --caution: #8a4b08; --caution-page: #fff7e6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: ${GROUNDS.dark.page}; --card: ${GROUNDS.dark.card}; --text: #e8ebf0; --quiet: #a3acba; --line: #353c49;
    --accent: #7aa2ff; --accent-text: #0b1226; --accent-hover: #9bb9ff;
    --alert: #ff9b8f; --alert-page: #33181a; --caution: #f5c26b; --caution-page: #2e2413;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 1rem; min-height: 100vh; display: flex; flex-direction: column; align-items: center; justify-content: center;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif;
  overflow-wrap: anywhere;
}
main { width: 100%; max-width: 31rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
footer { max-width: 31rem; padding: 1rem; color: var(--quiet); font-size: .875rem; text-align: center; }
main > :last-child { margin-bottom: 0; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: 0 0 1rem; }
a { color: var(--accent); }
.quiet { color: var(--quiet); font-size: .9375rem; }
.notice { margin: 0 0 1rem; padding: .75rem 1rem; border-left: .25rem solid; border-radius: .25rem; }
.notice p { margin: .25rem 0 0; }
.notice strong { display: block; }
.alert { border-color: var(--alert); background: var(--alert-page); }
.alert strong { color: var(--alert); }
.caution { border-color: var(--caution); background: var(--caution-page); }
.caution strong { color: var(--caution); }
label, legend { font-weight: 600; }
input[type="text"], input[type="password"] {
  display: block; width: 100%; margin: .375rem 0; padding: .625rem .75rem;
  font: 1.25rem/1.5 ui-monospace, "Cascadia Mono", "Segoe UI Mono", "Liberation Mono", Menlo, monospace; letter-spacing: .06em;
  color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: .5rem;
}
input[aria-invalid="true"] { border: 2px solid var(--alert); }
dl { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: .5rem; }
dl div { padding: .625rem 1rem; }
dl div + div { border-top: 1px solid var(--line); }
dt { color: var(--quiet); font-size: .875rem; }
dd { margin: 0; }
dd > code:only-child { display: block; max-height: 24rem; overflow: auto; white-space: pre-line; }
dd small, li { unicode-bidi: isolate; }
dd small { display: block; color: var(--quiet); font-size: .875rem; }
ul { margin: .25rem 0 0; padding-left: 1.25rem; }
fieldset { margin: 0 0 1rem; padding: .5rem 1rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
.choice { display: grid; grid-template-columns: auto 1fr; gap: 0 .75rem; padding-top: .625rem; }
.choice input { width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; accent-color: var(--accent); }
.choice label { font-weight: 400; }
.choice small { display: block; color: var(--quiet); font-size: .875rem; }
details { margin: .25rem 0 0 2rem; }
details.scopes { margin: 0 0 1rem; }
p.scopes { margin: .25rem 0 0 2rem; color: var(--quiet); font-size: .875rem; }
summary { padding: .375rem 0; color: var(--accent); cursor: pointer; }
.logo {
  display: inline-grid; place-items: center; min-width: 2rem; height: 2rem; margin-right: .5rem; padding: 0 .375rem;
  font-weight: 700; color: var(--accent-text); background: var(--accent); border-radius: .5rem;
}
img.logo {
  width: 2.5rem; height: 2.5rem; padding: .125rem; vertical-align: middle; object-fit: contain;
  background: #ffffff; border: 1px solid var(--line);
}
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
button {
  flex: 1 1 8rem; min-height: 2.75rem; padding: .5rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--text); background: transparent; border: 1px solid var(--quiet); border-radius: .5rem;
}
button:hover { border-color: var(--text); }
button.primary { color: var(--accent-text); background: var(--accent); border-color: var(--accent); }
button.primary:hover { background: var(--accent-hover); border-color: var(--accent-hover); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) {
  body { padding: 0; justify-content: flex-start; background: var(--card); }
  main { padding: 1.25rem; border: 0; border-radius: 0; }
}
@media (forced-colors: active) { .notice, button { border-style: solid; } }
`;

/** An inline sheet or script as a source expression of a Content Security Policy (CSP Level 3 §6.7.2.2), including quotes. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}
