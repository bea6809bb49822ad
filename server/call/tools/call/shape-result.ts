/** Stage `shape`: turns what was read into a tool result. */

import type { AnyTool } from '../catalogue/permitted.ts';
import type { CompleteToolResult } from '../provider.ts';
import { projectionOf } from '../results/fields.ts';
import { NO_FILE, readFileFacts } from '../results/file-facts.ts';
import { type ResumePoint, sealResume } from '../results/fit.ts';
import type { Outcome } from '../results/outcomes.ts';
import { buildResult } from '../results/result.ts';
import { adviseNarrowing, type CalledTool, explainLostRest, explainTooLarge } from '../results/upstream-errors.ts';
import type { Gathered, UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, failed } from './ending.ts';

const MAX_REPORTED_PLACES = 20;
const TOOK_EFFECT = 'The call itself took effect: do not repeat it to get the rest of its answer.';

/** Failures of a later page that fail the whole call: calling for the rest would not help before the user has acted. */
const ENDS_CALL: ReadonlySet<Outcome> = new Set([
  'credential_refused',
  'credential_unreadable',
  'connection_needs_attention',
  'not_connected',
]);

/** Always ends the call, with a result or an error. */
export function shapeResult(call: UpstreamUse, deps: UpstreamDependencies): Ending {
  const { connector, tool } = call.entry;
  const { answer, redactor } = call;
  const called: CalledTool = { connector, tool, args: call.arguments };
  const { body, args, notes, page, failure } = call.gathered ?? onePage(call);
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
  if (failure !== null && ENDS_CALL.has(failure.outcome)) return withItems(failure, built);
  if (built.losesRest === true) return withItems(failed(explainLostRest(called, answer?.status ?? 200)), built);
  return { result: built.result, outcome: 'ok', error: null, upstreamStatus: status, resultBytes: built.bytes };
}

/** The page that the call has is all that it asked for. */
function onePage({ body, asked, arguments: args }: UpstreamUse): Gathered {
  if (body === undefined) throw new Error('the stage read ends every call without a body');
  return { body, args: asked?.repeated ?? args, notes: [], failure: null };
}

/** An error, followed by the items of the pages before it: they are not all. */
function withItems(
  ending: Ending,
  { result, bytes }: { readonly result: CompleteToolResult; readonly bytes: number },
): Ending {
  const content = [...ending.result.content, ...result.content];
  return { ...ending, result: { ...ending.result, content }, resultBytes: ending.resultBytes + bytes };
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
