/** What a generated connector is to the gateway: the only types that `generated/` may import from `server/`. */

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

/** How an upstream's answer becomes structured content. */
export interface ResultRule {
  /** True: the answer's root is an array and is published as `{items: [...]}`. */
  readonly wrapItems: boolean;
  readonly rows: RowsRule | null;
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

/** How one query parameter that is an array or an object is written (OpenAPI 3.1 §4.8.12.2). */
export interface QueryStyle {
  readonly style: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

/** How a member of a multipart body is written, where that is not the default of its type. */
export type PartEncoding = QueryStyle | { readonly contentType?: string };

/** A file as an argument. */
export interface FileArgument {
  /** Its content in base64 (RFC 4648 §4 or §5); padding and whitespace do not matter. */
  readonly data: string;
  /** Default: the name of the member that it fills. */
  readonly name?: string;
  readonly mimeType?: string;
}

/** How one path parameter is written where it is more than a bare value (OpenAPI 3.1 §4.8.12.2). */
export interface PathStyle {
  readonly style: 'simple' | 'label' | 'matrix';
  readonly explode: boolean;
}

/** How one header that is an array or an object is written (OpenAPI 3.1 §4.8.12.2). */
export interface HeaderStyle {
  readonly style: 'simple';
  readonly explode: boolean;
}

/** How one cookie that is an array or an object is written (OpenAPI 3.1 §4.8.12.2). */
export interface CookieStyle {
  readonly style: 'form';
  readonly explode: boolean;
}

/** A parameter that is a document of this media type: JSON, or text (OpenAPI 3.1 §4.8.12, `content`). */
export interface ContentStyle {
  readonly content: string;
}

/** Parameters by wire name, with the way in which each is written. */
export type Styles<Style> = Readonly<Record<string, Style | ContentStyle>>;

/** What the gateway lends to one emitted call. */
export interface CallRequest {
  /** Base URL of the tool's server, without a final slash. */
  readonly baseUrl: string;
  readonly signal: AbortSignal;
  /** Sends the request with the connection's credential, bounded in time and size. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Serializer for query parameters that are arrays, objects or documents; all others are written as `name=value`. */
  querySerializer(styles: Styles<QueryStyle>): (query: unknown) => string;
  /** Serializer for paths; parameters without a style are one percent-encoded value. Refuses what would leave the path. */
  pathSerializer(styles: Styles<PathStyle>): (pathname: string, values: Readonly<Record<string, unknown>>) => string;
  /** The same headers, with arrays, objects and documents written as text. */
  headerValues<Values extends object>(values: Values, styles: Styles<HeaderStyle>): Values;
  /** Takes the cookies of this call, which are sent as one `Cookie` header, and returns them for their types. */
  cookies<Values extends object>(values: Values, styles: Styles<CookieStyle>): Values;
  /** Leaves out a body none of whose members is set, for operations whose body is optional. */
  optionalBody<Body extends object>(body: Body): Body | undefined;
  /** Serializer for `application/x-www-form-urlencoded`, with the style of each member that declares one. */
  formBody(styles: Readonly<Record<string, QueryStyle>>): (body: unknown) => string;
  /** Serializer for `multipart/form-data`; the result's type is the Content-Type with its boundary. */
  multipartBody(encodings: Readonly<Record<string, PartEncoding>>): (body: unknown) => Blob;
  /** Serializer for a body that is one text: sent as it is, in UTF-8. */
  textBody(body: unknown): string;
  /** Serializer for a body that is bytes (`bytes`) or a file (`file`), whose type then is the Content-Type. */
  binaryBody(body: unknown): Uint8Array | Blob;
  /**
   * Reads a file argument, or a list of them; undefined stays undefined. A wrong one fails before anything is sent.
   *
   * @param argument its name, for what is wrong with it
   * @param accepted media types and ranges; none: any. The first that is no range is the default of `mimeType`.
   */
  file(
    value: Partial<FileArgument> | readonly Partial<FileArgument>[] | undefined,
    argument: string,
    accepted?: readonly string[],
  ): unknown;
  /** Reads the members of a whole body that are files; by name, with what they accept. */
  files(body: unknown, argument: string, members: Readonly<Record<string, readonly string[]>>): unknown;
  /** Reads an argument that is base64; undefined stays undefined. */
  bytes(base64: string | undefined, argument: string): unknown;
}

/** What openapi-fetch returns with `parseAs: 'stream'`. */
export interface UpstreamReply {
  readonly response: Response;
  /** The bounded body of a 2xx answer; undefined when it has none. */
  readonly data?: unknown;
  /** The body of any other answer: parsed JSON where it is JSON, else text. */
  readonly error?: unknown;
}

/** An old name of a tool: it can be called, is never listed, and goes away on its date. */
export interface ToolAlias {
  readonly name: string;
  /** ISO date, such as `2027-03-01`. */
  readonly until: string;
}

/** One complete tool: what a model reads, what it risks, and the typed call behind it. */
export interface Tool<Client = unknown, Arguments = Record<string, unknown>> {
  readonly name: string;
  /** Old names, sorted; missing where there are none. */
  readonly aliases?: readonly ToolAlias[];
  readonly title: string;
  readonly description: string;
  readonly operation: ToolOperation;
  readonly annotations: ToolHints;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  /** Arguments that become path segments: refused when empty, `.` or `..`. */
  readonly pathArguments: readonly string[];
  readonly agreements: readonly AgreementRule[];
  readonly page: PageRule | null;
  readonly result: ResultRule;
  call(client: Client, args: Arguments, request: CallRequest): Promise<UpstreamReply>;
}

/** Options of a generated `createClient`, a subset of openapi-fetch's. */
export interface ClientOptions {
  readonly Request: typeof Request;
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
  createClient(options: ClientOptions): unknown;
}

/** Names of the members that an object type, or any alternative of a union, declares; index signatures have none. */
type DeclaredName<T> = T extends unknown
  ? keyof {
      [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: unknown;
    }
  : never;

/**
 * Type of one member of a request body that is a union or that takes members it does not declare.
 *
 * A name that no alternative declares does not compile, where `Body['name']` would not compile for a good name
 * either (union) or would accept any (index signature).
 */
export type BodyMember<Body, Name extends DeclaredName<Body>> = Body extends unknown
  ? Name extends keyof Body
    ? Body[Name]
    : never
  : never;

/**
 * Type of a request body that one argument holds whole, with the members that the tool describes: a name that no
 * alternative declares does not compile.
 */
export type WholeBody<Body, _Name extends DeclaredName<Body>> = Body;
