/** Telemetry around each body that the MCP endpoint answers: its server span, and its duration. */

import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { RequestError } from '../../base/http/errors.ts';
import type { HttpExchange } from '../../base/http/exchange.ts';
import type { AroundMessage } from '../../call/mcp/endpoint.ts';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  MessageError,
  methodOf,
} from '../../call/mcp/json-rpc.ts';
import { LEGACY_VERSIONS, MODERN_VERSION } from '../../call/mcp/recognise.ts';
import { isFinderToolName } from '../../call/tools/catalogue/finder-tools.ts';
import { InvalidCallError, type ToolProvider, UnknownToolError } from '../../call/tools/provider.ts';
import { mcpMethodOf, OTHER } from './attributes.ts';
import type { Metrics } from './metrics.ts';
import { fail, type Operation, operationOf, type Places } from './place.ts';
import type { TraceSettings } from './settings.ts';

/** What the telemetry hooks share. */
export interface Watching {
  readonly metrics: Metrics;
  /** Null: there are no traces. */
  readonly tracer: Tracer | null;
  /** Whether a trace that begins here is recorded. */
  readonly keepsNext: () => boolean;
  readonly places: Places;
}

const PROPAGATOR = new W3CTraceContextPropagator();
const VERSIONS: ReadonlySet<unknown> = new Set([...LEGACY_VERSIONS, MODERN_VERSION]);

/** A failed result of a tool (OpenTelemetry, semantic conventions for MCP). */
const TOOL_ERROR = 'tool_error';

const CALL = 'tools/call';

/**
 * Creates the wrapper of each answer.
 *
 * The trace context in `params._meta` is the parent, and the HTTP request's becomes a link; if there is only the HTTP request's, it
 * is the parent (OpenTelemetry, semantic conventions for MCP, Context propagation).
 *
 * @param settings of traces; null: there are none.
 */
export function createAroundMessage(
  watching: Watching,
  settings: Pick<TraceSettings, 'followsCallers' | 'traceparentServices'> | null,
): AroundMessage {
  const { metrics, places } = watching;
  const following = {
    ...watching,
    followsCallers: settings?.followsCallers ?? false,
    sendsContexts: (settings?.traceparentServices.size ?? 0) > 0,
  };
  return async (exchange, body, answer) => {
    const method = commonMethodOf(body);
    const { span, context } = begin(following, exchange, body, method);
    const isBatch = Array.isArray(body);
    const operation: Operation = { method, isBatch, span, tool: null, errorType: null };
    const { requestId } = exchange;
    const isFollowed = span !== null || following.sendsContexts || method !== CALL || isBatch;
    try {
      if (isFollowed) await places.followed.run({ operation, context }, answer);
      else {
        places.calls.set(requestId, operation);
        await answer();
      }
    } catch (error) {
      operation.errorType = errorTypeOf(error);
      throw error;
    } finally {
      if (!isFollowed) places.calls.delete(requestId);
      end(metrics, exchange, operation, isRequest(body));
    }
  };
}

/** Watches how calls of tools end, whichever path they take through the endpoint. */
export function withWatch(tools: ToolProvider, places: Places): ToolProvider {
  return {
    ...tools,
    async list(principal, cursor) {
      try {
        return await tools.list(principal, cursor);
      } catch (error) {
        noteThrown(operationOf(places), error);
        throw error;
      }
    },
    async call(principal, name, args, context) {
      const operation = operationOf(places, context.requestId);
      if (isFinderToolName(name)) nameTool(operation, name);
      try {
        const result = await tools.call(principal, name, args, context);
        const isFailed = result.resultType !== 'input_required' && result.isError === true;
        if (isFailed && operation !== undefined) operation.errorType = TOOL_ERROR;
        return result;
      } catch (error) {
        noteThrown(operation, error);
        throw error;
      }
    },
  };
}

/** Records which tool is called: a name of the catalogue. A batch has several, so none is recorded. */
export function nameTool(operation: Operation | undefined, tool: string): void {
  if (operation !== undefined && !operation.isBatch) operation.tool = tool;
}

function noteThrown(operation: Operation | undefined, error: unknown): void {
  if (operation === undefined) return;
  operation.errorType = String(error instanceof InvalidCallError ? INVALID_PARAMS : INTERNAL_ERROR);
  if (error instanceof UnknownToolError) nameTool(operation, OTHER);
}

