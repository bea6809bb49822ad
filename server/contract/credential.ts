/** The credential that an upstream requires of a user: keys, passwords and cookies that are typed, or OAuth 2.0. */

/**
 * One place of a secret that an upstream requires, named after its OpenAPI security scheme. Parts with one `id` are one secret.
 *
 * A connection stores one value per field. The field of `bearer`, `header`, `query`, `cookie`, `path`, `body` and `server` is `id`; the
 * fields of `basic` are `<id>.username` and `<id>.password`; those of `oauth2` are named by `OAuth2Field`.
 */
export type CredentialPart = TypedPart | OAuth2Part;

/** A secret that a person types on the connect page, or with `isPublic` a value that is no secret, such as the id of an account. */
export type TypedPart = {
  readonly id: string;
  readonly label: string;
  /** True if it is no secret: pages show it, and models may read it. */
  readonly isPublic?: true;
  /** Regular expression of the whole value (ECMA-262, u flag). By default it may be anything that can be sent. */
  readonly pattern?: string;
} & (
  | { readonly type: 'bearer' | 'basic' }
  | {
      readonly type: 'header';
      readonly name: string;
      /** Text before the secret, including its space, such as `Token ` or `GenieKey `. */
      readonly prefix?: string;
    }
  /** `path`: a parameter of the path; `body`: a member of a JSON body or a form, where dots in `name` lead into objects. `ToolRequest` names `id` there. */
  | { readonly type: 'query' | 'cookie' | 'path' | 'body'; readonly name: string }
  /** The variable of server URLs `name`, which the connection fills. */
  | { readonly type: 'server'; readonly name: string; readonly isPublic: true; readonly pattern: string }
);

/** An access token that the gateway gets from the upstream's authorization server (RFC 6749). */
export interface OAuth2Part {
  readonly id: string;
  readonly type: 'oauth2';
  readonly label: string;
  readonly oauth2: OAuth2Rules;
}

/**
 * Fields of an `oauth2` part: `<id>.<field>`.
 *
 * `access_token`; `refresh_token`, if the upstream gave one; `expires_at`, milliseconds since 1970, if the token expires; `scope`, the granted scopes, separated by spaces; `client`, row id of the upstream client that the
 * tokens were issued to.
 */
export type OAuth2Field = 'access_token' | 'refresh_token' | 'expires_at' | 'scope' | 'client';

/** An upstream's use of OAuth 2.0: from its descriptor, and from `connector.yaml` for what the descriptor does not say. */
export interface OAuth2Rules {
  /** RFC 6749 §4.1, with PKCE unless `pkce` is false; or §4.4, where the gateway gets the token without the user. */
  readonly flow: 'authorization_code' | 'client_credentials';
  /** Absolute https URL; null for `client_credentials`. */
  readonly authorizationUrl: string | null;
  readonly tokenUrl: string;
  /** Absolute https URL at which a token is refreshed, or null if that is `tokenUrl`. */
  readonly refreshUrl: string | null;
  /** Absolute https URL of token revocation (RFC 7009), or null if the upstream has none. */
  readonly revocationUrl: string | null;
  /** Required `iss` of an authorization response (RFC 9207). If it is not known, this is null and `iss` is ignored. */
  readonly issuer: string | null;
  /** Scopes that are always requested, in addition to those of the tools, such as `offline_access`. */
  readonly scopes: readonly string[];
  /** Separates scopes in the request and in the answer. RFC 6749 §3.3: a space. */
  readonly scopeSeparator: string;
  /** Name of the authorization request's parameter; `scope` by RFC 6749 §3.3. */
  readonly scopeParameter: string;
  /** Additional parameters of the authorization request, such as `access_type: offline`. */
  readonly authorizeParameters: Readonly<Record<string, string>>;
  /** Additional parameters of the token request. */
  readonly tokenParameters: Readonly<Record<string, string>>;
  /** RFC 6749 §2.3.1: in the Authorization header or in the body; `none`: a public client. */
  readonly clientAuthentication: 'basic' | 'body' | 'none';
  /** Format of the token request's body. RFC 6749: a form. */
  readonly tokenRequest: 'form' | 'json';
  /** RFC 6901 pointers into the token answer. RFC 6749 §5.1: `/access_token`, `/refresh_token`, `/expires_in`, `/scope`. */
  readonly answer: {
    readonly accessToken: string;
    readonly refreshToken: string;
    readonly expiresIn: string;
    readonly scope: string;
  };
  /** Lifetime of an access token in seconds, if the answer does not say it. Null if the token does not expire. */
  readonly expiresInSeconds: number | null;
  /** Text before the token in the Authorization header, including its space: `Bearer `, `Token token=`. */
  readonly prefix: string;
  /** Seconds without use after which a refresh token expires, or null if it does not expire. */
  readonly refreshTokenIdleSeconds: number | null;
  /** True if the authorization request uses PKCE (RFC 7636) with S256. */
  readonly pkce: boolean;
}

/** One kind of credential: all parts are needed. */
export interface CredentialKind {
  /** Name of the kind on the connect page, if there are several. */
  readonly label: string;
  readonly parts: readonly CredentialPart[];
  /** Plain text for the connect page, which says where the user finds the credential. */
  readonly help: string;
  /** Page of the upstream where the credential is created, or null. */
  readonly url: string | null;
  /** For an extra only: the call that verifies it, of a tool that needs it. */
  readonly verify?: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> };
}

/** The credential that a user must supply to connect a service. An open service has no parts. */
export interface CredentialRequirement {
  readonly parts: readonly CredentialPart[];
  /** Plain text for the connect page, which says where the user finds the credential. */
  readonly help: string;
  /** Page of the upstream where the credential is created, or null. */
  readonly url: string | null;
  /** Name of this kind on the connect page. Default: the labels of its parts. */
  readonly label?: string;
  /** Other kinds that the user may choose instead. */
  readonly alternatives?: readonly CredentialKind[];
  /** Credentials that only few tools need, stored with the same connection once a user has given them. `ToolFace.extra` names the label. */
  readonly extras?: readonly CredentialKind[];
}
