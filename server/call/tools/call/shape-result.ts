/** Stage `shape`: turns the upstream's answer into a tool result. */

import type { Tool } from '../../../contract/index.ts';
import type { Redactor, UpstreamAnswer } from '../../upstream/index.ts';
import type { AnyTool } from '../catalogue/permitted.ts';
import { isSchema } from '../json.ts';
import { type DecodedBody, decodeBody, decodeErrorBody } from '../results/decode.ts';
import { projectionOf } from '../results/fields.ts';
import { NO_FILE, readFileFacts } from '../results/file-facts.ts';
import { type ResumePoint, sealResume } from '../results/fit.ts';
import { buildResult } from '../results/result.ts';
import {
  adviseNarrowing,
  type CalledTool,
  explainEmpty,
  explainErrorAnswer,
  explainLostRest,
  explainTooLarge,
  explainUnreadable,
  isErrorInSuccess,
} from '../results/upstream-errors.ts';
import type { UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, failed } from './ending.ts';
import { type Gathered, gatherPages, type ReadBody } from './pages.ts';

const MAX_REPORTED_PLACES = 20;
const PARTIAL_CONTENT = 206;
const TOOK_EFFECT = 'The call itself took effect: do not repeat it to get the rest of its answer.';

/** Always ends the call, with a result or an error. */
export function shapeResult(call: UpstreamUse, deps: UpstreamDependencies): Ending | Promise<Ending> {
  const read = readAnswer(call, deps);
  if ('outcome' in read) return read;
  const gathered = gatherPages(call, read, deps, readAnswer);
  if (!(gathered instanceof Promise)) return toEnding(call, gathered, deps);
  return gathered.then((all) => toEnding(call, all, deps));
}

/** Decodes the answer of a call, or ends the call with an error. */
function readAnswer(call: UpstreamUse, deps: UpstreamDependencies): Ending | ReadBody {
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
  if (body.kind === 'json' && isErrorInSuccess(connector.errors, body.rounded)) {
    return refused(call, called, { answer, body: body.rounded }, deps);
  }
  if (body.kind === 'unreadable') return failed(explainUnreadable(called, status, body.problem));
  if (lacksContent(tool, body, contentType)) return failed(explainEmpty(called, status));
  return body.kind === 'json' && tool.page?.kind !== undefined ? { ...body, header: headerOf(answer, redactor) } : body;
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

function toEnding(call: UpstreamUse, { body, args, notes, page }: Gathered, deps: UpstreamDependencies): Ending {
  const { connector, tool } = call.entry;
  const { answer, redactor } = call;
  const called: CalledTool = { connector, tool, args: call.arguments };
  const fields = call.asked?.fields ?? null;
  const file = answer === null ? NO_FILE : readFileFacts(answer, redactor);
  const built = buildResult(tool, args, body, file, deps.validators(tool.outputSchema), deps.now, {
    fitting: fittingOf(call, deps),
    // A hand-written tool that calls this one reads the whole answer, as its types say.
    project: projectionOf(tool, call.reader === undefined ? undefined : tool.result?.keep, fields),
    notes,
    ...(page === undefined ? {} : { page }),
  });
  const status = answer?.status ?? null;
  if (built.result === null) {
    return failed(explainTooLarge(called, built.bytes, call.reader?.limit ?? deps.maxResultBytes, status));
  }
  if (built.drift.length > 0) {
    deps.onDrift?.(connector, tool, built.problems ?? []);
    deps.onFault({ kind: 'output_drift', tool: tool.name, places: built.drift.slice(0, MAX_REPORTED_PLACES) });
  }
  if (built.losesRest === true) {
    const ending = failed(explainLostRest(called, answer?.status ?? 200));
    const content = [...ending.result.content, ...built.result.content];
    return { ...ending, result: { ...ending.result, content }, resultBytes: ending.resultBytes + built.bytes };
  }
  return { result: built.result, outcome: 'ok', error: null, upstreamStatus: status, resultBytes: built.bytes };
}

/** How the answer is fitted to its reader; null: the reader gets all of it. */
export function fittingOf(
  { entry: { tool }, reader, asked, resumed, arguments: args }: UpstreamUse<AnyTool>,
  deps: UpstreamDependencies,
) {
  if (reader === undefined || asked === undefined) return null;
  const { resumes } = deps;
  const canResume = resumes !== undefined && tool.gatewayArguments?.includes('resume') === true;
  const resumedCall = { reader: reader.id, limit: reader.limit, tool, asked };
  return {
    limit: reader.limit,
    from: resumed ?? null,
    seal: canResume ? (point: ResumePoint) => sealResume(resumes, resumedCall, point, deps.now()) : null,
    repeated: asked.repeated,
    advice: tool.annotations.readOnlyHint ? adviseNarrowing(tool, args) : TOOK_EFFECT,
  };
}
