/** The models of a service and its tools: everything that generated files say, decided, before any text is emitted. */

import type { Logo } from '../load/image/logo.ts';
import type { Method, RequestTarget, Schema } from '../model/types.ts';
import type { CallModel, WirePlace } from './call-model.ts';

export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface ArgumentModel {
  readonly name: string;
  readonly required: boolean;
  /** As in the tool's `inputSchema`, where that refers to a definition with the definition in its place. */
  readonly schema: Schema;
  /** Null: no place of its own (one key of an object parameter, the name of such a key, or only checked). */
  readonly wire: WirePlace | null;
}

/** Arguments that the gateway itself takes, in their order. */
export const GATEWAY_ARGUMENTS = ['fields', 'maxItems', 'resume'] as const;
export type GatewayArgument = (typeof GATEWAY_ARGUMENTS)[number];

export interface RowsRule {
  readonly columns: string;
  readonly columnName: string;
  readonly rows: string;
}

/** The header by which an upstream recognises a repeated request. The gateway fills it. */
export interface IdempotencyHeader {
  readonly header: string;
  /** How many hexadecimal digits its value has; null: it is a UUID. */
  readonly digits: number | null;
}

/** One limit of the upstream in its headers, as the contract's `RateLimitHeaders` explains it. */
export interface RateLimitHeaders {
  readonly remaining?: string;
  readonly reset?: string;
  readonly quota?: true;
}

export interface ToolModel {
  readonly name: string;
  /** Old names that still work, sorted; missing where there are none. `until` is an ISO date. */
  readonly aliases?: readonly { readonly name: string; readonly until: string }[];
  readonly title: string;
  readonly description: string;
  readonly operation: {
    readonly id: string | null;
    readonly method: Method;
    readonly path: string;
    readonly target?: RequestTarget;
    readonly server: string;
  };
  readonly annotations: ToolHints;
  /** Why a hint differs from its method's default, or null. */
  readonly hintReason: string | null;
  /** Path arguments first, then required ones, then the rest, each in the descriptor's or connector.yaml's order. */
  readonly arguments: readonly ArgumentModel[];
  /** `{type: 'object', properties, required, additionalProperties: false, $defs?}`, exactly as published. */
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
  readonly agreements: readonly { readonly argument: string; readonly template: string }[];
  /** By path argument: what it must not be, because another path has that as a literal. */
  readonly reservedSegments: Readonly<Record<string, readonly string[]>>;
  readonly page: PageRule | null;
  readonly result: {
    readonly wrapItems: boolean;
    readonly rows: RowsRule | null;
    readonly mayBeEmpty: boolean;
    /** Dotted paths of the members that are returned; missing: all. */
    readonly keep?: readonly string[];
  };
  /** Answers are JSON objects with known members, although the output schema names none. */
  readonly answersJson?: true;
  /** The last of `arguments`, which are never sent; missing: none. */
  readonly gatewayArguments?: readonly GatewayArgument[];
  readonly call: CallModel;
  readonly idempotency: IdempotencyHeader | null;
  /** Of an OAuth 2.0 connection: alternatives, each a sorted set that is needed whole. Empty: none is needed. */
  readonly scopes: readonly (readonly string[])[];
}

/** A tool of `specs/<service>/tools/`: code over generated tools. */
export interface HandWrittenModel
  extends Pick<
    ToolModel,
    'name' | 'aliases' | 'title' | 'description' | 'annotations' | 'inputSchema' | 'outputSchema' | 'scopes'
  > {
  /** Path relative to the project's root. */
  readonly file: string;
  /** Names of generated tools, sorted. */
  readonly uses: readonly string[];
  /** Hash of its code, in 12 hexadecimal digits. */
  readonly code: string;
}

export type CredentialPart = TypedPart | OAuth2Part;

/** A secret that a person types. */
export interface TypedPart {
  readonly id: string;
  readonly type: 'bearer' | 'header' | 'query' | 'cookie' | 'path' | 'body' | 'basic';
  readonly label: string;
  /** Name of the header, parameter, cookie or member of the body; null for bearer and basic. */
  readonly name: string | null;
  /** What comes before the secret in a header, with its space; missing: nothing. */
  readonly prefix?: string;
}

/** An access token from the upstream's authorization server. */
export interface OAuth2Part {
  readonly id: string;
  readonly type: 'oauth2';
  readonly label: string;
  readonly name: null;
  readonly oauth2: OAuth2Rules;
}

/** How an upstream speaks OAuth 2.0, as the contract's `OAuth2Rules` explains it. */
export interface OAuth2Rules {
  readonly flow: 'authorization_code' | 'client_credentials';
  readonly authorizationUrl: string | null;
  readonly tokenUrl: string;
  readonly refreshUrl: string | null;
  readonly revocationUrl: string | null;
  readonly issuer: string | null;
  readonly scopes: readonly string[];
  readonly scopeSeparator: string;
  readonly scopeParameter: string;
  readonly authorizeParameters: Readonly<Record<string, string>>;
  readonly tokenParameters: Readonly<Record<string, string>>;
  readonly clientAuthentication: 'basic' | 'body' | 'none';
  readonly tokenRequest: 'form' | 'json';
  readonly answer: {
    readonly accessToken: string;
    readonly refreshToken: string;
    readonly expiresIn: string;
    readonly scope: string;
  };
  readonly expiresInSeconds: number | null;
  readonly prefix: string;
  readonly refreshTokenIdleSeconds: number | null;
  readonly pkce: boolean;
}

