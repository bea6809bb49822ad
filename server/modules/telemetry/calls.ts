/** Telemetry around calls of tools and their stages. */

import { SpanKind } from '@opentelemetry/api';
import { callCategory } from '../../base/store/reports/call-category.ts';
import type { AroundStage, Interceptor } from '../../call/tools/call/dependencies.ts';
import type { StageEnd } from '../../call/tools/call/state.ts';
import { nameTool } from './messages.ts';
import { findOperation, inSpan, isRecorded, markFailed, type Telemetry } from './operation-context.ts';

/** The limit that refused a call, by the outcome of the call. */
const LIMITS: Readonly<Record<string, string>> = {
  too_many_calls: 'user_calls',
  call_limit_reached: 'call_rule',
  no_free_turn: 'connector_cap',
  upstream_busy: 'upstream_requests',
};

/**
 * Creates the interceptor for every call of a connector's tool. It counts the call, and adds its service and outcome to the span; if there are
 * several accounts, the row id of the used connection too.
 */
export function createInterceptor(telemetry: Telemetry): Interceptor {
  const { metrics } = telemetry;
  return async (call, next) => {
    const { connector, tool } = call.entry;
    const operation = findOperation(telemetry, call.trace.requestId);
    nameTool(operation, tool.name);
    const ending = await next();
    const { outcome } = ending;
    metrics.record('toolCalls', 1, connector.name, tool.name, outcome, callCategory(outcome));
    const limit = LIMITS[outcome];
    if (limit !== undefined) metrics.record('limitRefusals', 1, limit, null);
    operation?.span?.setAttributes({ 'gateway.service': connector.name, 'gateway.outcome': outcome });
    if (call.account !== undefined) operation?.span?.setAttribute('gateway.connection', call.connectionId ?? '');
    return ending;
  };
}

/** Creates the wrapper of each stage of a recorded call: a span, which fails if its stage ended the call with a failure. */
export function createAroundStages(telemetry: Telemetry): () => AroundStage | null {
  const aroundStage: AroundStage = (name, run) =>
    inSpan(telemetry, name, SpanKind.INTERNAL, (span) => {
      if (span === null) return run();
      const finish = (end: StageEnd): StageEnd => {
        if (end !== null && 'outcome' in end && callCategory(end.outcome) === 'failed') markFailed(span, end.outcome);
        span.end();
        return end;
      };
      const failWith = (error: unknown): never => {
        markFailed(span, 'internal_error');
        span.end();
        throw error;
      };
      try {
        const ended = run();
        return ended instanceof Promise ? ended.then(finish, failWith) : finish(ended);
      } catch (error) {
        return failWith(error);
      }
    });
  return () => (isRecorded(telemetry) ? aroundStage : null);
}
