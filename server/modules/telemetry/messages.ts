/** Telemetry around each body that the MCP endpoint answers: its server span, and its duration. */

import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { isFinderToolName } from '../../../shared/search/tool-names.ts';
import { RequestError } from '../../base/http/errors.ts';
import type { HttpExchange } from '../../base/http/exchange.ts';
import { callCategory } from '../../base/store/reports/call-category.ts';
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
import { InvalidCallError, type ToolProvider, type ToolResult, UnknownToolError } from '../../call/tools/provider.ts';
import { errorCodeOf } from '../../call/tools/results/errors.ts';
import { mcpMethodOf, OTHER } from './attributes.ts';
import type { Metrics } from './metrics.ts';
import { findOperation, markFailed, type Operation, type Telemetry } from './operation-context.ts';

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
 */
export function createAroundMessage(telemetry: Telemetry): AroundMessage {
  const { metrics, contexts, calls, traceparentServices } = telemetry;
  return async (exchange, body, answer) => {
    const method = commonMethodOf(body);
    const { span, context } = begin(telemetry, exchange, body, method);
    const isBatch = Array.isArray(body);
    const operation: Operation = { method, isBatch, span, tool: null, errorType: null };
    const { requestId } = exchange;
    const needsContext = span !== null || traceparentServices.size > 0 || method !== CALL || isBatch;
    try {
      if (needsContext) await contexts.run({ operation, context }, answer);
      else {
        calls.set(requestId, operation);
        await answer();
      }
    } catch (error) {
      operation.errorType = errorTypeOf(error);
      throw error;
    } finally {
      if (!needsContext) calls.delete(requestId);
      end(metrics, exchange, operation, isRequest(body));
    }
  };
}

/** Returns tools that note how their calls end, on every path through the endpoint. */
export function withTelemetry(tools: ToolProvider, telemetry: Telemetry): ToolProvider {
  return {
    ...tools,
    async list(principal, cursor) {
      try {
        return await tools.list(principal, cursor);
      } catch (error) {
        noteThrown(findOperation(telemetry), error);
        throw error;
      }
    },
    async call(principal, name, args, context) {
      const operation = findOperation(telemetry, context.requestId);
      if (isFinderToolName(name)) nameTool(operation, name);
      try {
        const result = await tools.call(principal, name, args, context);
        if (isFailed(result) && operation !== undefined) operation.errorType = TOOL_ERROR;
        return result;
      } catch (error) {
        noteThrown(operation, error);
        throw error;
      }
    },
  };
}

/** True for a result with an error, unless the call waits for its user or was denied. */
function isFailed(result: ToolResult): boolean {
  if (result.resultType === 'input_required' || result.isError !== true) return false;
  return callCategory(errorCodeOf(result) ?? 'internal_error') === 'failed';
}

/** Records the name of the called tool. A batch has several, so none is recorded. */
export function nameTool(operation: Operation | undefined, tool: string): void {
  if (operation !== undefined && !operation.isBatch) operation.tool = tool;
}

function noteThrown(operation: Operation | undefined, error: unknown): void {
  if (operation === undefined) return;
  operation.errorType = String(error instanceof InvalidCallError ? INVALID_PARAMS : INTERNAL_ERROR);
  if (error instanceof UnknownToolError) nameTool(operation, OTHER);
}

function begin(
  { tracer, recordsNext, followsCallers, traceparentServices }: Telemetry,
  exchange: HttpExchange,
  body: unknown,
  method: string,
): { span: Span | null; context: Context } {
  if (tracer === null) return { span: null, context: ROOT_CONTEXT };
  const { headers } = exchange.request;
  const httpContext = followsCallers ? contextIn(headers) : ROOT_CONTEXT;
  const messageContext = followsCallers ? contextIn(metaOf(body)) : ROOT_CONTEXT;
  const parent = messageContext === ROOT_CONTEXT ? httpContext : messageContext;
  const sendsContexts = traceparentServices.size > 0;
  if (parent === ROOT_CONTEXT && !recordsNext()) return { span: null, context: sendsContexts ? newContext() : parent };
  const linked = parent === httpContext ? undefined : trace.getSpanContext(httpContext);
  const links = linked === undefined ? [] : [{ context: linked }];
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, startTime: exchange.startedAt, links }, parent);
  if (!span.isRecording()) return { span: null, context: sendsContexts ? trace.setSpan(parent, span) : parent };
  const version = headers['mcp-protocol-version'];
  span.setAttributes({
    'mcp.method.name': method,
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'network.protocol.version': exchange.request.httpVersion,
    'gateway.request.id': exchange.requestId,
  });
  if (VERSIONS.has(version)) span.setAttribute('mcp.protocol.version', version as string);
  if (method === CALL) span.setAttribute('gen_ai.operation.name', 'execute_tool');
  return { span, context: trace.setSpan(parent, span) };
}

/** Returns the context of a trace that begins here and is not recorded. */
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
  if (errorType !== null) markFailed(span, errorType);
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
  const [first = OTHER, ...others] = new Set(body.map((message) => mcpMethodOf(methodOf(message))));
  return others.length === 0 ? first : OTHER;
}

function isRequest(body: unknown): boolean {
  return isObject(body) && Object.hasOwn(body, 'id');
}

function errorTypeOf(error: unknown): string {
  if (error instanceof MessageError) return String(error.code);
  return error instanceof RequestError ? String(error.status) : '500';
}
