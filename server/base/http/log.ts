/** The log: one JSON object a line, without secrets. */

import { resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Text that must not reach the log, in any field or message. */
const SECRETS: readonly [RegExp, string][] = [
  [/utg_[a-z]{2,8}_[A-Za-z0-9_-]+/g, '[redacted]'],
  [/whsec_[A-Za-z0-9+/=]+/g, '[redacted]'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9+/._~=-]{8,}/gi, '$1 [redacted]'],
  [/(postgres(?:ql)?:\/\/[^:@/\s"]*:)[^@\s"]*@/g, '$1[redacted]@'],
];

/** Fields that are secret because of their name, at the top level of a line and one level down. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'client_secret',
  'refresh_token',
  'access_token',
  'session_token',
  'code',
  'credential',
]);

const CENSOR = '[redacted]';

/** Lines are buffered up to this many bytes, or this long: writing each by itself costs as much as everything else. */
const BUFFERED_BYTES = 8192;
const FLUSH_INTERVAL_MS = 100;

/** Writes to a pipe that is not longer stay whole when several processes write (POSIX, `PIPE_BUF` of Linux). */
const WHOLE_BYTES = 4096;

/**
 * Creates the gateway's log.
 *
 * @param options.destination default: standard output. Lines are written there in batches, and none is lost when the
 * process exits normally or after a line of level `fatal`.
 * @param options.worker number of the worker, which every line names. Default: the gateway is one process.
 */
export function createLog(options: {
  level: string;
  destination?: DestinationStream;
  worker?: number | undefined;
}): Logger {
  const { worker } = options;
  const batches =
    worker === undefined ? { minLength: BUFFERED_BYTES } : { minLength: WHOLE_BYTES / 2, maxWrite: WHOLE_BYTES };
  return pino(
    {
      level: options.level,
      base: worker === undefined ? null : { worker },
      timestamp: createIsoTime(),
      // pino's own `redact` copies and walks each line for each path, which takes four times as long as writing it.
      formatters: { level: (label) => ({ level: label }), log: (fields) => withoutSecrets(fields, withoutOwnSecrets) },
      // pino's own serializer writes every member of an error.
      serializers: { err: (error) => error },
      hooks: { streamWrite: redactText },
    },
    options.destination ?? createOutput(batches),
  );
}

/** Writes lines to standard output in batches. */
function createOutput(batches: { readonly minLength: number; readonly maxWrite?: number }): DestinationStream {
  const settings = { dest: 1, sync: false, periodicFlush: FLUSH_INTERVAL_MS, contentMode: 'buffer' } as const;
  const output = pino.destination({ ...settings, ...batches });
  // Of texts, it would count the bytes of the batch again for each line.
  const write = output.write.bind(output) as unknown as (line: Buffer) => boolean;
  output.write = (line) => write(Buffer.from(line));
  return output;
}

/** A request as its line describes it. */
interface RefusedRequest {
  readonly route: string;
  readonly status: number;
  readonly address: string;
}

const SUMMED_MS = 1000;

/**
 * Writes log lines for refused requests of unknown callers: at most one line a second for each route and status, because anyone can send any number
 * of such requests. The first request has its line at once; those that follow within a second are summed in one line.
 *
 * @param stopping when it is aborted, the sums are written.
 */
export function createRefusalLines(log: Logger, stopping: AbortSignal): (request: RefusedRequest) => void {
  const sums = new Map<string, { last: RefusedRequest; count: number }>();
  const begin = (kind: string, last: RefusedRequest): void => {
    sums.set(kind, { last, count: 0 });
    setTimeout(writeSum, SUMMED_MS, kind).unref();
  };
  const writeSum = (kind: string): void => {
    const sum = sums.get(kind);
    sums.delete(kind);
    if (sum === undefined || sum.count === 0) return;
    const { route, status, address } = sum.last;
    log.info({ route, status, count: sum.count, lastAddress: address }, 'requests refused');
    begin(kind, sum.last);
  };
  stopping.addEventListener('abort', () => [...sums.keys()].map(writeSum), { once: true });
  return (request) => {
    const kind = `${request.route} ${request.status}`;
    const sum = sums.get(kind);
    if (sum === undefined) {
      log.info(request, 'request');
      begin(kind, request);
    } else {
      sum.last = request;
      sum.count += 1;
    }
  };
}

/** Like pino's own `isoTime`, but formats each millisecond only once. */
function createIsoTime(): () => string {
  let formattedAt = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now === formattedAt) return text;
    formattedAt = now;
    text = `,"time":"${new Date(now).toISOString()}"`;
    return text;
  };
}

/** The beginnings of all `SECRETS`: most lines have none. */
const MAY_HOLD_SECRET = /utg_|whsec_|bearer|basic|postgres/i;

/** Redacts everything that has the shape of one of the gateway's secrets. */
export function redactText(text: string): string {
  if (!MAY_HOLD_SECRET.test(text)) return text;
  return SECRETS.reduce((redacted, [shape, replacement]) => redacted.replace(shape, replacement), text);
}