/** `Watching`, and which trace contexts are read and passed on. */
interface Following extends Watching {
  readonly followsCallers: boolean;
  readonly sendsContexts: boolean;
}

function begin(
  { tracer, keepsNext, followsCallers, sendsContexts }: Following,
  exchange: HttpExchange,
  body: unknown,
  method: string,
): { span: Span | null; context: Context } {
  if (tracer === null) return { span: null, context: ROOT_CONTEXT };
  const { headers } = exchange.request;
  const ofHttp = followsCallers ? contextIn(headers) : ROOT_CONTEXT;
  const ofMessage = followsCallers ? contextIn(metaOf(body)) : ROOT_CONTEXT;
  const parent = ofMessage === ROOT_CONTEXT ? ofHttp : ofMessage;
  if (parent === ROOT_CONTEXT && !keepsNext()) return { span: null, context: sendsContexts ? newContext() : parent };
  const linked = parent === ofHttp ? undefined : trace.getSpanContext(ofHttp);
  const links = linked === undefined ? [] : [{ context: linked }];
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, startTime: exchange.startedAt, links }, parent);
  if (!span.isRecording()) return { span: null, context: sendsContexts ? trace.setSpan(parent, span) : parent };
  const version = headers['mcp-protocol-version'];
  span.setAttributes({
    'mcp.method.name': method,
    ...(VERSIONS.has(version) ? { 'mcp.protocol.version': version as string } : {}),
    ...(method === CALL ? { 'gen_ai.operation.name': 'execute_tool' } : {}),
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'network.protocol.version': exchange.request.httpVersion,
    'gateway.request.id': exchange.requestId,
  });
  return { span, context: trace.setSpan(parent, span) };
}

/** The context of a trace that begins here and is not recorded. */
function newContext(): Context {
  const id = (bytes: number) => randomBytes(bytes).toString('hex');
  return trace.setSpanContext(ROOT_CONTEXT, { traceId: id(16), spanId: id(8), traceFlags: TraceFlags.NONE });
}

function end(metrics: Metrics, exchange: HttpExchange, operation: Operation, isRequest: boolean): void {
  const { method, span, tool } = operation;
  const { statusCode } = exchange.response;
  // The SDK answers its own refusals, so nothing is thrown.
  if (operation.errorType === null && statusCode >= 400) operation.errorType = String(statusCode);
  if (operation.errorType === null && method === OTHER && isRequest) operation.errorType = String(METHOD_NOT_FOUND);
  const { errorType } = operation;
  const endedAt = performance.now();
  metrics.record('operationDuration', (endedAt - exchange.startedAt) / 1000, method, tool, errorType);
  if (span === null) return;
  if (tool !== null) span.updateName(`${method} ${tool}`).setAttribute('gen_ai.tool.name', tool);
  if (errorType !== null) fail(span, errorType);
  if (errorType !== null && /^-\d+$/.test(errorType)) span.setAttribute('rpc.response.status_code', errorType);
  span.end(endedAt);
}

function contextIn(carrier: Readonly<Record<string, unknown>> | IncomingHttpHeaders): Context {
  if (!Object.hasOwn(carrier, 'traceparent')) return ROOT_CONTEXT;
  return PROPAGATOR.extract(ROOT_CONTEXT, carrier, {
    keys: (from) => Object.keys(from),
    get: (from, key) => {
      const value = Object.hasOwn(from, key) ? from[key] : undefined;
      return typeof value === 'string' ? value : undefined;
    },
  });
}

function metaOf(body: unknown): Readonly<Record<string, unknown>> {
  const params = isObject(body) ? body.params : undefined;
  const meta = isObject(params) ? params._meta : undefined;
  return isObject(meta) ? meta : {};
}

function commonMethodOf(body: unknown): string {
  if (!Array.isArray(body)) return mcpMethodOf(methodOf(body));
  const [first = OTHER, ...others] = new Set(body.map((one) => mcpMethodOf(methodOf(one))));
  return others.length === 0 ? first : OTHER;
}

function isRequest(body: unknown): boolean {
  return isObject(body) && Object.hasOwn(body, 'id');
}

function errorTypeOf(error: unknown): string {
  if (error instanceof MessageError) return String(error.code);
  return error instanceof RequestError ? String(error.status) : '500';
}
