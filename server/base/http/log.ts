/** The log: one JSON object a line, without secrets. */

import { type DestinationStream, type Logger, pino } from 'pino';
import { toLoggedError } from './faults/logged-error.ts';

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

/**
 * Creates the gateway's log.
 *
 * @param options.destination default: standard output. Lines are written there in batches, and none is lost when the
 * process exits normally or after a line of level `fatal`.
 */
export function createLog(options: { level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: createIsoTime(),
      // pino's own `redact` copies and walks each line for each path, which takes four times as long as writing it.
      formatters: { level: (label) => ({ level: label }), log: (fields) => withoutSecrets(fields, withoutOwnSecrets) },
      // pino's own serializer writes every member of an error.
      serializers: { err: (error) => error },
      hooks: { streamWrite: redactText },
    },
    options.destination ??
      pino.destination({ dest: 1, sync: false, minLength: BUFFERED_BYTES, periodicFlush: FLUSH_INTERVAL_MS }),
  );
}

/** Like pino's own `isoTime`, but formats each millisecond only once. */
function createIsoTime(): () => string {
  let written = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now === written) return text;
    written = now;
    text = `,"time":"${new Date(now).toISOString()}"`;
    return text;
  };
}

/** Redacts everything that has the shape of one of the gateway's secrets. */
function redactText(text: string): string {
  return SECRETS.reduce((redacted, [shape, replacement]) => redacted.replace(shape, replacement), text);
}

type Fields = Record<string, unknown>;

/** Censors secret fields and converts the others with `inner`; returns the same object when nothing changes. */
function withoutSecrets(fields: Fields, inner: (value: unknown) => unknown): Fields {
  const names = Object.keys(fields);
  const cleanOf = (name: string): unknown => (SECRET_FIELDS.has(name) ? CENSOR : inner(fields[name]));
  if (names.every((name) => cleanOf(name) === fields[name])) return fields;
  return Object.fromEntries(names.map((name) => [name, cleanOf(name)]));
}

function withoutOwnSecrets(value: unknown): unknown {
  if (value instanceof Error) return toLoggedError(value);
  return typeof value === 'object' && value !== null ? withoutSecrets(value as Fields, errorsReduced) : value;
}

function errorsReduced(value: unknown): unknown {
  return value instanceof Error ? toLoggedError(value) : value;
}
