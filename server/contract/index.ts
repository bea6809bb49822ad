/** A generated connector as the gateway sees it: the only types that `generated/` may import from `server/`. */

import type { CredentialRequirement } from './credential.ts';
import type { ServiceEvents } from './events.ts';
import type { HandWrittenTool } from './hand-written.ts';
import type { GeneratedPageRule, PageRule } from './page-rule.ts';
import type { ToolRequest } from './request.ts';
import type { ToolFace } from './tool-face.ts';

export type * from './credential.ts';
export type * from './events.ts';
export type * from './hand-written.ts';
export type * from './page-rule.ts';
export type * from './request.ts';
export type { RequestOf } from './request-of.ts';
export type * from './tool-face.ts';
export type { ValueOf } from './value-of.ts';

/** Any method, in the letter case in which it is sent. */
export type HttpMethod =
  | ('DELETE' | 'GET' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'POST' | 'PUT' | 'QUERY' | 'TRACE')
  | (string & Record<never, never>);

/** A variable of a server URL. `env` names the environment variable that replaces `default`. */
export interface ServerVariable {
  readonly name: string;
  readonly env: string;
  readonly default: string;
  /** The value if `env` is not set: that of another variable without a suffix, or `default` if this is null. */
  readonly derive: { readonly from: string; readonly removeSuffix: string } | null;
  /** True if each connection has its own value, from a part `server` of its credential. By default `env` or `default` holds for all. */
  readonly asked?: true;
}

/** A server URL template of the descriptor, such as `{retrieval_base_url}`. */
export interface ServerTemplate {
  readonly url: string;
  readonly variables: readonly ServerVariable[];
}

/** The upstream operation that a tool calls. */
export interface ToolOperation {
  /** `operationId` of the descriptor, or null if it has none. */
  readonly id: string | null;
  readonly method: HttpMethod;
  /** The key in the descriptor's `paths`. */
  readonly path: string;
  /** The request target if the key is more than a path; `query` is sent as written, before the parameters. Both may hold `{name}`. */
  readonly target?: { readonly path: string; readonly query: string };
  /** `url` of the `ServerTemplate` that the path is appended to. */
  readonly server: string;
}

/** Converts arrays of cells to objects keyed by column name. All three are RFC 6901 pointers into the answer. */
export interface RowsRule {
  readonly columns: string;
  /** Pointer from a column to its name, such as `/name`. */
  readonly columnName: string;
  readonly rows: string;
}

/** The steps from an upstream's answer to structured content, if parsing its JSON is not all. */
export interface ResultRule {
  /** Answers without content are successes too. */
  readonly mayBeEmpty?: true;
  /** The answer's root is an array and is published as `{items: [...]}`. */
  readonly wrapItems?: true;
  readonly rows?: RowsRule;
  /** Dotted paths of the only members that a caller gets; arrays on the path are not written. By default a caller gets all. */
  readonly keep?: readonly string[];
  /**
   * Members that never leave, by dotted path, or after `**.` anywhere in the answer: left out, or replaced by a text. The output schema is
   * without them.
   */
  readonly withhold?: Readonly<Record<string, 'drop' | 'replace'>>;
}

/** An argument that is compared with others before the call: `{vendorCode}/{tableCode}`. */
export interface AgreementRule {
  readonly argument: string;
  readonly template: string;
}

/** Outcomes that `connector.yaml` may assign to an upstream's own code: some of the gateway's closed list. */
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

/** The members of an upstream's error bodies that a model needs, as pointers (RFC 6901) that are tried in order. */
export interface ErrorRules {
  readonly message: readonly string[];
  readonly code: readonly string[];
  readonly details: readonly string[];
  /** Answers that mean "this credential is refused" with a status other than 401. */
  readonly invalidCredential: readonly {
    readonly status: number;
    readonly pointer: string;
    readonly contains: string;
  }[];
  /** Pointer whose presence makes a 2xx answer an error, or null. */
  readonly inSuccess: string | null;
  /** The meaning of the upstream's own codes, whatever the status: by code, or by prefix and `*`. The longest match wins. */
  readonly outcomes?: Readonly<Record<string, AnswerOutcome>>;
}

/** One limit of an upstream, as the headers of its answers report it. Names are in lower case. */
export interface RateLimitHeaders {
  /** The number of requests that are left: 0 if this limit refused the call. */
  readonly remaining?: string;
  /** The time at which the limit resets: seconds from now, a time in seconds or milliseconds since 1970, or a date. */
  readonly reset?: string;
  /** True for a limit of a day or a month, for which waiting does not help. */
  readonly quota?: true;
}

/** The most that the gateway sends for one connection. Calls over a limit wait. */
export interface Caps {
  /** Concurrent requests. */
  readonly concurrency?: number;
  /** Requests within any `seconds`. */
  readonly rate?: { readonly requests: number; readonly seconds: number };
}

/** The header by which an upstream recognises a repeated request. The gateway sets it for every call. */
export interface IdempotencyHeader {
  readonly header: string;
  /** Number of hexadecimal digits of its value, or null if it is a UUID. */
  readonly digits: number | null;
}

/** The call of a tool at a remote MCP server (MCP 2026-07-28, `tools/call`). Its server is the connector's first. */
export interface McpCall {
  readonly kind: 'mcp';
  /** Its name at the server. */
  readonly tool: string;
  /** SHA-256 of its definition as reviewed, base64url: `definitionDigest` of `shared/mcp/lock.ts`. */
  readonly definition: string;
  /** Set if the server declares that a repeated call changes nothing more (`annotations.idempotentHint`). */
  readonly idempotent?: true;
}

