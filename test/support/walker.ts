/** Simulates a person in a browser without scripts: opens pages, presses buttons, keeps cookies, follows redirects. */

const MAX_REDIRECTS = 10;

/** An opened page. */
export interface WalkedPage {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Walker {
  open(url: string | URL): Promise<WalkedPage>;
  /**
   * Presses the button with this text in the form that contains all of `where`, and opens the page that follows.
   *
   * @throws {Error} with the page if it has no such button.
   */
  press(
    page: WalkedPage,
    label: string,
    fields?: Readonly<Record<string, string>>,
    where?: string,
  ): Promise<WalkedPage>;
}

export function createWalker(): Walker {
  const cookies = new Map<string, string>();

  async function open(start: string | URL, init: RequestInit = {}): Promise<WalkedPage> {
    let url = new URL(start);
    let sent = init;
    for (let step = 0; step < MAX_REDIRECTS; step += 1) {
      const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const headers = { ...(sent.headers as Record<string, string>), Cookie };
      const response = await fetch(url, { ...sent, headers, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null)
        return { url, status: response.status, headers: response.headers, text: await response.text() };
      url = new URL(location, url);
      sent = {};
    }
    throw new Error(`No end after ${MAX_REDIRECTS} redirects, at ${url.href}`);
  }

  return {
    open: (url) => open(url),
    press(page, label, fields = {}, where = '') {
      const forms = page.text.match(/<form[\s\S]*?<\/form>/g) ?? [];
      for (const form of forms.filter((each) => each.includes(where))) {
        const buttons = [...form.matchAll(/<button([^>]*)>([\s\S]*?)<\/button>/g)];
        const button = buttons.find(([, , text = '']) => text.replaceAll(/<[^>]*>/g, '').trim() === label);
        if (button === undefined) continue;
        const hidden = [...form.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => input);
        const body = new URLSearchParams([...hidden, button[1] ?? ''].flatMap(toField));
        for (const [name, value] of Object.entries(fields)) body.set(name, value);
        const action = attributeOf(/<form[^>]*>/.exec(form)?.[0] ?? '', 'action') ?? page.url.href;
        return open(new URL(action, page.url), { method: 'POST', body, headers: { Origin: page.url.origin } });
      }
      throw new Error(`No button "${label}" at ${page.url.href}:\n${page.text}`);
    },
  };
}

function toField(element: string): [string, string][] {
  const name = attributeOf(element, 'name');
  return name === null ? [] : [[name, attributeOf(element, 'value') ?? '']];
}

function attributeOf(element: string, name: string): string | null {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(element)?.[1];
  return value === undefined ? null : value.replaceAll('&amp;', '&');
}
