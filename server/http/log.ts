/** The log: one JSON object a line, without secrets. */

import { type DestinationStream, type Logger, pino } from 'pino';

/** Text that must not reach the log, whichever field or message it is in. */
const SECRETS: readonly [RegExp, string][] = [
  [/utg_[a-z]{2,8}_[A-Za-z0-9_-]+/g, '[redacted]'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9+/._~=-]{8,}/gi, '$1 [redacted]'],
  [/(postgres(?:ql)?:\/\/[^:@/\s"]*:)[^@\s"]*@/g, '$1[redacted]@'],
];

/** Fields that are secret by their name, at the top of a line and one level down. */
const SECRET_FIELDS = [
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
];

/**
 * Creates the gateway's log.
 *
 * @param options.destination default: standard output.
 */
export function createLog(options: { level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]),
        censor: '[redacted]',
      },
      hooks: { streamWrite: redactText },
    },
    options.destination ?? pino.destination(1),
  );
}

/** Takes out everything that has the shape of a secret of the gateway. */
function redactText(text: string): string {
  return SECRETS.reduce((redacted, [shape, replacement]) => redacted.replace(shape, replacement), text);
}
