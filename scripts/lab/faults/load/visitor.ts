/** One caller with its own address, who uses pages and endpoints on whichever node takes the next request. */

import type { Answered, Request, Wire } from './wire.ts';

/** The response to a step was not the expected one. */
export class StepFailedError extends Error {
  override readonly name = 'StepFailedError';
  readonly answer: Answered;

  constructor(what: string, answer: Answered) {
    super(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
    this.answer = answer;
  }
}

export interface Visitor {
  readonly address: string;
  /** @param request.node default: chosen by `pickNode`. */
  ask(request: Omit<Request, 'node'> & { readonly node?: number }): Promise<Answered>;
  /** Opens a page, with the visitor's cookies, and follows redirects within the gateway; sends forms. */
  open(path: string, form?: URLSearchParams): Promise<Page>;
  /** @throws {StepFailedError} unless `isWell`; the request then counts as failed. */
  require(answer: Answered, isWell: boolean, what: string): void;
}

const MAX_REDIRECTS = 3;

interface Page {
  readonly answer: Answered;
  /** Where it redirects the browser; null: nowhere. */
  readonly location: string | null;
  /** Hidden and checked fields of its first form; null: no form. */
  readonly fields: URLSearchParams | null;
  /** Address that the form is sent to. */
  readonly action: string;
  /** Names of fields to type into. */
  readonly typed: readonly string[];
}

/**
 * @param address a local one, such as `127.0.3.4`. @param pickNode returns the index of the node for the next request.
 */
export function createVisitor(wire: Wire, address: string, pickNode: () => number): Visitor {
  const cookies = new Map<string, string>();
  const ask: Visitor['ask'] = (request) => wire({ ...request, node: request.node ?? pickNode() }, address);
  const openOne = async (path: string, form?: URLSearchParams): Promise<Page> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = cookie === '' ? {} : { cookie };
    const sent = form === undefined ? {} : ({ method: 'POST', body: form } as const);
    const answer = await ask({ surface: 'page', path, headers, ...sent });
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) cookies.set(name, value);
    }
    return toPage(answer);
  };
  return {
    address,
    ask,
    async open(path, form) {
      let page = await openOne(path, form);
      for (let left = MAX_REDIRECTS; page.location?.startsWith('/') === true && left > 0; left -= 1) {
        page = await openOne(page.location);
      }
      return page;
    },
    require(answer, isWell, what) {
      if (isWell) return;
      answer.exchange.failure = `${what}: ${answer.status}`;
      throw new StepFailedError(what, answer);
    },
  };
}

function toPage(answer: Answered): Page {
  const [form = ''] = /<form.*?<\/form>/s.exec(answer.text) ?? [];
  const inputs = [...form.matchAll(/<input type="(\w+)"[^>]*>/g)].map(([input, type]) => ({ input, type }));
  const sent = inputs.filter(({ input, type }) => type === 'hidden' || input.endsWith(' checked>'));
  return {
    answer,
    location: answer.headers.location ?? null,
    fields:
      form === ''
        ? null
        : new URLSearchParams(sent.map(({ input }) => [attribute(input, 'name'), attribute(input, 'value')])),
    action: attribute(form, 'action'),
    typed: inputs
      .filter(({ type }) => type === 'password' || type === 'text')
      .map(({ input }) => attribute(input, 'name')),
  };
}

function attribute(tag: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
}
