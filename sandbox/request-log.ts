/** Records requests to the sandbox, for tests and for people who want to see what a tool really sends. */

export interface RecordedRequest {
  readonly service: string;
  /** Null if no operation of the descriptor matched. */
  readonly operationId: string | null;
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; empty if there was none. */
  readonly body: string;
  /** The body as it was sent. */
  readonly bytes: Buffer;
  /** The status of the answer; null while it is in progress, or if none was sent. */
  status: number | null;
  /** Bytes of the answer, headers included, that were sent before the connection or the answer ended. */
  answerBytes: number;
}

export interface RequestLog {
  readonly requests: readonly RecordedRequest[];
  add(
    request: Omit<RecordedRequest, 'body' | 'bytes' | 'status' | 'answerBytes'> & { readonly body: Buffer },
  ): RecordedRequest;
  clear(): void;
}

const MAX_REQUESTS = 500;
const MAX_BODY_CHARACTERS = 64 * 1024;

export function createRequestLog(): RequestLog {
  let requests: RecordedRequest[] = [];
  return {
    get requests() {
      return requests;
    },
    add(request) {
      const body = request.body.toString('utf8').slice(0, MAX_BODY_CHARACTERS);
      const record = { ...request, body, bytes: request.body, status: null, answerBytes: 0 };
      requests = [...requests.slice(1 - MAX_REQUESTS), record];
      return record;
    },
    clear() {
      requests = [];
    },
  };
}
