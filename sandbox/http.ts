/** Requests to the sandbox and its answers: the types, and answers in JSON and HTML. */

/** A request to a service or to an authorization server. */
export interface SandboxRequest {
  readonly method: string;
  /** Absolute, as the caller sees it. */
  readonly url: URL;
  /** The issuer of the service, at which its paths begin: the origin, or the address of the service there. */
  readonly base: string;
  /** Percent-encoded; for a service without its prefix. */
  readonly pathname: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** No `form-action`: the form of an authorization page redirects to the client. */
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/** The tokens have the names and values of the gateway's style sheet, so that the pages of both look alike. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --page: #f6f7f9; --card: #ffffff; --sunken: #f0f2f5; --text: #14171f; --quiet: #586070; --line: #e3e6eb; --edge: #868e9c; --accent: #3b4356; --accent-text: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --page: #0d0f14; --card: #161920; --sunken: #1f232c; --text: #e9ebf0; --quiet: #a2a9b7; --line: #2a2f3a; --edge: #6d7585; --accent: #d5dae5; --accent-text: #14171f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; letter-spacing: -.01em; } h2 { margin: 2rem 0 .75rem; font-size: 1.125rem; line-height: 1.3; }
table, form, main > ol, main > ul { background: var(--card); border: 1px solid var(--line); border-radius: .625rem; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .8125rem; } th, td { padding: .4375rem 1rem; text-align: left; overflow-wrap: normal; }
th { color: var(--quiet); font-weight: 500; } td { border-top: 1px solid var(--line); }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; padding: 1rem 1.5rem; }
label { max-width: 100%; font-weight: 600; } select, input { display: block; margin: .25rem 0 0; color: inherit; background: var(--card); } select, input, button { min-height: 2.5rem; font: inherit; font-weight: 400; padding: .5rem .75rem; max-width: 100%; border: 1px solid var(--edge); border-radius: .625rem; }
button { cursor: pointer; font-weight: 600; color: var(--text); background: var(--card); } button:hover { background: var(--sunken); }
button.primary { color: var(--accent-text); background: var(--accent); border-color: var(--accent); } form p { flex-basis: 100%; margin: 0; }
ol, ul { padding: .5rem 1rem .5rem 3rem; } @media (max-width: 30rem) { th, td { padding: .375rem .75rem; } th:nth-child(3), td:nth-child(3) { display: none; } }
li { margin: .375rem 0; } code, pre { font: .8125rem ui-monospace, "Cascadia Mono", "Segoe UI Mono", "Liberation Mono", Menlo, monospace; } pre { margin: .25rem 0; padding: .5rem .75rem; white-space: pre-wrap; background: var(--sunken); border-radius: .375rem; }
`;

export function toJsonAnswer(status: number, value: unknown, headers: PlainAnswer['headers'] = {}): PlainAnswer {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/**
 * @param title plain text.
 * @param content HTML.
 * @param headers added to the common ones.
 */
export function toPage(
  status: number,
  title: string,
  content: string,
  headers: Readonly<Record<string, string>> = {},
): PlainAnswer {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${PAGE_STYLE}</style></head>
<body><main>
${content}
</main></body>
</html>
`;
  const fixed = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': POLICY,
  };
  return { status, headers: { ...fixed, ...headers }, body: Buffer.from(html) };
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
