/** What a generated connector is to the gateway: the only types that `generated/` may import from `server/`. */

import type { CredentialRequirement } from './credential.ts';
import type { ToolRequest } from './request.ts';

export type * from './credential.ts';
export type * from './request.ts';
export type { RequestOf } from './request-of.ts';

/** A JSON Schema 2020-12 object (never a boolean schema, which some MCP clients refuse). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A schema whose root is an object, as MCP requires of `inputSchema` and the 2025 clients of `outputSchema`. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
}

export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'PATCH' | 'TRACE';

/** A variable of a server URL. `env` names the environment variable that replaces `default`. */
export interface ServerVariable {
  readonly name: string;
  readonly env: string;
  readonly default: string;
  /** When `env` is not set: the value of another variable without a final suffix. Null: `default`. */
  readonly derive: { readonly from: string; readonly removeSuffix: string } | null;
}

/** A server URL template of the descriptor, such as `{retrieval_base_url}`. */
export interface ServerTemplate {
  readonly url: string;
  readonly variables: readonly ServerVariable[];
}

/** The four MCP hints, always explicit. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** The upstream operation that a tool calls. */
export interface ToolOperation {
  /** `operationId` of the descriptor, or null where it has none. */
  readonly id: string | null;
  readonly method: HttpMethod;
  readonly path: string;
  /** `url` of the `ServerTemplate` that the path is appended to. */
  readonly server: string;
}

/**
 * Where an upstream keeps the cursor of the next page, and the argument that takes it.
 *
 * `next` is an RFC 6901 pointer into the answer. With `queryParameter`, the value there is a URL and the
 * cursor is that parameter of it. With `more`, a pointer to a boolean: false there ends the list.
 * A missing, null or empty cursor ends the list.
 */
export interface PageRule {
  readonly argument: string;
  readonly next: string;
  readonly queryParameter: string | null;
  readonly more: string | null;
}

/** Turns arrays of cells into objects keyed by column name. All three are RFC 6901 pointers into the answer. */
export interface RowsRule {
  readonly columns: string;
  /** Pointer from a column to its name, such as `/name`. */
  readonly columnName: string;
  readonly rows: string;
}

/** How an upstream's answer becomes structured content, where that is more than its JSON. */
export interface ResultRule {
  /** The answer's root is an array and is published as `{items: [...]}`. */
  readonly wrapItems?: true;
  readonly rows?: RowsRule;
}

/** An argument that is checked against others before the call: `{vendorCode}/{tableCode}`. */
export interface AgreementRule {
  readonly argument: string;
  readonly template: string;
}

/** Where an upstream's error bodies keep what a model needs. Pointers are tried in order. */
export interface ErrorRules {
  readonly message: readonly string[];
  readonly code: readonly string[];
  readonly details: readonly string[];
  /** Answers that mean "this credential is refused" although their status is not 401. */
  readonly invalidCredential: readonly {
    readonly status: number;
    readonly pointer: string;
    readonly contains: string;
  }[];
  /** Pointer whose presence makes a 2xx answer an error, or null. */
  readonly inSuccess: string | null;
}

/** An old name of a tool: it can be called, is never listed, and goes away on its date. */
export interface ToolAlias {
  readonly name: string;
  /** ISO date, such as `2027-03-01`. */
  readonly until: string;
}

/** One complete tool: what a model reads, what it risks, and what it sends. */
export interface Tool {
  readonly name: string;
  /** Old names, sorted. */
  readonly aliases?: readonly ToolAlias[];
  readonly title: string;
  readonly description: string;
  readonly operation: ToolOperation;
  readonly annotations: ToolHints;
  readonly inputSchema: ObjectSchema;
  readonly request: ToolRequest;
  readonly outputSchema: ObjectSchema;
  readonly agreements?: readonly AgreementRule[];
  /** By path argument: segments that other paths of the service have as a literal, so that it must not be one of them. */
  readonly reservedSegments?: Readonly<Record<string, readonly string[]>>;
  readonly page?: PageRule;
  readonly result?: ResultRule;
  /**
   * Scopes that an OAuth 2.0 connection needs for the call: alternatives, each a set that is needed whole. Absent: none, and
   * connections with another kind of credential need none either.
   */
  readonly scopes?: readonly (readonly string[])[];
}

/** One upstream service as the gateway serves it. */
export interface Connector {
  /** Folder name in `specs/` and `generated/`, and the `service` of a connection. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly categories: readonly string[];
  readonly credential: CredentialRequirement;
  /** The call that proves that a credential works, or null. */
  readonly verify: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> } | null;
  /**
   * Who is connected at the upstream, as people know it: pointers (RFC 6901) into the answer of a tool that needs no more than
   * these arguments. The first pointer that leads to a text or number gives the name. Absent: not known.
   */
  readonly account?: {
    readonly tool: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly name: readonly string[];
  };
  readonly servers: readonly ServerTemplate[];
  readonly errors: ErrorRules;
  /** Sorted by name. */
  readonly tools: readonly Tool[];
}