type Fields = Record<string, unknown>;

/** Censors secret fields and converts the others with `inner`; returns the same object when nothing changes. */
function withoutSecrets(fields: Fields, inner: (value: unknown) => unknown): Fields {
  let clean = fields;
  for (const name of Object.keys(fields)) {
    const value = SECRET_FIELDS.has(name) ? CENSOR : inner(fields[name]);
    if (value === fields[name]) continue;
    if (clean === fields) clean = { ...fields };
    clean[name] = value;
  }
  return clean;
}

function withoutOwnSecrets(value: unknown): unknown {
  if (value instanceof Error) return toLoggedError(value);
  return typeof value === 'object' && value !== null ? withoutSecrets(value as Fields, toLoggedValue) : value;
}

function toLoggedValue(value: unknown): unknown {
  return value instanceof Error ? toLoggedError(value) : value;
}

/** Codes and names that errors of the gateway, Node, undici and the databases have. */
const MEMBERS = ['code', 'status', 'kind', 'reason', 'syscall', 'address', 'port', 'table', 'constraint'] as const;

/** A name, a code or an address: no sentence, and no data that was sent. */
const SHORT_TEXT = /^[\w.:/ -]{1,128}$/;

const MAX_CAUSES = 3;

const OWN_FOLDER = resolve(import.meta.dirname, '../../..') + sep;
/** Stack frames name files by URL, or by path where a tool rewrote them. */
const OWN_CODE = [OWN_FOLDER, pathToFileURL(OWN_FOLDER).href];
/** PostgreSQL's client, whose messages are constant, and the server's own errors. */
const POSTGRES_CODE = /\/node_modules\/pg(-pool|-protocol)?\//;
/** SQLSTATE class 22: the message quotes the value. */
const DATA_EXCEPTION = /^22/;

/** An error as the log writes it. */
interface LoggedError {
  /** Name of the error's class. */
  readonly type: string;
  /** Only for errors of the gateway's own code, of system calls and of PostgreSQL. Other messages may quote input. */
  message?: string;
  /** One frame a line, without the message. Absent for errors with a `status`, and for those that a client caused. */
  stack?: string;
  cause?: LoggedError;
  readonly [member: string]: unknown;
}

/**
 * Reduces an error to what the log may hold.
 *
 * Errors of libraries carry the data that they worked on: Node's HTTP parser the packet with its headers, undici the answer,
 * PostgreSQL the row, `URL` the address. So members are allowed by name, and messages by the code that wrote them.
 */
function toLoggedError(error: Error): LoggedError {
  return reduce(error, { depth: 0, isRefusal: false });
}

/** @param within.isRefusal true if the error causes an answer that reports a mistake of the client. */
function reduce(error: Error, context: { readonly depth: number; readonly isRefusal: boolean }): LoggedError {
  const isRefusal = context.isRefusal || ('status' in error && Number(error.status) < 500) || isBrokenByClient(error);
  const { stack = '', message } = error;
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  const logged: LoggedError = { type: error.constructor.name || error.name };
  if (isFreeOfValues(error, frames[0] ?? '')) logged.message = message;
  Object.assign(logged, loggableMembers(error));
  if (frames.length > 0 && !('status' in error) && !isRefusal) logged.stack = frames.join('\n');
  if (error.cause instanceof Error && context.depth < MAX_CAUSES) {
    logged.cause = reduce(error.cause, { depth: context.depth + 1, isRefusal });
  }
  return logged;
}

/** @param innermostFrame the innermost frame of the stack: the code that wrote the message. */
function isFreeOfValues(error: Error & { readonly code?: unknown }, innermostFrame: string): boolean {
  if ('syscall' in error) return true;
  if (POSTGRES_CODE.test(innermostFrame)) return !DATA_EXCEPTION.test(String(error.code));
  return OWN_CODE.some(
    (folder) => innermostFrame.includes(folder) && !innermostFrame.includes(`${folder}node_modules`),
  );
}

function loggableMembers(error: Error): Record<string, string | number> {
  const members = error as unknown as Readonly<Record<string, unknown>>;
  const facts: Record<string, string | number> = {};
  for (const name of MEMBERS) {
    const value = members[name];
    if (typeof value === 'number' || (typeof value === 'string' && SHORT_TEXT.test(value))) facts[name] = value;
  }
  return facts;
}

/** Codes of connections that the client closed or left idle; codes of upstreams and the store only occur in causes of other errors. */
const BROKEN_OFF = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECANCELED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_HTTP_REQUEST_TIMEOUT',
]);

/** True for errors that only a client causes: bytes that are not HTTP (`HPE_...`), or a connection that it closed or left idle. */
export function isBrokenByClient(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = String(error.code);
  return code.startsWith('HPE_') || BROKEN_OFF.has(code);
}
