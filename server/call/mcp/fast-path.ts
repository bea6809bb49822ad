/** Answers recognised messages without the SDK, with the same answers, but without a server per request. */

import type { HttpExchange } from '../../base/http/exchange.ts';
import type { Principal } from '../../base/principal/principal.ts';
import type { Icon } from '../../contract/index.ts';
import {
  type CallAnswer,
  type EndpointTools,
  type InputRequiredToolResult,
  InvalidCallError,
  type ProtocolEra,
} from '../tools/provider.ts';
import { toJson } from '../tools/results/errors.ts';
import type { joinAdditions } from './additions.ts';
import type { createAnswerForm } from './answer-content.ts';
import { CACHE_HINTS, type Introduction, introduce } from './introduction.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, toErrorText, toResultText } from './json-rpc.ts';
import { chooseCoding, createListPieces } from './list-bytes.ts';
import type { ListStreams } from './list-streams.ts';
import { acceptsEvents, clientOf, LateStream, type OpenCalls, type ProgressTiming } from './open-calls.ts';
import { LEGACY_VERSIONS, MODERN_VERSION, type RecognisedCall, type RecognisedMessage } from './recognise.ts';
import type { Sessions } from './sessions.ts';

/** MCP `Implementation`. */
export interface ServerInfo {
  readonly name: string;
  readonly title?: string;
  readonly version: string;
  readonly websiteUrl?: string;
  /** Only in the answers to `initialize` and `server/discover`: other results name the server in a few bytes. */
  readonly icons?: readonly Icon[];
}

interface ServerDescription {
  readonly serverInfo: ServerInfo;
  /** The `instructions` of the server, for models. */
  readonly instructions: string;
  readonly additions: ReturnType<typeof joinAdditions>;
}

/** Options that both paths share. */
export interface PathOptions extends ServerDescription {
  readonly tools: EndpointTools;
  readonly progress: ProgressTiming;
  readonly openCalls: OpenCalls;
  readonly toForm: ReturnType<typeof createAnswerForm>;
  /** Undefined if clients of 2025 are asked nothing. */
  readonly sessions?: Sessions | undefined;
  /** Undefined if clients are not told that their list has changed. */
  readonly streams?: ListStreams | undefined;
}

/** Answers recognised messages. */
interface FastPath {
  /**
   * Makes a call.
   *
   * @param waitSeconds see `ToolCallContext`.
   * @returns null; or the result of a call that asks for input (MCP 2026-07-28, `InputRequiredResult`), not yet sent: the SDK
   * decides whether the client can provide it, and what to answer if not.
   */
  call(
    exchange: HttpExchange,
    principal: Principal,
    call: RecognisedCall,
    waitSeconds: number | null,
  ): Promise<InputRequiredToolResult | null>;
  /** Answers any other message. */
  answer(
    exchange: HttpExchange,
    principal: Principal,
    message: Exclude<RecognisedMessage, RecognisedCall>,
  ): Promise<void>;
}

const JSON_TYPE = 'application/json';
const NO_INPUT = {};

type RecognisedIntroduction = Extract<RecognisedMessage, { kind: 'initialize' | 'discover' }>;
type RecognisedList = Extract<RecognisedMessage, { kind: 'list' }>;

