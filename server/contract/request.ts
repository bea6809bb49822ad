/** The request of a tool: a table, as plain data, from places on the wire to the arguments that fill them. */

/** Style of a query parameter, or of a member of a form (OpenAPI 3.1 §4.8.12.2). */
export interface QueryStyle {
  readonly style: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';
  readonly explode: boolean;
  /** Default false. */
  readonly allowReserved?: boolean;
}

/** Style of a path parameter that is more than a bare value (OpenAPI 3.1 §4.8.12.2). */
export interface PathStyle {
  readonly style: 'simple' | 'label' | 'matrix';
  readonly explode: boolean;
}

/** Style of a header that is an array or an object (OpenAPI 3.1 §4.8.12.2). */
export interface HeaderStyle {
  readonly style: 'simple';
  readonly explode: boolean;
}

/** Style of a cookie: percent-encoded (`form`), or unchanged (OpenAPI 3.2 §4.12.3). */
export interface CookieStyle {
  readonly style: 'form' | 'cookie';
  readonly explode: boolean;
}

/** A parameter that is a document of this media type: JSON, or text (OpenAPI 3.1 §4.8.12, `content`). */
export interface ContentStyle {
  readonly content: string;
}

/** The text after the `?`, without a name: there is no other query (`in: querystring`, OpenAPI 3.2 §4.12). */
export interface WholeQuery extends ContentStyle {
  readonly whole: true;
}

/** A member of a multipart body with a media type that is not the default for its value. */
export interface PartType {
  readonly contentType: string;
}

/** A member of a multipart body that is a file, or an array of files: accepted media types and ranges; empty: any. */
export interface FilePart {
  readonly file: readonly string[];
}

/** Style of a member of a form. Without one, the content of the member decides (OpenAPI 3.1 §4.8.15.1). */
export type PartStyle = QueryStyle | PartType | FilePart;

/** No style is given: the value is written as one plain value. */
interface Plain {
  readonly style?: never;
  readonly content?: never;
  readonly contentType?: never;
  readonly file?: never;
}

/** The source of a value. */
export type Source =
  /** `default` is sent if a call omits the argument. `credentials` overwrite members of its value. */
  | { readonly argument: string; readonly default?: unknown; readonly credentials?: CredentialMembers }
  /** A field of the connection's credential, which no argument fills. In paths and bodies only. */
  | { readonly credential: string }
  /** A value that every call sends. */
  | { readonly constant: unknown }
  /** An object built from arguments, by member: `{column}` is the member that the argument `column` names. */
  | { readonly entries: Readonly<Record<string, string>> }
  /** An object in a JSON body whose members are filled one by one. It is omitted if nothing fills one. */
  | { readonly members: NestedMembers };

/** By wire name: the credential field that fills a member of an object, or an object of such members. */
export interface CredentialMembers {
  readonly [name: string]: string | CredentialMembers;
}

/** By wire name: what fills one member of an object inside a body. */
export type NestedMembers = Readonly<Record<string, string | Source>>;

/** The name of the argument that fills a place, or a full description of its source. */
export type Binding<Style> = string | (Source & (Style | Plain));

/** By wire name. */
export type Bindings<Style> = Readonly<Record<string, Binding<Style>>>;

interface BodyBase {
  /** As in the descriptor; a media type range is sent as JSON or as plain text. */
  readonly mediaType: string;
  /** The body is omitted if a call gives no argument of it. */
  readonly optional?: true;
}

/** A body whose members are separate arguments: JSON, or a form. */
export interface MembersBody extends BodyBase {
  /** Default: JSON. */
  readonly as?: 'form' | 'multipart';
  readonly members: Bindings<PartStyle>;
  /** The argument that names arguments of members to clear: JSON null is sent for each. */
  readonly clear?: string;
}

/**
 * A body that is one value: JSON, a form, `text` unchanged, `bytes` from base64, or a `file` with its own
 * media type.
 */
export type WholeBody = BodyBase &
  ({ readonly argument: string; readonly credentials?: CredentialMembers } | { readonly constant: unknown }) & {
    /** Default: JSON. */
    readonly as?: 'form' | 'multipart' | 'text' | 'bytes' | 'file';
    /** Members of a form that are not written by content. */
    readonly parts?: Readonly<Record<string, PartStyle>>;
  };

/** The places of a request that a tool fills, in the order of the request. */
export interface ToolRequest {
  readonly path?: Bindings<PathStyle | ContentStyle>;
  readonly query?: Bindings<QueryStyle | ContentStyle | WholeQuery>;
  readonly header?: Bindings<HeaderStyle | ContentStyle>;
  readonly cookie?: Bindings<CookieStyle | ContentStyle>;
  readonly body?: MembersBody | WholeBody;
}
