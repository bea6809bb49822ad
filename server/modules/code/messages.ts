/** Texts for clients about a run: errors, console output, and waiting calls. */

import type { StoredValueBusyError } from '../../base/long-values.ts';
import type { CompleteToolResult, ContentBlock } from '../../call/tools/provider.ts';
import { BUDGET_IS_USED, escapeTags } from '../../call/tools/results/errors.ts';
import type { RunLimits, StopReason } from './run.ts';
import { PROGRAM_MEMORY_BYTES } from './threads.ts';

/** An error of a run, in the shape of the errors of tools. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Line of the program. Null or undefined if it is not known. */
  readonly line?: number | null;
  readonly retryAfterSeconds?: number;
}

export function failureResult({ message, ...facts }: Failure): CompleteToolResult {
  const json = JSON.stringify(facts, (_, value: unknown) => value ?? undefined);
  return {
    content: [
      { type: 'text', text: escapeTags(message) },
      { type: 'text', text: escapeTags(json) },
    ],
    isError: true,
  };
}

/** Prefix of the URIs of stored results. The handle follows. */
export const RESULT_URI_PREFIX = 'kept://results/';

/** Most characters of a stored result that is served as a resource. Longer results are only for programs and for `read_kept`. */
export const MAX_RESOURCE = 1_048_576;

export const RESULT_NOT_FOUND: Failure = {
  code: 'not_found',
  message: 'Nothing is kept under this handle: it may be older than ten minutes, or your access has changed since.',
};

const BUSY_SECONDS = 10;

export function busy(): CompleteToolResult {
  return failureResult({
    code: 'code_busy',
    message: `Too many programs wait at this gateway, or too many of this user. Run it again in ${BUSY_SECONDS} seconds.`,
    retryAfterSeconds: BUSY_SECONDS,
  });
}

/** Returns the error for a user whose time is used up. @param seconds until the user may run programs again. */
export function budgetUsed(seconds: number) {
  return {
    code: 'too_many_calls',
    message: `${BUDGET_IS_USED} Wait ${seconds} seconds. Then ask for less: with fields, where or a smaller page.`,
    retryAfterSeconds: seconds,
  } satisfies Failure;
}

/** Returns the error for a stored result that cannot be read now. */
export function resultBusyFailure({ message, waitSeconds }: StoredValueBusyError) {
  return { code: 'too_many_calls', message, retryAfterSeconds: waitSeconds } satisfies Failure;
}

const REASONS: Readonly<
  Record<StopReason, readonly [code: string, message: (limits: RunLimits, detail: string) => string]>
> = {
  invalid: ['program_invalid', (_, detail) => `The program cannot be read: ${detail}. Nothing ran.`],
  cpu: [
    'program_limit',
    ({ cpuMs }) =>
      `The program worked for more than ${cpuMs / 1000} seconds and was stopped. Loop less: let where, fields or aggregate of the tools do the work.`,
  ],
  time: [
    'program_limit',
    ({ totalMs }) =>
      `The program took more than ${totalMs / 1000} seconds and was stopped. Ask for less in one program.`,
  ],
  memory: [
    'program_limit',
    () =>
      `The program used more than ${PROGRAM_MEMORY_BYTES / 1_048_576} MiB and was stopped. Keep only the members that it needs.`,
  ],
  stack: ['program_limit', () => 'The program called itself too deeply and was stopped. Use a loop.'],
  calls: [
    'program_limit',
    ({ calls }) => `The program made ${calls} calls, which is the limit, and was stopped. Narrow the lists with where.`,
  ],
  large: ['program_limit', () => 'The program returns more than 4 MiB. Return less.'],
  idle: [
    'program_failed',
    () => 'The program waits for something that never comes: only calls of tools can be awaited.',
  ],
  cancelled: ['cancelled', () => 'The run was cancelled.'],
  access: ['access_ended', () => 'The access of this client ended while the program ran.'],
  broken: ['internal_error', () => 'The gateway failed to run this program.'],
};

/** Returns the reason why a run was stopped, with advice. @param detail message of QuickJS. */
export function reasonOf(why: StopReason, limits: RunLimits, detail = ''): Failure {
  const [code, toMessage] = REASONS[why];
  return { code, message: toMessage(limits, detail) };
}

/** Returns a sentence about the writes of a program that failed. Empty if it wrote nothing. */
export function describeWrites(writeCount: number): string {
  if (writeCount === 0) return '';
  const calls = writeCount === 1 ? 'One call that writes' : `${writeCount} calls that write`;
  return ` ${calls} took effect before that: read the current state before you run it again.`;
}

/** A call that waits for the approval of its user. */
export interface Waiting {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The message of the call. */
  readonly message: string;
}

interface Notes {
  readonly console: string;
  readonly waiting: readonly Waiting[];
  /** The handle of the waiting calls, or null if none waits. */
  readonly resume: string | null;
}

/** Adds the console output and the waiting calls to a result. */
export function withNotes(result: CompleteToolResult, { console, waiting, resume }: Notes): CompleteToolResult {
  const texts: string[] = [];
  if (console !== '') texts.push(`Console:\n${console.trimEnd()}`);
  if (resume !== null) texts.push(describeWaitingCalls(waiting, resume));
  const notes = texts.map((text): ContentBlock => ({ type: 'text', text: escapeTags(text) }));
  return { ...result, content: [...result.content, ...notes] };
}

const ADDRESS = / The user does that at (\S+)$/;

function describeWaitingCalls(waiting: readonly Waiting[], resume: string): string {
  const [first] = waiting;
  const address = ADDRESS.exec(first?.message ?? '')?.[1];
  // Several calls have the page of all waiting calls.
  const page = waiting.length === 1 ? address : address?.replace(/\/[^/]*$/, '');
  const subject = waiting.length === 1 ? 'One call waits' : `${waiting.length} calls wait`;
  const names = [...new Set(waiting.map(({ name }) => name))].join(', ');
  return `${subject} for the approval of the user, and nothing of that was sent: ${names}. Tell the user${page === undefined ? '' : `, who decides at ${page}`}. Then call run_code with {"resume": "${resume}"}, which makes exactly ${waiting.length === 1 ? 'this call' : 'these calls'}.`;
}
