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

const PAGE_STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: light-dark(#0b57d0, #a8c7fa); } a:visited { color: light-dark(#5f3dc4, #d0bcff); }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; width: 100%; } th, td { padding: .375rem .5rem .375rem 0; text-align: left; overflow-wrap: normal; border-bottom: 1px solid GrayText; }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
label { max-width: 100%; } select, input { display: block; } select, input, button { font: inherit; padding: .375rem .625rem; max-width: 100%; }
button { cursor: pointer; color: CanvasText; background: Canvas; border: 1px solid GrayText; border-radius: .375rem; }
button.primary { color: Canvas; background: CanvasText; } form p { flex-basis: 100%; margin: 0; }
ol, ul { padding-left: 2.5rem; } @media (max-width: 30rem) { table { font-size: .875rem; } th:nth-child(3), td:nth-child(3) { display: none; } }
li { margin: .375rem 0; } pre { margin: .25rem 0; white-space: pre-wrap; font-size: .8125rem; }
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