/** Creates the fast path. */
export function createFastPath(options: PathOptions): FastPath {
  const { tools, openCalls, sessions, toForm } = options;
  const texts = createTexts(options);
  const toListPieces = createListPieces();

  const sendList = async (exchange: HttpExchange, principal: Principal, { id, era, cursor }: RecognisedList) => {
    const list = await tools.list(principal, cursor);
    const preferredCoding = chooseCoding(exchange.request.headers['accept-encoding']);
    const next = list.nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(list.nextCursor)}`;
    const metaText = era === '2025' ? '' : `,"_meta":${JSON.stringify(texts.meta)}`;
    const tail = `${next}${metaText}${texts.listEnd[era]},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
    const { coding, pieces } = toListPieces(list, preferredCoding, tail);
    exchange.addHeaders({ Vary: 'Accept-Encoding' });
    if (coding !== null) exchange.addHeaders({ 'Content-Encoding': coding });
    exchange.sendPieces(200, JSON_TYPE, pieces);
  };

  const sendCall: FastPath['call'] = async (exchange, principal, call, waitSeconds) => {
    const open = call.era === '2025' ? openCalls.begin(clientOf(exchange, principal), call.id) : null;
    const { name, progressToken } = call;
    const canStream = progressToken !== null && acceptsEvents(exchange.request.headers.accept);
    const progress = canStream ? { name, progressToken, message: null } : null;
    let stream = progress === null ? null : new LateStream(exchange, progress, options.progress);
    const openStream = () => {
      stream ??= new LateStream(exchange, null, options.progress);
      return stream;
    };
    let text: string;
    try {
      const context = {
        era: call.era,
        // A client that cannot cancel a call by a notification cancels it by disconnecting.
        signal: open?.signal ?? exchange.disconnected,
        requestId: exchange.requestId,
        clientCapabilities: call.clientCapabilities,
        meta: call.meta,
        inputResponses: NO_INPUT,
        requestState: null,
        waitSeconds,
        progress,
        ...(sessions && { callerNow: () => sessions.callerNow(exchange) }),
      };
      const hasSession = exchange.request.headers['mcp-session-id'] !== undefined;
      const askingSessions = open !== null && hasSession ? sessions : undefined;
      const result = await (askingSessions === undefined
        ? tools.call(principal, name, call.args, context)
        : askingSessions.call(
            { exchange, principal, id: call.id, signal: context.signal, progress, openStream },
            (caller, answered) =>
              tools.call(caller, name, call.args, {
                ...context,
                ...answered,
                get clientCapabilities() {
                  return askingSessions.capabilitiesOf({ exchange, principal });
                },
              }),
          ));
      if (result.resultType === 'input_required' && stream?.isOpen !== true) return result;
      text = toResultText(call.id, texts.toCallResult(toForm(result, { exchange, principal, name }), call.era));
    } catch (error) {
      text = toFailureText(exchange, call.id, error);
    } finally {
      open?.end();
      stream?.stopReports();
    }
    if (stream?.isOpen === true) stream.finish(text);
    else exchange.send(200, JSON_TYPE, text);
    return null;
  };

  return {
    call: sendCall,
    async answer(exchange, principal, message) {
      if (message.kind === 'notification') {
        const { cancels } = message;
        const isElsewhere = cancels !== null && !openCalls.cancel(clientOf(exchange, principal), cancels);
        if (isElsewhere) await sessions?.cancel({ exchange, principal }, cancels);
        return exchange.sendEmpty(202);
      }
      try {
        if (message.kind === 'list') return await sendList(exchange, principal, message);
        const result =
          message.kind === 'ping' ? '{}' : texts.toIntroduction(message, await introduce(principal, options));
        exchange.send(200, JSON_TYPE, toResultText(message.id, result));
      } catch (error) {
        exchange.send(200, JSON_TYPE, toFailureText(exchange, message.id, error));
      }
    },
  };
}

function toFailureText(exchange: HttpExchange, id: string | number, error: unknown): string {
  if (exchange.response.headersSent && exchange.response.writableEnded) throw error;
  if (error instanceof InvalidCallError) return toErrorText(id, INVALID_PARAMS, error.message);
  exchange.log.error({ err: error }, 'a tool provider failed');
  return toErrorText(id, INTERNAL_ERROR, 'Internal error');
}

/** JSON that all answers share. */
function createTexts({ serverInfo, additions }: ServerDescription) {
  const { icons, ...infoWithoutIcons } = serverInfo;
  const meta = { 'io.modelcontextprotocol/serverInfo': infoWithoutIcons };
  const complete = `,"resultType":"complete","_meta":${JSON.stringify(meta)}`;
  const list = CACHE_HINTS['tools/list'];
  return {
    /** The result of `initialize` or `server/discover`. */
    toIntroduction(message: RecognisedIntroduction, { instructions, cacheHints }: Introduction): string {
      const instructionMembers = instructions === '' ? {} : { instructions };
      if (message.kind === 'discover') {
        return JSON.stringify({
          resultType: 'complete',
          supportedVersions: [MODERN_VERSION],
          capabilities: additions['2026'].capabilities,
          ...instructionMembers,
          ...cacheHints['server/discover'],
          _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
        });
      }
      const [newest] = LEGACY_VERSIONS;
      const protocolVersion = LEGACY_VERSIONS.find((version) => version === message.protocolVersion) ?? newest;
      const { capabilities } = additions['2025'];
      return JSON.stringify({ protocolVersion, capabilities, serverInfo, ...instructionMembers });
    },
    /** Members of each result's `_meta`. */
    meta,
    /** The end of a list's result. */
    listEnd: { '2025': '}', '2026': `,"resultType":"complete",${JSON.stringify(list).slice(1)}` },
    toCallResult(result: CallAnswer, era: ProtocolEra): string {
      if (result.resultType === 'input_required' || result.resultType === 'task')
        return JSON.stringify({ ...result, _meta: meta });
      if (era === '2025') return toJson(result);
      const { _meta: resultMeta, resultType } = result;
      if (resultMeta === undefined && resultType === undefined) return `${toJson(result).slice(0, -1)}${complete}}`;
      return JSON.stringify({ ...result, resultType: 'complete', _meta: { ...meta, ...resultMeta } });
    },
  };
}
