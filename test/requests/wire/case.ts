/** The shape of one row in a table of literal upstream requests. */

/** One tool call, the request that it must send, and the result that the client must get. */
export interface WireCase {
  readonly tool: string;
  /** Distinguishes the cases of one tool. */
  readonly title: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly request: {
    readonly method: string;
    /** Path and query exactly as sent, such as `/v2/persons?ids=1&ids=2`. */
    readonly url: string;
    /** Lower-case names; these must be present with exactly these values. */
    readonly headers?: Readonly<Record<string, string>>;
    readonly absentHeaders?: readonly string[];
    /** The parsed JSON body; undefined: no body at all. */
    readonly body?: unknown;
  };
  readonly reply: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  readonly result: {
    readonly isError?: true;
    /** Deep-equal to the result's structured content; undefined: not compared. */
    readonly structuredContent?: unknown;
    /** Each must occur in the joined text content. */
    readonly text?: readonly string[];
  };
}
