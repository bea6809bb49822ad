/** One tool call upstream: arguments, credential, request, answer, result. */

import type { UpstreamReply } from '../contract/index.ts';
import type { ConnectionInUse } from '../credentials/connection-lookup.ts';
import { CredentialUnreadableError } from '../credentials/index.ts';
import { ArgumentError, redact, UnusableCredentialError, type Upstream, UpstreamFailure } from '../upstream/index.ts';
import { describeBrokenRule } from './arguments/argument-errors.ts';
import type { Arguments } from './arguments/heal.ts';
import { prepareArguments } from './arguments/prepare.ts';
import { explainUnsendable } from './arguments/unsendable.ts';
import type { CatalogueEntry } from './catalogue/catalogue.ts';
import { isSchema } from './json/schema-walk.ts';
import type { Validators } from './json/validate.ts';
import type { CompleteToolResult } from './provider.ts';
import { decodeBody } from './results/decode.ts';
import { type ExplainedError, explain, type ToolError, toErrorResult } from './results/errors.ts';
import type { Outcome } from './results/outcomes.ts';
import { buildResult } from './results/result.ts';
import {
  type CalledTool,
  explainErrorAnswer,
  explainFailure,
  explainTooLarge,
  explainUnreadable,
  isErrorInSuccess,
} from './results/upstream-errors.ts';

/** What a call needs beside its tool and its arguments. */
export interface InvokeDependencies {
  readonly upstream: Upstream;
  readonly validators: Validators;
  /** Limit of a result's text, in bytes. */
  readonly maxResultBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Told of faults that a model has no use for and an operator has. Gets no arguments and no answers.
   */
  readonly onFault: (fault: InvocationFault) => void;
}

/** `output_drift`: answers no longer match the descriptor. `unexpected`: an error of our own. */
export interface InvocationFault {
  readonly kind: 'output_drift' | 'credential_unreadable' | 'upstream_failure' | 'unexpected';
  readonly tool: string;
  /** Places of the answer (JSON pointers) for `output_drift`. */
  readonly places?: readonly string[];
  readonly error?: unknown;
}

const MAX_REPORTED_PLACES = 20;

/** How one call went. */
export interface Invocation {
  readonly result: CompleteToolResult;
  readonly outcome: Outcome;
  /** What went wrong; null when nothing did. */
  readonly error: ToolError | null;
  /** HTTP status of the upstream's answer, or null when there was none. */
  readonly upstreamStatus: number | null;
  /** Bytes of the result's texts and data. */
  readonly resultBytes: number;
}

/** Makes one call. Whatever goes wrong is a result. */
export async function invoke(
  entry: CatalogueEntry,
  given: Arguments,
  connection: ConnectionInUse,
  signal: AbortSignal,
  deps: InvokeDependencies,
): Promise<Invocation> {
  const { connector, tool } = entry;
  const prepared = prepareArguments(tool, given, deps.validators(tool.inputSchema));
  if (!prepared.ok) return failed(explain('invalid_arguments', { message: prepared.text }));
  const called: CalledTool = { connector, tool, args: prepared.args };
  try {
    return await callUpstream(called, connection, signal, deps);
  } catch (error) {
    return failed(explainError(called, error, deps));
  }
}

