/** Stage `shape`: from the upstream's answer to a tool result. */

import type { Tool } from '../../contract/index.ts';
import type { UpstreamAnswer } from '../../upstream/index.ts';
import { isSchema } from '../json/schema-walk.ts';
import { type DecodedBody, decodeBody, decodeErrorBody } from '../results/decode.ts';
import { type FileFacts, readFileFacts } from '../results/file-facts.ts';
import { explainEmpty, explainLostRest } from '../results/missing-content.ts';
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
const PARTIAL_CONTENT = 206;

/** Always ends the call: with a result, or with the error that the answer is. */
export function shapeResult(call: UpstreamUse, deps: UpstreamDependencies): Ending {
  const { entry, answer, redactor } = call;
  if (answer === null) throw new Error('the stage send ends every call without an answer');
  const { connector, tool } = entry;
  const called: CalledTool = { connector, tool, args: call.arguments };
  const { status } = answer;
  const contentType = answer.header('content-type');
  if (status < 200 || status >= 300) {
    return refused(call, called, { answer, body: decodeErrorBody(answer.body, contentType, redactor) }, deps);
  }
  const body = decodeBody(answer.body, {
    contentType,
    expectsJson:
      tool.answersJson ??
      (isSchema(tool.outputSchema.properties) && Object.keys(tool.outputSchema.properties).length > 0),
    requested: call.arguments,
    partial: status === PARTIAL_CONTENT,
    redactor,
  });
  if (body.kind === 'json' && isErrorInSuccess(connector.errors, body.rounded)) {
    return refused(call, called, { answer, body: body.rounded }, deps);
  }
  if (body.kind === 'unreadable') return failed(explainUnreadable(called, status, body.problem));
  if (lacksContent(tool, body, contentType)) return failed(explainEmpty(called, status));
  return toEnding(called, { answer, file: readFileFacts(answer, redactor) }, body, deps);
}

function refused(
  { redactor }: UpstreamUse,
  called: CalledTool,
  error: { readonly answer: UpstreamAnswer; readonly body: unknown },
  deps: UpstreamDependencies,
): Ending {
  const ending = failed(explainErrorAnswer(called, error, deps.now()), redactor);
  if (ending.outcome === 'connector_outdated') deps.onFault({ kind: ending.outcome, tool: called.tool.name });
  return ending;
}

/** Whether content is missing. An empty file is content; JSON's null is none. */
function lacksContent(tool: Tool, body: DecodedBody, contentType: string | null): boolean {
  if (tool.result?.mayBeEmpty === true || tool.operation.method === 'HEAD') return false;
  if (body.kind === 'json') return body.value === null;
  return body.kind === 'empty' && (contentType === null || /json/i.test(contentType));
}

function toEnding(
  called: CalledTool,
  { answer: { status }, file }: { readonly answer: UpstreamAnswer; readonly file: FileFacts },
  body: Parameters<typeof buildResult>[2],
  deps: UpstreamDependencies,
): Ending {
  const { tool, args } = called;
  const built = buildResult(tool, args, body, file, deps.validators(tool.outputSchema), deps.now);
  if (built.drift.length > 0) {
    deps.onFault({ kind: 'output_drift', tool: tool.name, places: built.drift.slice(0, MAX_REPORTED_PLACES) });
  }
  if (body.kind !== 'bytes' && built.bytes > deps.maxResultBytes) {
    return failed(explainTooLarge(called, built.bytes, deps.maxResultBytes, status));
  }
  if (built.losesRest === true) {
    const ending = failed(explainLostRest(called, status));
    const content = [...ending.result.content, ...built.result.content];
    return { ...ending, result: { ...ending.result, content }, resultBytes: ending.resultBytes + built.bytes };
  }
  return { result: built.result, outcome: 'ok', error: null, upstreamStatus: status, resultBytes: built.bytes };
}
