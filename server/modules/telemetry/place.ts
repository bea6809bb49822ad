/** Which operation and span the running code belongs to, across functions and promises. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import { type SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** One body that the endpoint answers. */
export interface Operation {
  /** One of `MCP_METHODS`, or `_OTHER`. */
  readonly method: string;
  /** Whether the body holds several messages. */
  readonly isBatch: boolean;
  /** Null: it is not recorded. */
  readonly span: Span | null;
  /** A tool of the catalogue, or `_OTHER`; null: none was called. */
  tool: string | null;
  /** Null: it has not failed so far. */
  errorType: string | null;
}

/** A place within an operation. */
interface Place {
  readonly operation: Operation;
  /** Holds the span around the place, recorded or not. */
  readonly context: Context;
}

/** Finds the place of the running code. */
export interface Places {
  /** Operations that are recorded or pass a context on. Following every promise costs a call more than all its metrics. */
  readonly followed: AsyncLocalStorage<Place>;
  /** Calls of tools that need no context, by the id of their request. */
  readonly calls: Map<string, Operation>;
}

export function createPlaces(): Places {
  return { followed: new AsyncLocalStorage<Place>(), calls: new Map() };
}

/** The running operation. @param requestId of a tool call; absent: of any other operation. */
export function operationOf({ followed, calls }: Places, requestId?: string): Operation | undefined {
  const known = requestId === undefined ? undefined : calls.get(requestId);
  return known ?? followed.getStore()?.operation;
}

interface Tracing {
  /** Null: there are no traces. */
  readonly tracer: Tracer | null;
  readonly places: Places;
}

/** Whether the running operation has a span. */
export function isRecorded({ tracer, places }: Tracing): boolean {
  return tracer !== null && (places.followed.getStore()?.operation.span ?? null) !== null;
}

/** Runs work in a span of its own, if its operation is recorded. */
export function inSpan<Result>(
  { tracer, places }: Tracing,
  name: string,
  kind: SpanKind,
  work: (span: Span | null) => Result,
): Result {
  if (tracer === null) return work(null);
  const place = places.followed.getStore();
  if (place === undefined || place.operation.span === null) return work(null);
  const span = tracer.startSpan(name, { kind }, place.context);
  const context = trace.setSpan(place.context, span);
  return places.followed.run({ operation: place.operation, context }, () => work(span));
}

/** Marks a span as failed. @param errorType one of a few values. */
export function fail(span: Span | null, errorType: string): void {
  span?.setAttribute('error.type', errorType);
  span?.setStatus({ code: SpanStatusCode.ERROR });
}