async function callUpstream(
  called: CalledTool,
  connection: ConnectionInUse,
  signal: AbortSignal,
  deps: InvokeDependencies,
): Promise<Invocation> {
  const { connector, tool, args } = called;
  const fields = connection.openCredential();
  const call = deps.upstream.prepare({ connector, server: tool.operation.server, fields, signal });
  let reply: UpstreamReply;
  try {
    reply = await tool.call(call.client, args, call.request);
  } catch (error) {
    if (!call.sent() && !(error instanceof UpstreamFailure)) return failed(explainUnsent(called, error, deps));
    throw error;
  }
  const { status, headers } = reply.response;
  if (!reply.response.ok) {
    const body = redactBody(reply.error, call.secrets);
    return failed(explainErrorAnswer(called, { status, headers, body }, deps.now()), status);
  }
  const body = decodeBody(await readBytes(reply.data), {
    contentType: headers.get('content-type'),
    expectsJson: isSchema(tool.outputSchema.properties) && Object.keys(tool.outputSchema.properties).length > 0,
    requested: Object.values(args),
    secrets: call.secrets,
  });
  if (body.kind === 'json' && isErrorInSuccess(connector.errors, body.rounded)) {
    return failed(explainErrorAnswer(called, { status, headers, body: body.rounded }, deps.now()), status);
  }
  if (body.kind === 'unreadable') return failed(explainUnreadable(called, status, body.problem), status);
  const built = buildResult(tool, args, body, deps.validators(tool.outputSchema));
  if (built.drift.length > 0) {
    deps.onFault({ kind: 'output_drift', tool: tool.name, places: built.drift.slice(0, MAX_REPORTED_PLACES) });
  }
  if (body.kind !== 'bytes' && built.bytes > deps.maxResultBytes) {
    return failed(explainTooLarge(called, built.bytes, deps.maxResultBytes, status), status);
  }
  return { result: built.result, outcome: 'ok', error: null, upstreamStatus: status, resultBytes: built.bytes };
}

function explainError(called: CalledTool, error: unknown, deps: InvokeDependencies): ExplainedError {
  const { connector, tool } = called;
  if (error instanceof UpstreamFailure) {
    if (error.kind !== 'cancelled') deps.onFault({ kind: 'upstream_failure', tool: tool.name, error });
    return explainFailure(called, error);
  }
  if (error instanceof CredentialUnreadableError || error instanceof UnusableCredentialError) {
    deps.onFault({ kind: 'credential_unreadable', tool: tool.name, error });
    const lost = error instanceof CredentialUnreadableError && error.reason === 'unknown-key';
    return explain('credential_unreadable', {
      message: `The gateway cannot read the credential of this connection to ${connector.title}.`,
      advice: lost
        ? 'Calling again will not help: the operator of the gateway has to restore its encryption key.'
        : `Calling again will not help: the user must connect ${connector.title} again in the application that manages the connection.`,
    });
  }
  deps.onFault({ kind: 'unexpected', tool: tool.name, error });
  return explain('internal_error', {
    message: 'The gateway failed to make this call.',
    repeatable: tool.annotations.readOnlyHint,
  });
}

/** The typed call failed before it sent anything: a file that is none, or a text that no request can carry. */
function explainUnsent(called: CalledTool, error: unknown, deps: InvokeDependencies): ExplainedError {
  if (error instanceof ArgumentError) {
    const { tool, args } = called;
    const broken = { argument: error.argument, text: error.message };
    const text = describeBrokenRule(tool, args, broken, deps.validators(tool.inputSchema));
    return explain('invalid_arguments', { message: text });
  }
  return explainUnsendable(called, error);
}

function failed(explained: ExplainedError, status: number | null = explained.error.status): Invocation {
  const result = toErrorResult(explained);
  const resultBytes = Buffer.byteLength(JSON.stringify(result.content));
  return { result, outcome: explained.error.code, error: explained.error, upstreamStatus: status, resultBytes };
}

/** An error body, JSON or text, without the credential that an upstream may repeat in it. */
function redactBody(body: unknown, secrets: readonly string[]): unknown {
  if (typeof body === 'string') return redact(body, secrets);
  return body === undefined || secrets.length === 0 ? body : JSON.parse(redact(JSON.stringify(body), secrets));
}

/** The body of a reply that went well, as openapi-fetch hands it over: a stream. */
async function readBytes(body: unknown): Promise<Uint8Array> {
  if (body === undefined || body === null) return new Uint8Array(0);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ReadableStream) return new Uint8Array(await new Response(body).arrayBuffer());
  throw new TypeError('a reply to a call with parseAs: stream holds no stream');
}
