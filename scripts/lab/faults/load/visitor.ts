/** One caller with its own address and cookies, each of whose requests goes to some node on a new connection, and is recorded. */

import { Agent, request } from 'undici';
import { type Answer, findFormProblem, type Surface } from '../ledger/answer-form.ts';

/** One request and its result. */
export interface Exchange {
  /** Index of the node. */
  readonly node: number;
  /** Method and path, without its query. */
  readonly name: string;
  /** `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null if there was no response. */
  readonly status: number | null;
  /** The problem with the form of the response; null if there is none. */
  readonly formProblem: string | null;
  /** The reason why the response was not the expected one; null if it was. */
  failure: string | null;
}

export interface RecordedAnswer extends Answer {
  readonly exchange: Exchange;
}

/** The response to a step was not the expected one, or there was none. */
export class FailedStepError extends Error {
  override readonly name = 'FailedStepError';
}

interface Page {
  readonly answer: RecordedAnswer;
  /** The address to which it redirects the browser, or undefined. */
  readonly location: string | undefined;
  /** Hidden and checked fields of its first form; null if it has no form. */
  readonly fields: URLSearchParams | null;
  /** Address that the form is sent to. */
  readonly action: string;
  /** Names of fields to type into. */
  readonly textFields: readonly string[];
}

export interface Visitor {
  /** Sends a POST request with a form or with JSON. @throws {FailedStepError} if there is no response. */
  post(
    surface: Surface,
    path: string,
    body: URLSearchParams | object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<RecordedAnswer>;
  /** Opens a page, and follows redirects within the gateway; sends a form. */
  open(path: string, form?: URLSearchParams): Promise<Page>;
}

const MAX_REDIRECTS = 3;
/** Longer than a node waits for its database and its upstreams together. */
const TIMEOUT_MS = 25_000;

/**
 * @param localAddress such as `127.0.3.4`. @param pickNode returns the index of the node for the next request.
 * @param record is called for every exchange when it has ended.
 */
export function createVisitor(
  ports: readonly number[],
  localAddress: string,
  pickNode: () => number,
  record: (exchange: Exchange) => void,
): Visitor {
  const cookies = new Map<string, string>();

  async function send(
    surface: Surface,
    path: string,
    options: { readonly headers: Readonly<Record<string, string>>; readonly body: string | null },
  ): Promise<RecordedAnswer> {
    const node = pickNode();
    const method = options.body === null ? 'GET' : 'POST';
    const dispatcher = new Agent({ localAddress, pipelining: 0 });
    const startedAt = performance.now();
    const end = (status: number | null, formProblem: string | null, failure: string | null): Exchange => {
      const name = `${method} ${path.replace(/\?.*/, '')}`;
      const exchange = { node, name, startedAt, endedAt: performance.now(), status, formProblem, failure };
      record(exchange);
      return exchange;
    };
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const url = `http://127.0.0.1:${ports[node]}${path}`;
      const { statusCode: status, headers, body } = await request(url, { ...options, method, dispatcher, signal });
      const answer = { status, headers, text: await body.text() };
      return { ...answer, exchange: end(status, findFormProblem(surface, answer), null) };
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      end(null, null, reason);
      throw new FailedStepError(reason);
    } finally {
      void dispatcher.close();
    }
  }

  async function openOne(path: string, form: URLSearchParams | null): Promise<Page> {
    const headers: Record<string, string> = {};
    if (form !== null) headers['content-type'] = 'application/x-www-form-urlencoded';
    if (cookies.size > 0) headers.cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await send('page', path, { headers, body: form?.toString() ?? null });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) cookies.set(name, value);
    }
    return toPage(answer);
  }

  return {
    post(surface, path, body, headers) {
      const isForm = body instanceof URLSearchParams;
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
      const text = isForm ? body.toString() : JSON.stringify(body);
      return send(surface, path, { headers: { ...headers, 'content-type': type }, body: text });
    },
    async open(path, form) {
      let page = await openOne(path, form ?? null);
      for (let redirectsLeft = MAX_REDIRECTS; page.location?.startsWith('/') && redirectsLeft > 0; redirectsLeft -= 1) {
        page = await openOne(page.location, null);
      }
      return page;
    },
  };
}

/** Marks the request as failed unless the answer is the expected one. @throws {FailedStepError} */
export function requireAnswer(answer: RecordedAnswer, isExpected: boolean, step: string): void {
  if (isExpected) return;
  answer.exchange.failure = `${step}: ${answer.status}`;
  throw new FailedStepError(`${step}: ${answer.status} ${answer.text.slice(0, 200)}`);
}

function toPage(answer: RecordedAnswer): Page {
  const form = /<form.*?<\/form>/s.exec(answer.text)?.[0];
  const inputs = [...(form ?? '').matchAll(/<input type="(\w+)"[^>]*>/g)].map(([input, type = '']) => ({
    type,
    name: readAttribute(input, 'name'),
    value: readAttribute(input, 'value'),
    isChecked: input.endsWith(' checked>'),
  }));
  const submittedInputs = inputs.filter(({ type, isChecked }) => type === 'hidden' || isChecked);
  return {
    answer,
    location: answer.headers.location,
    fields: form === undefined ? null : new URLSearchParams(submittedInputs.map(({ name, value }) => [name, value])),
    action: readAttribute(form ?? '', 'action'),
    textFields: inputs.filter(({ type }) => type === 'password' || type === 'text').map(({ name }) => name),
  };
}

function readAttribute(tag: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
}