/** One kind of credential: every part of it is needed. */
export interface CredentialKind {
  readonly label: string;
  readonly parts: readonly CredentialPart[];
  readonly help: string;
  readonly url: string | null;
}

/** One service, decided. What `emit` turns into a folder. */
export interface ConnectorModel {
  readonly name: string;
  /** Path of the descriptor relative to the project's root. */
  readonly file: string;
  /** SHA-256 of the descriptor, in hexadecimal digits. */
  readonly descriptorDigest: string;
  readonly title: string;
  readonly description: string;
  readonly categories: readonly string[];
  readonly credential: {
    readonly parts: readonly CredentialPart[];
    readonly help: string;
    readonly url: string | null;
    /** What the first kind is called where there are several; missing: the labels of its parts. */
    readonly label?: string;
    /** Other kinds, of which a user may choose one; missing where there are none. */
    readonly alternatives?: readonly CredentialKind[];
  };
  readonly verify: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> } | null;
  /** By words of tool names and titles: what people call these things. */
  readonly synonyms: Readonly<Record<string, readonly string[]>>;
  /** Who is connected upstream: pointers into the answer of a tool, tried in order. Null: not known. */
  readonly account: {
    readonly tool: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly name: readonly string[];
  } | null;
  /** Of operations that have no tool because of them; nothing is emitted of these. */
  readonly unusableServers: ConnectorModel['servers'];
  readonly servers: readonly {
    readonly url: string;
    readonly variables: readonly {
      readonly name: string;
      readonly env: string;
      readonly default: string;
      readonly derive: { readonly from: string; readonly removeSuffix: string } | null;
    }[];
  }[];
  readonly errors: {
    readonly message: readonly string[];
    readonly code: readonly string[];
    readonly details: readonly string[];
    readonly invalidCredential: readonly {
      readonly status: number;
      readonly pointer: string;
      readonly contains: string;
    }[];
    readonly inSuccess: string | null;
    /** By the upstream's own code, or by its beginning and `*`. Missing where nothing is said. */
    readonly outcomes?: Readonly<Record<string, string>>;
  };
  readonly rateLimitHeaders: readonly RateLimitHeaders[];
  /** For one connection; null: none. */
  readonly caps: {
    readonly concurrency?: number | undefined;
    readonly rate?: { readonly requests: number; readonly seconds: number } | undefined;
  } | null;
  /** Sorted by name. */
  readonly tools: readonly ToolModel[];
  /** Sorted by name. */
  readonly handWritten: readonly HandWrittenModel[];
  readonly logo: Logo | null;
  /** Operations without a tool, with the reason: a decision of connector.yaml, or what codegen cannot express yet. */
  readonly notExposed: readonly {
    readonly method: Method;
    readonly path: string;
    readonly id: string | null;
    readonly reason: string;
    /** `only`: connector.yaml selects others. */
    readonly by: 'connector.yaml' | 'only' | 'codegen';
  }[];
  /** What the known clients make of the tools; empty where no one checked. */
  readonly clients: readonly ClientVerdict[];
}

/** The rules of one client that tools break: none, and all of them are legal there and lose nothing. */
export interface ClientVerdict {
  readonly id: string;
  /** Such as `Claude`. */
  readonly title: string;
  readonly broken: readonly {
    /** `<profile>/<rule>`. */
    readonly rule: string;
    /** `refuses`: the client rejects the tool or its list. `degrades`: something is lost. */
    readonly effect: 'refuses' | 'degrades';
    /** How many tools break it. */
    readonly tools: number;
    /** The reason of connector.yaml, or null. */
    readonly accepted: string | null;
  }[];
}

interface Pages {
  readonly argument: string;
  /** Pointer to the records; missing: unknown. */
  readonly items?: string;
  /** Argument for the page size; missing: there is none. */
  readonly size?: string;
}

interface CursorPages extends Pages {
  readonly kind?: never;
  readonly next: string;
  readonly queryParameter: string | null;
  readonly more: string | null;
}

interface HeaderPages extends Pages {
  readonly kind: 'header';
  readonly header: string;
}

interface LinkPages extends Pages {
  readonly kind: 'link';
  /** Missing: the `Link` header. */
  readonly next?: string;
}

interface LastRecordPages extends Pages {
  readonly kind: 'last';
  readonly items: string;
  readonly id: string;
  readonly more: string | null;
}

interface CountedPages extends Pages {
  readonly kind: 'offset' | 'page';
  readonly items: string;
  readonly first: number;
  readonly total?: string;
  readonly pages?: string;
  readonly more?: string;
}

export type PageRule = CursorPages | HeaderPages | LinkPages | LastRecordPages | CountedPages;
