/** Records requests and answers for people to read: method, address, relevant headers, bodies, and only shortened secrets. */

/** One request with its answer. */
export interface Exchange {
  readonly title: string;
  readonly request: string;
  readonly status: number;
  readonly answer: string;
  /** The relevant part of a long answer. */
  note?: string;
}

export type Conversation = Exchange[];

interface RequestContent {
  readonly json?: object;
  readonly form?: Readonly<Record<string, string>>;
  readonly token?: string;
}

interface Answer {
  readonly headers: Headers;
  readonly json: Readonly<Record<string, unknown>>;
}

const MAX_SHOWN_CHARACTERS = 1500;
const SHOWN_HEADERS = ['content-type', 'www-authenticate'];

/** Sends a request (GET without a body) and records it with its answer. @throws {Error} if the answer is not JSON. */
export async function send(
  conversation: Conversation,
  title: string,
  url: string,
  content: RequestContent = {},
): Promise<Answer> {
  const { json, form, token } = content;
  const headers: Record<string, string> = {
    Accept: 'application/json, text/event-stream',
    ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  const body = json === undefined ? form && String(new URLSearchParams(form)) : JSON.stringify(json);
  const method = body === undefined ? 'GET' : 'POST';
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  const shownBody = json === undefined ? (body ?? '').replaceAll('&', '\n&') : toJsonText(json);
  const answerHeaders = SHOWN_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  const parsed = JSON.parse(text) as Answer['json'];
  conversation.push({
    title,
    request: toText([`${method} ${url}`, ...Object.entries(headers).map((pair) => pair.join(': '))], shownBody),
    status: response.status,
    answer: toText(answerHeaders, toJsonText(parsed)),
  });
  return { headers: response.headers, json: parsed };
}

function toText(lines: readonly string[], body: string): string {
  const text = `${lines.join('\n')}${body === '' ? '' : `\n\n${body}`}`;
  const preview =
    text.length > MAX_SHOWN_CHARACTERS
      ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n... (${text.length} characters)`
      : text;
  return shortenSecrets(preview);
}

/** Indented JSON; lists of strings take one line. A string that contains a JSON object is shown as that object. */
function toJsonText(value: object): string {
  return JSON.stringify(
    value,
    (name, member: unknown) => (name === 'text' ? parseObject(member) : member),
    2,
  ).replaceAll(/\[\s+("[^"]*"(?:,\s+"[^"]*")*)\s+\]/g, (_, items: string) => {
    return `[${items.replaceAll(/\s+/g, ' ')}]`;
  });
}

/** Parses a string that contains a JSON object. @returns any other value unchanged. */
function parseObject(text: unknown): unknown {
  if (typeof text !== 'string' || !/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Tokens and codes begin with `utg_`. */
export function shortenSecrets(text: string): string {
  return text
    .replaceAll(/(utg_[a-z]+_[\w-]{4})[\w-]+/g, '$1...')
    .replaceAll(/((?:code_verifier|[?&]code)=(?!utg_)[\w-]{4})[\w-]+/g, '$1...');
}
