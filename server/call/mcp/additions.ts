/** Methods and capabilities that modules add to the MCP endpoint: extensions of the protocol, and parts of it that the core does not serve. */

import type { Principal } from '../../base/principal/principal.ts';
import type { ProtocolEra, ToolCallContext } from '../tools/provider.ts';

type Members = Readonly<Record<string, unknown>>;
type Json = string | number | boolean | null | Json[] | { [member: string]: Json };
type JsonObject = { [member: string]: Json };

/** The additions of a module to the endpoint. */
export interface McpAddition {
  /**
   * Members of the server's capabilities (MCP 2026-07-28, `ServerCapabilities`), such as
   * `{ extensions: { 'io.modelcontextprotocol/tasks': {} } }`.
   */
  readonly capabilities: {
    readonly resources?: JsonObject;
    /** Of the extension for events, under the name of its first drafts. */
    readonly events?: JsonObject;
    readonly extensions?: Record<string, JsonObject>;
  };
  readonly methods: Readonly<Record<string, McpMethod>>;
  /** The revisions that have it. Default: extensions are of 2026. */
  readonly eras?: readonly ProtocolEra[];
}

/**
 * Answers one method. The token, the user's limit and the shape of the message were checked before; the parameters were not.
 *
 * @param params as the client sent them, without `_meta`; what answers an input request is in the context.
 * @returns the members of the result.
 * @throws {InvalidCallError} -32602 with its message.
 * @throws {McpError} any other error of the protocol.
 */
export type McpMethod = (principal: Principal, params: Members, context: ToolCallContext) => Promise<Members>;

/** An error that the client gets as it is; it contains no secret. */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly code: number;
  readonly data: unknown;

  /** @param code of JSON-RPC. */
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const ONLY_2026: readonly ProtocolEra[] = ['2026'];

/** The additions for clients of one revision. */
interface Additions {
  /** With `tools`. */
  readonly capabilities: {
    readonly tools: JsonObject;
    readonly resources?: JsonObject;
    readonly extensions?: Record<string, JsonObject>;
  };
  readonly methods: ReadonlyMap<string, McpMethod>;
}

/** Joins what modules add, for the clients of each revision. @param tools the capability of tools. */
export function joinAdditions(
  all: readonly McpAddition[],
  tools: JsonObject,
): Readonly<Record<ProtocolEra, Additions>> {
  return { '2025': additionsOf(all, tools, '2025'), '2026': additionsOf(all, tools, '2026') };
}

function additionsOf(all: readonly McpAddition[], tools: JsonObject, era: ProtocolEra): Additions {
  const applicable = all.filter(({ eras = ONLY_2026 }) => eras.includes(era));
  const extensions = Object.assign({}, ...applicable.map(({ capabilities }) => capabilities.extensions));
  const coreCapabilities = applicable.map(({ capabilities: { extensions: _, ...core } }) => core);
  return {
    capabilities: Object.assign(
      { tools },
      ...coreCapabilities,
      Object.keys(extensions).length === 0 ? {} : { extensions },
    ),
    methods: new Map(applicable.flatMap(({ methods }) => Object.entries(methods))),
  };
}
