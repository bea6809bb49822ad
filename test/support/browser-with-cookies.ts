/** A browser without scripts that keeps the cookies of several hosts, follows redirects, and submits forms. */

const MAX_STEPS = 20;

/** The address and content of the current page. */
export interface Seen {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class CookieBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Opens an address and follows redirects until one matches `stopAt`. */
  async open(address: string | URL, options: { stopAt?: RegExp; body?: URLSearchParams } = {}): Promise<Seen> {
    let url = new URL(address);
    let { body } = options;
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const seen = await this.#request(url, body);
      const location = seen.headers.get('location');
      if (location === null || seen.status < 300 || seen.status > 399) return seen;
      url = new URL(location, url);
      body = undefined;
      if (options.stopAt?.test(url.href) === true) return { ...seen, url };
    }
    throw new Error(`No end after ${MAX_STEPS} redirects, at ${url.href}`);
  }

  /** Submits the first form of a page, including its hidden fields. */
  submit(page: Seen, fields: Readonly<Record<string, string>>, options: { stopAt?: RegExp } = {}): Promise<Seen> {
    const [, action = ''] = /<form[^>]* action="([^"]*)"/.exec(page.text) ?? [];
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const body = new URLSearchParams(hidden.map(([, name = '', value = '']) => [name, value]));
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return this.open(new URL(action, page.url), { ...options, body });
  }

  async #request(url: URL, body: URLSearchParams | undefined): Promise<Seen> {
    const kept = this.#cookies.get(url.hostname) ?? new Map<string, string>();
    this.#cookies.set(url.hostname, kept);
    const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = cookie === '' ? {} : { Cookie: cookie };
    const response = await fetch(url, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers,
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') kept.delete(name);
      else kept.set(name, value);
    }
    return { url, status: response.status, headers: response.headers, text: await response.text() };
  }
}