/** One complete generated tool: what a model reads, its hints, and what it sends. */
export interface Tool extends ToolFace {
  readonly operation: ToolOperation;
  readonly request: ToolRequest;
  /** Undefined: the tool sends an HTTP request. With it, the JSON body of `request` is the `arguments` of `tools/call`. */
  readonly call?: McpCall;
  /** Undefined if the upstream does not recognise repeated requests. */
  readonly idempotency?: IdempotencyHeader;
  readonly agreements?: readonly AgreementRule[];
  /**
   * JSON of a schema that arguments must fit in addition to `inputSchema`: choices among them, and parts that the published schema leaves open. The
   * arguments of the gateway fit it too.
   */
  readonly rules?: string;
  /** By path argument: values that it must not have, because other paths of the service have them as literal segments. */
  readonly reservedSegments?: Readonly<Record<string, readonly string[]>>;
  readonly page?: PageRule;
  /**
   * By member of the items (dotted) and operator of `where`: the argument with which the service returns all items that match, and perhaps
   * others.
   */
  readonly filters?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Set for a tool that finds items of the list tool `list` by the argument `key`: a key is made of dotted members, joined by spaces. */
  readonly find?: { readonly list: string; readonly by: readonly (readonly string[])[] };
  /** The sign from which its effect was inferred, such as `"delete" in the path`. Undefined if the method or connector.yaml says it. */
  readonly effectFrom?: string;
  readonly result?: ResultRule;
  /** Answers are JSON, although `outputSchema` names no member: a web page instead is a fault. */
  readonly answersJson?: true;
}

/** One upstream service as the gateway offers it. */
export interface Connector {
  /** Folder name in `specs/` and `generated/`, and the `service` of a connection. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly categories: readonly string[];
  /** By default pages show the initials of the title. */
  readonly logo?: ServiceLogo;
  readonly credential: CredentialRequirement;
  /** The call that proves that a credential works, or null. */
  readonly verify: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> } | null;
  /**
   * Who is connected at the upstream, under a name that people know: pointers (RFC 6901) into the answer of a tool that needs only
   * these arguments. The first pointer to a text or number gives the name. Undefined if the service does not say it.
   */
  readonly account?: {
    readonly tool: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly name: readonly string[];
  };
  readonly servers: readonly ServerTemplate[];
  readonly errors: ErrorRules;
  /** In addition to `Retry-After`, which every upstream may send. */
  readonly rateLimitHeaders?: readonly RateLimitHeaders[];
  /** Undefined if the gateway sets no limit. */
  readonly caps?: Caps;
  /** The generated tools, which send one request each, sorted by name. */
  readonly tools: readonly Tool[];
  /** The hand-written tools, which call generated ones, sorted by name. No name is also in `tools`. */
  readonly handWritten?: readonly HandWrittenTool[];
  /** Other words by which `search_tools` finds tools, by a word in their names or titles. */
  readonly synonyms?: Readonly<Record<string, readonly string[]>>;
  /** Skills, by name. */
  readonly skills?: Readonly<Record<string, Skill>>;
  /** The events that the service reports by calling the gateway. */
  readonly events?: ServiceEvents;
}

/** The use of several tools of a service for one task (Agent Skills specification, https://agentskills.io/specification). */
export interface Skill {
  /** The front matter of `SKILL.md`, as JSON. */
  readonly frontmatter: Readonly<Record<string, unknown>> & { readonly name: string; readonly description: string };
  /** Names of the tools that it needs, sorted. */
  readonly tools: readonly string[];
  /** Texts by path: `SKILL.md`, and perhaps `references/<name>.md`. */
  readonly files: Readonly<Record<string, string>>;
}

/** A tool as its file in `generated/` writes it: without defaults, which the gateway adds when it loads the file. */
export interface GeneratedTool extends Omit<Tool, 'operation' | 'page' | 'rules'> {
  /** `server` is absent if it is the connector's first. */
  readonly operation: Omit<ToolOperation, 'server'> & Partial<Pick<ToolOperation, 'server'>>;
  readonly page?: GeneratedPageRule;
}

/** A connector as its folder in `generated/` writes it. */
export interface GeneratedConnector extends Omit<Connector, 'tools'> {
  readonly tools: readonly GeneratedTool[];
  /** `Tool.rules` by tool name, in a file of their own. Undefined if no tool has some. */
  readonly rules?: Readonly<Record<string, string>>;
}

type Success = 200 | 201 | 202 | 203 | 204 | 206;

/** The JSON of an operation's successful answers; `unknown` if the descriptor describes none. */
export type AnswerOf<Operation> = Operation extends { readonly responses: infer Responses }
  ? UnknownIfNever<JsonOf<ContentOf<Responses[keyof Responses & Success]>>>
  : unknown;

/** An array answer, which is published as `{items: [...]}`. */
export interface ItemsOf<Answer> {
  readonly items: Answer;
}

/** The member that the gateway adds to a paged answer. */
export interface PageOf<Arguments> {
  /** `nextArguments`: all arguments of the call for the next page, or null at the end. */
  readonly page?: { readonly nextArguments: Arguments | null };
}

type ContentOf<Response> = Response extends { readonly content: infer Content } ? Content : never;

type JsonOf<Content> = Content extends unknown
  ? { [Type in keyof Content]: Type extends `${string}json${string}` ? Content[Type] : never }[keyof Content]
  : never;

type UnknownIfNever<Value> = [Value] extends [never] ? unknown : Value;

/** An image for user interfaces (MCP 2026-07-28, `Icon`). It is served from the gateway's origin, and read without credentials. */
export interface Icon {
  readonly src: string;
  readonly mimeType: string;
}

/** The picture of a service, of at most 64 KiB. SVG is refused, because it is a document that can hold scripts. */
export interface ServiceLogo {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  /** SHA-256 of the image, in 32 hexadecimal digits: a new image has a new address. */
  readonly hash: string;
  readonly base64: string;
}
