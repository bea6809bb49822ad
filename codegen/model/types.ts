/** The model of one service: its parsed descriptor in one JSON Schema dialect, independent of tools. */

import type { McpOperation } from '../load/mcp/index.ts';
import type { Method } from './methods.ts';

export type { Method } from './methods.ts';

/**
 * A JSON Schema 2020-12 object. OpenAPI 3.0 keywords are already translated (`nullable`, boolean `exclusiveMinimum`,
 * `example`); boolean schemas become `{}` or `{not: {}}`; `xml`, `externalDocs` and `x-*` are removed. `discriminator`
 * is a `Discriminator`. A `$ref` is a pointer into the descriptor (`#/components/schemas/Document`): resolve it with
 * `ServiceModel.resolve`.
 */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** The alternative of a `oneOf` or `anyOf` that each value of a property selects: OpenAPI's Discriminator Object. */
export interface Discriminator {
  readonly propertyName: string;
  /** The mapping, in the descriptor's order, without entries that do not resolve. */
  readonly values: readonly { readonly value: string; readonly ref: string }[];
}

export type ParameterLocation = 'path' | 'query' | 'header' | 'cookie';

export interface ParameterModel {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly description: string;
  /** The style, or OpenAPI's default for this kind of parameter. */
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Query parameters that may be sent without a value. */
  readonly allowEmptyValue?: true | undefined;
  /** Media type of a `content` parameter, or null for a `schema` parameter. */
  readonly mediaType: string | null;
  /** A parameter that is the whole query, without its name (`in: querystring`, OpenAPI 3.2 §4.12). */
  readonly isWholeQuery?: true | undefined;
  readonly schema: Schema;
  /** The value that every request sends. Undefined if the caller supplies it. */
  readonly fixed?: { readonly value: unknown };
  /** Pointer of the parameter object in the descriptor. */
  readonly pointer: string;
}

/** The encoding of one member of a form or multipart body (Encoding Object, OpenAPI 3.1 §4.8.15). */
export interface EncodingModel {
  /** Media types and ranges; empty if the descriptor names none, or if a style replaces them. */
  readonly contentTypes: readonly string[];
  /** Null if the descriptor sets none of the three members. Then the content decides how the member is written. */
  readonly style: { readonly style: string; readonly explode: boolean; readonly allowReserved: boolean } | null;
  /** Headers of the part, without Content-Type. */
  readonly headers: readonly { readonly name: string; readonly required: boolean }[];
}

export interface MediaTypeModel {
  readonly mediaType: string;
  /** Null if the descriptor gives none. */
  readonly schema: Schema | null;
  /** Schema of each item of a stream (`itemSchema`, OpenAPI 3.2 §4.14). */
  readonly itemSchema?: Schema | undefined;
  /** By member; missing if the descriptor has none. */
  readonly encoding?: Readonly<Record<string, EncodingModel>>;
  readonly pointer: string;
}

export interface BodyModel {
  readonly required: boolean;
  readonly description: string;
  /** In the descriptor's order. */
  readonly contents: readonly MediaTypeModel[];
  readonly pointer: string;
}

export interface ResponseModel {
  /** `200`, `2XX` or `default`. */
  readonly status: string;
  /** Header names, in lower case. */
  readonly headers: readonly string[];
  readonly contents: readonly MediaTypeModel[];
  /** Links to operations that can follow, if there are any. */
  readonly links?: readonly LinkModel[];
}

/** A call that can follow an answer (Link Object, OpenAPI 3.1 §4.8.20). */
export interface LinkModel {
  /** The id of an operation, or its pointer in this document. */
  readonly target: string;
  /** By parameter, which may have its place before a dot: the pointer of a value in the answer. */
  readonly values: Readonly<Record<string, string>>;
}

/** One scheme of a security requirement. */
interface SecurityNeed {
  /** Id of a scheme that may be missing from the descriptor. */
  readonly id: string;
  /** As the descriptor lists them; for kinds other than OAuth 2.0 and OpenID Connect they are roles. */
  readonly scopes: readonly string[];
}

/** One alternative of a security requirement: all of its schemes are needed. */
export type SecurityAlternative = readonly SecurityNeed[];

