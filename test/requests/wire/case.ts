/** The shape of the tables of literal upstream requests, one YAML file per service. */

/** The calls of one service. */
export interface WireTable {
  /** What every request to it has, with names in lower case. Only rows that name an absent header send it. */
  readonly sent: { readonly headers: Readonly<Record<string, string>>; readonly absentHeaders: readonly string[] };
  readonly cases: readonly WireCase[];
}

/** One tool call, the request that it must send, and the result that the client must get. */
export interface WireCase {
  readonly tool: string;
  readonly title: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Method, path and query exactly as sent, such as `GET /v2/persons?ids=1&ids=2`. */
  readonly sends: string;
  /** Headers in addition to those of the service, and to the content type of a body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** 200 by default. */
  readonly status?: number;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  readonly answer: unknown;
  /** The structured content of the result, null where it has none. `answer` by default. */
  readonly result?: unknown;
  /** What changes in the arguments for the next page, or null after the last page. */
  readonly next?: Readonly<Record<string, unknown>> | null;
  /** Each must occur in the text of the result. */
  readonly text?: readonly string[];
  /** Makes the result an error: each must occur in its text. */
  readonly error?: readonly string[];
}
