/** What a generated connector is to the gateway: the only types that `generated/` may import from `server/`. */

import type { ToolRequest } from './request.ts';

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

/**
 * One secret that an upstream asks for, named after its OpenAPI security scheme.
 *
 * A connection stores one value per field: the field of `bearer`, `header`, `query` and `cookie` is `id`,
 * the fields of `basic` are `<id>.username` and `<id>.password`.
 */
export type CredentialPart =
  | { readonly id: string; readonly type: 'bearer'; readonly label: string }
  | { readonly id: string; readonly type: 'header'; readonly label: string; readonly name: string }
  | { readonly id: string; readonly type: 'query'; readonly label: string; readonly name: string }
  | { readonly id: string; readonly type: 'cookie'; readonly label: string; readonly name: string }
  | { readonly id: string; readonly type: 'basic'; readonly label: string };

/** What a user must supply to connect a service. No parts: the service is open. */
export interface CredentialRequirement {
  readonly parts: readonly CredentialPart[];
  /** Plain text for the connect page: where the user finds the credential. */
  readonly help: string;
  /** Page of the upstream where the credential is made, or null. */
  readonly url: string | null;
}

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
  readonly page?: PageRule;
  readonly result?: ResultRule;
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
  readonly servers: readonly ServerTemplate[];
  readonly errors: ErrorRules;
  /** Sorted by name. */
  readonly tools: readonly Tool[];
}
