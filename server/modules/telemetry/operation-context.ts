/** Finds the operation and span that the running code belongs to, across functions and promises. */

import type { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type Span, type SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { Metrics } from './metrics.ts';

/** One body that the endpoint answers. */
export interface Operation {
  /** One of `MCP_METHODS`, or `_OTHER`. */
  readonly method: string;
  /** True if the body holds several messages. */
  readonly isBatch: boolean;
  /** Null if the operation is not recorded. */
  readonly span: Span | null;
  /** A tool of the catalogue, or `_OTHER`. Null if no tool was called. */
  tool: string | null;
  /** Null if it has not failed so far. */
  errorType: string | null;
}

/** The operation that code belongs to, and the context of its innermost span, even if that span is not recorded. */
interface OperationContext {
  readonly operation: Operation;
  readonly context: Context;
}

/** The metrics, the traces and the running operations of one gateway. */
export interface Telemetry {
  readonly metrics: Metrics;
  /** Null if there are no traces. */
  readonly tracer: Tracer | null;
  /** Decides whether a trace that begins here is recorded. */
  readonly recordsNext: () => boolean;
  /** True if the trace context of a caller is used. */
  readonly followsCallers: boolean;
  /** Names of services whose upstreams receive `traceparent`. */
  readonly traceparentServices: ReadonlySet<string>;
  /**
   * Operations that are recorded or pass a context on. Other operations are left out, because following every promise costs a call more than all its
   * metrics.
   */
  readonly contexts: AsyncLocalStorage<OperationContext>;
  /** Calls of tools that need no context, by the id of their request. */
  readonly calls: Map<string, Operation>;
}

/** Returns the running operation. @param requestId of a tool call. Default: any other operation. */
export function findOperation({ contexts, calls }: Telemetry, requestId?: string): Operation | undefined {
  const call = requestId === undefined ? undefined : calls.get(requestId);
  return call ?? contexts.getStore()?.operation;
}

/** Tests whether the running operation has a span. */
export function isRecorded({ tracer, contexts }: Telemetry): boolean {
  return tracer !== null && (contexts.getStore()?.operation.span ?? null) !== null;
}

/** Runs work in a new span, if its operation is recorded. */
export function inSpan<Result>(
  { tracer, contexts }: Telemetry,
  name: string,
  kind: SpanKind,
  work: (span: Span | null) => Result,
): Result {
  if (tracer === null) return work(null);
  const parent = contexts.getStore();
  if (parent === undefined || parent.operation.span === null) return work(null);
  const span = tracer.startSpan(name, { kind }, parent.context);
  const context = trace.setSpan(parent.context, span);
  return contexts.run({ operation: parent.operation, context }, () => work(span));
}

/** Marks a span as failed. @param errorType one of a few values. */
export function markFailed(span: Span | null, errorType: string): void {
  span?.setAttribute('error.type', errorType);
  span?.setStatus({ code: SpanStatusCode.ERROR });
}
