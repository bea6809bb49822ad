/** What a generated connector is to the gateway: the only types that `generated/` may import from `server/`. */

import type { CredentialRequirement } from './credential.ts';
import type { HandWrittenTool } from './hand-written.ts';
import type { ServiceLogo } from './logo.ts';
import type { GeneratedPageRule, PageRule } from './page-rule.ts';
import type { ToolRequest } from './request.ts';
import type { ToolFace } from './tool-face.ts';

export type { AnswerOf, ItemsOf, PageOf } from './answer-of.ts';
export type * from './credential.ts';
export type * from './hand-written.ts';
export type * from './logo.ts';
export type * from './page-rule.ts';
export type * from './request.ts';
export type { RequestOf } from './request-of.ts';
export type * from './tool-face.ts';
export type { ValueOf } from './value-of.ts';

/** Any; letters are as they are sent. */
export type HttpMethod =
  | ('DELETE' | 'GET' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'POST' | 'PUT' | 'QUERY' | 'TRACE')
  | (string & Record<never, never>);

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

/** The upstream operation that a tool calls. */
export interface ToolOperation {
  /** `operationId` of the descriptor, or null where it has none. */
  readonly id: string | null;
  readonly method: HttpMethod;
  /** The key in the descriptor's `paths`. */
  readonly path: string;
  /** Where requests go if the key is more than a path; `query` is sent as written, before the parameters. Both may hold `{name}`. */
  readonly target?: { readonly path: string; readonly query: string };
  /** `url` of the `ServerTemplate` that the path is appended to. */
  readonly server: string;
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
  /** Answers without content are successes, next to others with content. */
  readonly mayBeEmpty?: true;
  /** The answer's root is an array and is published as `{items: [...]}`. */
  readonly wrapItems?: true;
  readonly rows?: RowsRule;
  /** Dotted paths of the only members that a caller gets; arrays on the way are not written. Absent: all. */
  readonly keep?: readonly string[];
}

/** An argument that is checked against others before the call: `{vendorCode}/{tableCode}`. */
export interface AgreementRule {
  readonly argument: string;
  readonly template: string;
}

/** Outcomes that `connector.yaml` may give to an upstream's own code: a part of the gateway's closed list. */
export type AnswerOutcome =
  | 'bad_request'
  | 'conflict'
  | 'forbidden'
  | 'gone'
  | 'invalid_request'
  | 'not_found'
  | 'payment_required'
  | 'quota_exhausted'
  | 'rate_limited'
  | 'request_too_large'
  | 'upstream_error'
  | 'upstream_unavailable';

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
  /** What the upstream's own codes mean, whatever the status: by code, or by its beginning and `*`. The longest that fits wins. */
  readonly outcomes?: Readonly<Record<string, AnswerOutcome>>;
}

/** One limit of an upstream, as the headers of its answers tell it. Names are in lower case. */
export interface RateLimitHeaders {
  /** How many requests are left of it: 0 where this limit refused the call. */
  readonly remaining?: string;
  /** When it starts again: seconds from now, a time in seconds or milliseconds since 1970, or a date. */
  readonly reset?: string;
  /** A limit of a day or a month: waiting does not help. */
  readonly quota?: true;
}

/** What the gateway sends at most for one connection. Calls over it wait for their turn. */
export interface Caps {
  /** Requests at the same time. */
  readonly concurrency?: number;
  /** Requests within any `seconds`. */
  readonly rate?: { readonly requests: number; readonly seconds: number };
}

/** The header by which an upstream recognises a repeated request. The gateway fills it for every call. */
export interface IdempotencyHeader {
  readonly header: string;
  /** How many hexadecimal digits its value has; null: it is a UUID. */
  readonly digits: number | null;
}

/** One complete generated tool: what a model reads, what it risks, and what it sends. */
export interface Tool extends ToolFace {
  readonly operation: ToolOperation;
  readonly request: ToolRequest;
  /** Absent: the upstream recognises no repeated request. */
  readonly idempotency?: IdempotencyHeader;
  readonly agreements?: readonly AgreementRule[];
  /** By path argument: segments that other paths of the service have as a literal, so that it must not be one of them. */
  readonly reservedSegments?: Readonly<Record<string, readonly string[]>>;
  readonly page?: PageRule;
  readonly result?: ResultRule;
  /** Answers are JSON, although `outputSchema` names no member: a web page in their place is a fault. */
  readonly answersJson?: true;
}

/** The words by which `search_tools` finds a tool, separated by spaces, by where they are in it (`search/search-words.ts`). */
export interface SearchWords {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly details: string;
  readonly arguments: string;
  readonly synonyms: string;
  readonly service: string;
}

/** One upstream service as the gateway serves it. */
export interface Connector {
  /** Folder name in `specs/` and `generated/`, and the `service` of a connection. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly categories: readonly string[];
  /** Absent: the initials of the title stand for it. */
  readonly logo?: ServiceLogo;
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
  /** In addition to `Retry-After`, which every upstream may send. Absent: none. */
  readonly rateLimitHeaders?: readonly RateLimitHeaders[];
  /** Absent: none. */
  readonly caps?: Caps;
  /** SHA-256 of the descriptor that it was made from, in hexadecimal digits. Absent: it was made by hand. */
  readonly descriptor?: string;
  /** Those that send one request each, sorted by name. */
  readonly tools: readonly Tool[];
  /** Those that call them by code of ours, sorted by name. Absent: none. No name is also that of one of `tools`. */
  readonly handWritten?: readonly HandWrittenTool[];
  /** By name of tool. Tools without words are found by those of their own texts. */
  readonly search?: Readonly<Record<string, SearchWords>>;
}

/** A tool as its file in `generated/` says it: without what is the same in nearly all. The gateway fills that in when it loads them. */
export interface GeneratedTool extends Omit<Tool, 'operation' | 'page'> {
  /** `server` is absent where it is the connector's first. */
  readonly operation: Omit<ToolOperation, 'server'> & Partial<Pick<ToolOperation, 'server'>>;
  readonly page?: GeneratedPageRule;
}

/** A connector as its folder in `generated/` says it. */
export interface GeneratedConnector extends Omit<Connector, 'tools'> {
  readonly tools: readonly GeneratedTool[];
}
