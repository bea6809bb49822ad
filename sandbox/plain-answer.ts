/** An answer of the sandbox itself, which no descriptor describes. */

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function toJsonAnswer(status: number, value: unknown, headers: PlainAnswer['headers'] = {}): PlainAnswer {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}
