/** Where in a trace the code that runs is: it follows the calls of functions and promises. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import { type SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** One body that the endpoint answers. */
export interface Operation {
  /** Of `MCP_METHODS`, or `_OTHER`. */
  readonly method: string;
  /** Holds several messages. */
  readonly isBatch: boolean;
  /** Null: it is not recorded. */
  readonly span: Span | null;
  /** A tool of the catalogue, or `_OTHER`; null: none was called. */
  tool: string | null;
  /** Null: it did not fail so far. */
  errorType: string | null;
}

/** A place within an operation. */
export interface Place {
  readonly operation: Operation;
  /** Holds the span around the place, recorded or not. */
  readonly context: Context;
}

/** Finds the place of what runs. */
export interface Places {
  /** Of what needs a context: it is recorded, or sent on. Following every promise costs a call more than all its metrics. */
  readonly followed: AsyncLocalStorage<Place>;
  /** Calls of tools that need none, by the id of their request. */
  readonly calls: Map<string, Operation>;
}

export function createPlaces(): Places {
  return { followed: new AsyncLocalStorage<Place>(), calls: new Map() };
}

/** The operation that runs. @param requestId of the call of a tool; absent: of whatever else there is. */
export function operationOf({ followed, calls }: Places, requestId?: string): Operation | undefined {
  const known = requestId === undefined ? undefined : calls.get(requestId);
  return known ?? followed.getStore()?.operation;
}

interface Tracing {
  /** Null: there are no traces. */
  readonly tracer: Tracer | null;
  readonly places: Places;
}

/** Whether the operation that runs has a span. */
export function isRecorded({ tracer, places }: Tracing): boolean {
  return tracer !== null && (places.followed.getStore()?.operation.span ?? null) !== null;
}

/** Runs work in a span of its own, where its operation is recorded. */
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

/** Marks a span as failed. @param errorType one of few values. */
export function fail(span: Span | null, errorType: string): void {
  span?.setAttribute('error.type', errorType);
  span?.setStatus({ code: SpanStatusCode.ERROR });
}
