/** Texts about circuits for people. */

import type { Logger } from 'pino';
import type { CircuitFigures, CountedFailure } from './index.ts';

const WORDS: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  unreachable: 'cannot be reached',
  reset: 'the connection broke off',
  protocol: 'sends what is not HTTP',
};

/** A failure in a few words, without text of the upstream. */
export function describeFailure({ kind, status, reason }: CountedFailure): string {
  if (kind === 'status') return `answers ${status}`;
  const words = WORDS[kind] ?? kind;
  return reason === null ? words : `${words} (${reason})`;
}

/** Logs that a breaker opened or closed. */
export function reportCircuit(
  log: Pick<Logger, 'warn' | 'info'>,
  { service, origin, state, lastFailure }: CircuitFigures,
): void {
  const failure = lastFailure === null ? null : describeFailure(lastFailure);
  if (state === 'closed') log.info({ service, origin }, 'an upstream answers again');
  else
    log.warn(
      { service, origin, failure },
      'an upstream does not answer: its calls are refused, except one every five seconds',
    );
}
