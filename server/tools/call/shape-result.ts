/** Stage `shape`: from the upstream's answer to a tool result. */

import type { UpstreamAnswer } from '../../upstream/index.ts';
import { isSchema } from '../json/schema-walk.ts';
import { decodeBody, decodeErrorBody } from '../results/decode.ts';
import { buildResult } from '../results/result.ts';
import {
  type CalledTool,
  explainErrorAnswer,
  explainTooLarge,
  explainUnreadable,
  isErrorInSuccess,
} from '../results/upstream-errors.ts';
import type { UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, failed } from './ending.ts';

const MAX_REPORTED_PLACES = 20;

/** Always ends the call: with a result, or with the error that the answer is. */
export function shapeResult(call: UpstreamUse, deps: UpstreamDependencies): Ending {
  const { entry, answer, redactor } = call;
  if (answer === null) throw new Error('the stage send ends every call without an answer');
  const { connector, tool } = entry;
  const called: CalledTool = { connector, tool, args: call.arguments };
  const { status } = answer;
  if (status < 200 || status >= 300) {
    const body = decodeErrorBody(answer.body, answer.header('content-type'), redactor);
    return failed(explainErrorAnswer(called, { answer, body }, deps.now()), redactor);
  }
  const body = decodeBody(answer.body, {
    contentType: answer.header('content-type'),
    expectsJson:
      tool.answersJson ??
      (isSchema(tool.outputSchema.properties) && Object.keys(tool.outputSchema.properties).length > 0),
    requested: call.arguments,
    redactor,
  });
  if (body.kind === 'json' && isErrorInSuccess(connector.errors, body.rounded)) {
    return failed(explainErrorAnswer(called, { answer, body: body.rounded }, deps.now()), redactor);
  }
  if (body.kind === 'unreadable') return failed(explainUnreadable(called, status, body.problem));
  return toEnding(called, answer, body, deps);
}

function toEnding(
  called: CalledTool,
  { status }: UpstreamAnswer,
  body: Parameters<typeof buildResult>[2],
  deps: UpstreamDependencies,
): Ending {
  const { tool, args } = called;
  const built = buildResult(tool, args, body, deps.validators(tool.outputSchema), deps.now);
  if (built.drift.length > 0) {
    deps.onFault({ kind: 'output_drift', tool: tool.name, places: built.drift.slice(0, MAX_REPORTED_PLACES) });
  }
  if (body.kind !== 'bytes' && built.bytes > deps.maxResultBytes) {
    return failed(explainTooLarge(called, built.bytes, deps.maxResultBytes, status));
  }
  return { result: built.result, outcome: 'ok', error: null, upstreamStatus: status, resultBytes: built.bytes };
}
