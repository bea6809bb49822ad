/** The shape of one row in a table of literal upstream requests. */

/** Headers of every request to a service, with names in lower case. */
export interface SentHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Those that only the rows that name them send. */
  readonly absentHeaders: readonly string[];
}

/** One tool call, the request that it must send, and the result that the client must get. */
export interface WireCase {
  readonly tool: string;
  /** Distinguishes the cases of one tool. */
  readonly title: string;
  /** None by default. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Method, path and query exactly as sent, such as `GET /v2/persons?ids=1&ids=2`. */
  readonly sends: string;
  /** Headers in addition to those of the service, and to the content type of a body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The parsed JSON body. No body by default. */
  readonly body?: unknown;
  /** 200 by default. */
  readonly status?: number;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** The body of the answer. */
  readonly answer: unknown;
  /** The structured content of the result. `answer` by default. */
  readonly result?: unknown;
  /** What changes in the arguments for the next page, or null after the last page. */
  readonly next?: Readonly<Record<string, unknown>> | null;
  /** Each must occur in the text of the result. */
  readonly text?: readonly string[];
  /** Makes the result an error: each must occur in its text. */
  readonly error?: readonly string[];
}
