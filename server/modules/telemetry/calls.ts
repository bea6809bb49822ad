/** Telemetry around calls of tools and their stages. */

import { SpanKind } from '@opentelemetry/api';
import type { AroundStage, Interceptor } from '../../call/tools/call/call.ts';
import type { Ending } from '../../call/tools/call/ending.ts';
import { nameTool, type Watching } from './messages.ts';
import { fail, inSpan, isRecorded, operationOf } from './place.ts';

/** Outcomes that mean a limit refused the call: the limit, by outcome. */
const LIMITS: Readonly<Record<string, string>> = {
  too_many_calls: 'user_calls',
  no_free_turn: 'connector_cap',
  upstream_busy: 'upstream_requests',
};

/**
 * Creates the interceptor for every call of a connector's tool: counts the call, and adds its service and outcome to the span, and of several
 * accounts the row id of the used connection.
 */
export function createInterceptor({ metrics, places }: Watching): Interceptor {
  return async (call, next) => {
    const { connector, tool } = call.entry;
    const operation = operationOf(places, call.trace.requestId);
    nameTool(operation, tool.name);
    const ending = await next();
    const { outcome } = ending;
    metrics.record('toolCalls', 1, connector.name, tool.name, outcome);
    const limit = LIMITS[outcome];
    if (limit !== undefined) metrics.record('limitRefusals', 1, limit, null);
    const account = call.account === undefined ? {} : { 'gateway.connection': call.connectionId ?? '' };
    operation?.span?.setAttributes({ 'gateway.service': connector.name, 'gateway.outcome': outcome, ...account });
    return ending;
  };
}

/** Creates the wrapper of each stage of a recorded call: a span, which fails if its stage ended the call without a result. */
export function createAroundStages(watching: Watching): () => AroundStage | null {
  const aroundStage: AroundStage = (name, run) =>
    inSpan(watching, name, SpanKind.INTERNAL, (span) => {
      if (span === null) return run();
      const finish = (ending: Ending | null): Ending | null => {
        if (ending !== null && ending.outcome !== 'ok') fail(span, ending.outcome);
        span.end();
        return ending;
      };
      const broken = (error: unknown): never => {
        fail(span, 'internal_error');
        span.end();
        throw error;
      };
      try {
        const ended = run();
        return ended instanceof Promise ? ended.then(finish, broken) : finish(ended);
      } catch (error) {
        return broken(error);
      }
    });
  return () => (isRecorded(watching) ? aroundStage : null);
}
