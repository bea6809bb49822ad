/** Stage `read`: decodes the upstream's answer. */

import type { Tool } from '../../../contract/index.ts';
import type { Redactor, UpstreamAnswer } from '../../upstream/index.ts';
import { isSchema } from '../json.ts';
import { type DecodedBody, decodeBody, decodeErrorBody } from '../results/decode.ts';
import {
  type CalledTool,
  explainEmpty,
  explainErrorAnswer,
  explainUnreadable,
  isErrorInSuccess,
} from '../results/upstream-errors.ts';
import type { UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, failed } from './ending.ts';

const PARTIAL_CONTENT = 206;

/** Ends the call if the answer reports an error, or cannot be read. */
export function readAnswer(call: UpstreamUse, deps: UpstreamDependencies): Ending | null {
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
    isCut: answer.cutBy !== undefined,
    redactor,
  });
  if (connector.errors.inSuccess !== null && body.kind === 'json' && isErrorInSuccess(connector.errors, body.rounded)) {
    return refused(call, called, { answer, body: body.rounded }, deps);
  }
  if (body.kind === 'unreadable') return failed(explainUnreadable(called, status, body.problem));
  if (lacksContent(tool, body, contentType)) return failed(explainEmpty(called, status));
  call.body =
    body.kind === 'json' && tool.page?.kind !== undefined ? { ...body, header: headerOf(answer, redactor) } : body;
  return null;
}

function headerOf(answer: UpstreamAnswer, redactor: Redactor) {
  return (name: string): string | null => {
    const value = answer.header(name);
    return value === null ? null : redactor.text(value);
  };
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

/** Whether content is missing. An empty file is content; JSON null is not. */
function lacksContent(tool: Tool, body: DecodedBody, contentType: string | null): boolean {
  if (tool.result?.mayBeEmpty === true || tool.operation.method === 'HEAD') return false;
  if (body.kind === 'json') return body.value === null;
  return body.kind === 'empty' && (contentType === null || /json/i.test(contentType));
}
