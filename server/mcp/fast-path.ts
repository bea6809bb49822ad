/** Answers recognised messages with bytes of our own: what the SDK would answer, without making a server for each request. */

import { chooseCoding } from '../http/accept-encoding.ts';
import type { HttpExchange } from '../http/exchange.ts';
import type { Principal } from '../principal/principal.ts';
import {
  type CompleteToolResult,
  type InputRequiredToolResult,
  InvalidCallError,
  type ProtocolEra,
  type ToolCallContext,
  type ToolProvider,
} from '../tools/provider.ts';
import { toJson } from '../tools/results/written.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, toErrorText, toResultText } from './json-rpc.ts';
import { createListPieces } from './list-bytes.ts';
import { LEGACY_VERSIONS, MODERN_VERSION, type RecognisedCall, type RecognisedMessage } from './recognise.ts';
import { CACHE_HINTS, type ServerDescription } from './server-description.ts';

/** What the answers are made of. */
export interface FastPathOptions extends ServerDescription {
  readonly tools: ToolProvider;
}

/**
 * Answers one recognised message.
 *
 * @param waitSeconds of `ToolCallContext`.
 * @returns null; or the result of a call that asks for input (MCP 2026-07-28, `InputRequiredResult`), not sent yet: whether
 * the client can give it, and what to say if not, is for the SDK to decide.
 */
export type AnswerFast = (
  exchange: HttpExchange,
  principal: Principal,
  message: RecognisedMessage,
  waitSeconds: number | null,
) => Promise<InputRequiredToolResult | null>;

const JSON_TYPE = 'application/json';
const NO_INPUT = {};

type Texts = ReturnType<typeof createTexts>;

/** Creates the fast path. */
export function createFastPath(options: FastPathOptions): AnswerFast {
  const { tools } = options;
  const texts = createTexts(options);
  const toListPieces = createListPieces();

  const sendList = async (exchange: HttpExchange, principal: Principal, id: string | number, era: ProtocolEra) => {
    const list = await tools.list(principal);
    const wanted = chooseCoding(exchange.request.headers['accept-encoding']);
    const tail = `${texts.listEnd[era]},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
    const { coding, pieces } = toListPieces(list, wanted, tail);
    exchange.addHeaders({ Vary: 'Accept-Encoding', ...(coding === null ? {} : { 'Content-Encoding': coding }) });
    exchange.sendPieces(200, JSON_TYPE, pieces);
    return null;
  };

  return async (exchange, principal, message, waitSeconds) => {
    if (message.kind === 'notification') {
      exchange.sendEmpty(202);
      return null;
    }
    try {
      if (message.kind === 'list') return await sendList(exchange, principal, message.id, message.era);
      if (message.kind !== 'call') {
        exchange.send(200, JSON_TYPE, toResultText(message.id, toFixedResult(texts, message)));
        return null;
      }
      const context = toContext(exchange, message, waitSeconds);
      const result = await tools.call(principal, message.name, message.args, context);
      if (result.resultType === 'input_required') return result;
      exchange.send(200, JSON_TYPE, toResultText(message.id, texts.toCallResult(result, message.era)));
      return null;
    } catch (error) {
      if (exchange.response.headersSent) throw error;
      const isInvalid = error instanceof InvalidCallError;
      if (!isInvalid) exchange.log.error({ err: error }, 'a tool provider failed');
      const [code, text] = isInvalid ? [INVALID_PARAMS, error.message] : [INTERNAL_ERROR, 'Internal error'];
      exchange.send(200, JSON_TYPE, toErrorText(message.id, code, text));
      return null;
    }
  };
}

function toFixedResult(
  texts: Texts,
  message: Exclude<RecognisedMessage, { kind: 'notification' | 'list' | 'call' }>,
): string {
  switch (message.kind) {
    case 'ping':
      return '{}';
    case 'discover':
      return texts.discover;
    case 'initialize':
      return texts.toInitialize(message.protocolVersion);
  }
}

function toContext(exchange: HttpExchange, call: RecognisedCall, waitSeconds: number | null): ToolCallContext {
  return {
    era: call.era,
    signal: exchange.disconnected,
    requestId: exchange.requestId,
    clientCapabilities: call.clientCapabilities,
    inputResponses: NO_INPUT,
    requestState: null,
    progress: null,
    waitSeconds,
  };
}

/** JSON that is the same in every answer. */
function createTexts({ serverInfo, instructions, listTtlMs }: ServerDescription) {
  const meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
  const capabilities = { tools: {} };
  const says = instructions === '' ? {} : { instructions };
  const initialize = new Map(
    LEGACY_VERSIONS.map((protocolVersion) => [
      protocolVersion as string,
      JSON.stringify({ protocolVersion, capabilities, serverInfo, ...says }),
    ]),
  );
  const [newest] = initialize.values();
  const complete = `,"resultType":"complete","_meta":${JSON.stringify(meta)}`;
  const list = { ...CACHE_HINTS['tools/list'], ttlMs: listTtlMs };
  return {
    toInitialize: (asked: string): string => initialize.get(asked) ?? newest ?? '',
    discover: JSON.stringify({
      resultType: 'complete',
      supportedVersions: [MODERN_VERSION],
      capabilities,
      ...says,
      ...CACHE_HINTS['server/discover'],
      _meta: meta,
    }),
    /** What follows the array of tools. */
    listEnd: { '2025': '}', '2026': `${complete},${JSON.stringify(list).slice(1)}` },
    toCallResult(result: CompleteToolResult, era: ProtocolEra): string {
      if (era === '2025') return toJson(result);
      const { _meta: own, resultType } = result;
      if (own === undefined && resultType === undefined) return `${toJson(result).slice(0, -1)}${complete}}`;
      return JSON.stringify({ ...result, resultType: 'complete', _meta: { ...meta, ...own } });
    },
  };
}