/** A flow of an OAuth 2.0 scheme. URLs are as the descriptor has them, even relative ones; null if it has none. */
export interface OAuth2FlowModel {
  readonly flow: 'authorization_code' | 'client_credentials';
  readonly authorizationUrl: string | null;
  readonly tokenUrl: string | null;
  readonly refreshUrl: string | null;
}

export type SecuritySchemeModel =
  | { readonly id: string; readonly type: 'bearer' | 'basic'; readonly description: string; readonly pointer: string }
  | {
      readonly id: string;
      readonly type: 'apiKey';
      readonly in: 'header' | 'query' | 'cookie';
      readonly name: string;
      readonly description: string;
      readonly pointer: string;
    }
  | {
      readonly id: string;
      readonly type: 'oauth2';
      /** The descriptor's kind, with flows that the gateway cannot run: `oauth2 with the implicit flow`. */
      readonly kind: string;
      /** Flows that the gateway can run, in order of preference. If empty, connector.yaml can define one. */
      readonly flows: readonly OAuth2FlowModel[];
      /** Scopes that any flow lists, sorted; empty if the descriptor lists none. */
      readonly scopes: readonly string[];
      readonly description: string;
      readonly pointer: string;
    }
  | {
      readonly id: string;
      readonly type: 'unsupported';
      readonly kind: string;
      readonly description: string;
      readonly pointer: string;
    };

/** The target of requests of an operation whose key in `paths` is more than a path. Both may contain `{name}`. */
export interface RequestTarget {
  readonly path: string;
  /** Sent as written with every request, before the parameters; may be empty. */
  readonly query: string;
}

export interface OperationModel {
  readonly id: string | null;
  readonly method: Method;
  /** The key in `paths`. */
  readonly path: string;
  /** Undefined if the key is the path of every request. */
  readonly target?: RequestTarget | undefined;
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** In the descriptor's order. */
  readonly tags: readonly string[];
  /** `url` of one of `ServiceModel.servers`. */
  readonly server: string;
  /** Path-level and operation-level parameters merged; in the descriptor's order. */
  readonly parameters: readonly ParameterModel[];
  readonly body: BodyModel | null;
  readonly responses: readonly ResponseModel[];
  /** Alternatives of credentials. If it is empty, no credential is needed. Operation-level `security` replaces the descriptor's. */
  readonly security: readonly SecurityAlternative[];
  /** True if the operation itself declares `security`, even as an empty list. By default it is the descriptor's. */
  readonly declaresSecurity?: true | undefined;
  /** Sentences on faults in the descriptor that prevent a correct call; empty for most operations. */
  readonly faults: readonly string[];
  readonly pointer: string;
  /** The tool of an MCP server that it stands for. Undefined for an HTTP request. */
  readonly mcp?: McpOperation | undefined;
}

export interface ServerModel {
  /** URL template; a server without variables became `{base_url}`. */
  readonly url: string;
  readonly variables: readonly { readonly name: string; readonly default: string }[];
  readonly pointer: string;
}

export interface ServiceModel {
  /** Folder name in `specs/`. */
  readonly name: string;
  /** Path of the descriptor relative to the project's root. */
  readonly file: string;
  readonly openapi: '3.0' | '3.1';
  readonly title: string;
  readonly description: string;
  /** The descriptor's root server first, then path-level and operation-level ones sorted by URL; no duplicates. */
  readonly servers: readonly ServerModel[];
  readonly securitySchemes: readonly SecuritySchemeModel[];
  /** The descriptor's default security. */
  readonly security: readonly SecurityAlternative[];
  /** Sorted by path, then method, by plain code-unit comparison. */
  readonly operations: readonly OperationModel[];
  /**
   * The schema behind a `$ref` (`#/...`), normalized, always the same object for the same pointer.
   *
   * @throws {Error} for a pointer that the descriptor does not have; `load` has already removed what leads to such a pointer.
   */
  resolve(ref: string): Schema;
  /** Names of its webhooks, and of its callbacks as `operationId#name`. */
  eventNames(): readonly string[];
  /** Returns the JSON body that the service sends with an event, or null if it has none. */
  eventOf(name: string): Schema | null;
}
