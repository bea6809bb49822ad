/** The models of a service and its tools: everything that generated files say, decided, before any text is emitted. */

import type {
  CredentialKind as EmittedKind,
  OAuth2Part as EmittedOAuth2Part,
} from '../../server/contract/credential.ts';
import type {
  AgreementRule,
  Connector,
  ErrorRules,
  GatewayArgument,
  IdempotencyHeader,
  PageRule,
  RateLimitHeaders,
  ResultRule,
  RowsRule,
  ServerTemplate,
  ServiceEvents,
  Tool,
  ToolHints,
  ToolOperation,
} from '../../server/contract/index.ts';
import type { Logo } from '../load/image/logo.ts';
import type { Method, Schema } from '../model/types.ts';
import type { CallModel, WirePlace } from './call-model.ts';

/** The parts that a tool and a connector have in common before and after they are emitted. */
export type {
  EventType,
  GatewayArgument,
  IdempotencyHeader,
  OAuth2Rules,
  PageRule,
  RateLimitHeaders,
  RowsRule,
  ServiceEvents,
  ToolHints,
} from '../../server/contract/index.ts';

export interface ArgumentModel {
  readonly name: string;
  readonly required: boolean;
  /** As in the tool's `inputSchema`, where that refers to a definition with the definition in its place. */
  readonly schema: Schema;
  /** Null if it has no separate place in the request: one key of an object parameter, the name of such a key, or an argument that is only checked. */
  readonly wire: WirePlace | null;
}

/** Arguments that the gateway itself takes, in their order. Tools that find one item also take `key`. */
export const GATEWAY_ARGUMENTS = [
  'where',
  'fields',
  'sort',
  'aggregate',
  'maxItems',
  'resume',
  'also',
  'count',
] as const satisfies readonly GatewayArgument[];

/** Members of generated and hand-written tools: their entry in `tools/list`, and what a call needs. */
export interface ListedTool {
  readonly name: string;
  readonly aliases?: Tool['aliases'] | undefined;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolHints;
  /** `{type: 'object', properties, required, additionalProperties: false, $defs?}`, exactly as published. */
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
  /** Scopes of an OAuth 2.0 connection: alternatives, each a sorted set of which every scope is needed. Empty if none is needed. */
  readonly scopes: readonly (readonly string[])[];
}

/** A generated tool. Members with the type of a member of `Tool` are emitted as they are. */
export interface ToolModel extends ListedTool {
  readonly operation: ToolOperation;
  readonly effectFrom?: Tool['effectFrom'] | undefined;
  /** Why connector.yaml sets hints, or null. */
  readonly hintReason: string | null;
  /** The sign from which another effect was inferred than connector.yaml says. */
  readonly overruled?: string | undefined;
  /** Path arguments first, then required ones, then the rest, each in the descriptor's or connector.yaml's order. */
  readonly arguments: readonly ArgumentModel[];
  readonly rare?: Tool['rare'] | undefined;
  readonly gatewayArguments?: Tool['gatewayArguments'] | undefined;
  readonly batch?: Tool['batch'] | undefined;
  readonly filters?: Tool['filters'] | undefined;
  readonly find?: Tool['find'] | undefined;
  readonly effect?: Tool['effect'] | undefined;
  readonly approval?: Tool['approval'] | undefined;
  readonly preview?: Tool['preview'] | undefined;
  readonly wait?: Tool['wait'] | undefined;
  readonly extra?: Tool['extra'] | undefined;
  readonly credential?: Tool['credential'] | undefined;
  readonly agreements: readonly AgreementRule[];
  /** A schema of the arguments that accepts less than `inputSchema`, or null. It is checked, and not published. */
  readonly rules: Schema | null;
  /** By path argument: what it must not be, because another path has that as a literal. */
  readonly reservedSegments: Readonly<Record<string, readonly string[]>>;
  readonly page: PageRule | null;
  readonly result: {
    readonly wrapItems: boolean;
    readonly rows: RowsRule | null;
    readonly mayBeEmpty: boolean;
    readonly keep?: ResultRule['keep'] | undefined;
    readonly withhold?: ResultRule['withhold'] | undefined;
  };
  /** Answers are JSON objects with known members, although the output schema names none. */
  readonly answersJson?: true | undefined;
  readonly call: CallModel;
  /** The call at an MCP server. Undefined for a tool that sends an HTTP request. */
  readonly mcp?: Tool['call'] | undefined;
  readonly idempotency: IdempotencyHeader | null;
}

/** A tool of `specs/<service>/tools/`: code over generated tools. */
export interface HandWrittenModel extends ListedTool {
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
  readonly type: 'bearer' | 'header' | 'query' | 'cookie' | 'path' | 'body' | 'basic' | 'server';
  readonly label: string;
  /** Name of the header, parameter, cookie, member of the body or server variable; null for bearer and basic. */
  readonly name: string | null;
  /** Text before the secret in a header, with its space. */
  readonly prefix?: string;
  /** Undefined for a secret. */
  readonly isPublic?: true | undefined;
  readonly pattern?: string | undefined;
}

/** An access token from the upstream's authorization server. */
export interface OAuth2Part extends EmittedOAuth2Part {
  readonly name: null;
}

/** One kind of credential: every part of it is needed. */
export interface UnlabelledKind {
  readonly parts: readonly CredentialPart[];
  /** Plain text for the connect page: where a user finds the credential. */
  readonly help: string;
  /** Page of the upstream where the credential is created, or null. */
  readonly url: string | null;
}

/** A kind next to others: an alternative, or what few tools need in addition. */
export interface CredentialKind extends UnlabelledKind {
  readonly label: string;
  readonly verify?: EmittedKind['verify'] | undefined;
}

/** One service, decided. What `emit` turns into a folder. */
export interface ConnectorModel
  extends Pick<Connector, 'name' | 'title' | 'description' | 'categories' | 'verify' | 'servers'> {
  /** Path of the descriptor relative to the project's root. */
  readonly file: string;
  readonly credential: UnlabelledKind & {
    /** Name of the first kind where there are several. Default: the labels of its parts. */
    readonly label?: string;
    /** Other kinds, of which a user may choose one; missing where there are none. */
    readonly alternatives?: readonly CredentialKind[];
    /** Credentials that only few tools need. */
    readonly extras?: readonly CredentialKind[];
    /** Arguments that only repeat the credential, such as `query.token`: no request has them. */
    readonly repeated?: readonly string[];
  };
  /** By words of tool names and titles: what people call these things. */
  readonly synonyms: Readonly<Record<string, readonly string[]>>;
  /** The account at the upstream: pointers into the answer of a tool, tried in order. Null if it is not known. */
  readonly account: NonNullable<Connector['account']> | null;
  /** Of operations that have no tool because of them; nothing is emitted of these. */
  readonly unusableServers: readonly ServerTemplate[];
  readonly errors: ErrorRules;
  readonly rateLimitHeaders: readonly RateLimitHeaders[];
  /** Limits for one connection, or null. */
  readonly caps: {
    readonly concurrency?: number | undefined;
    readonly rate?: { readonly requests: number; readonly seconds: number } | undefined;
  } | null;
  /** The events of the service, or null. */
  readonly events: ServiceEvents | null;
  /** Sorted by name. */
  readonly tools: readonly ToolModel[];
  /** Sorted by name. */
  readonly handWritten: readonly HandWrittenModel[];
  readonly logo: Logo | null;
  /** By name. */
  readonly skills: NonNullable<Connector['skills']>;
  /** Operations without a tool, with the reason: a decision of connector.yaml, or what codegen cannot express yet. */
  readonly notExposed: readonly {
    readonly method: Method;
    readonly path: string;
    readonly id: string | null;
    readonly reason: string;
    /** `expose`: connector.yaml selects others. */
    readonly by: 'connector.yaml' | 'expose' | 'codegen';
  }[];
  /** The verdicts of the known clients about the tools. Empty if they were not checked. */
  readonly clients: readonly ClientVerdict[];
}

/** The rules of one client that tools break: none, and all of them are legal there. */
export interface ClientVerdict {
  readonly id: string;
  /** Such as `Claude`. */
  readonly title: string;
  readonly broken: readonly {
    /** `<profile>/<rule>`. */
    readonly rule: string;
    /** Number of tools that break it. */
    readonly tools: number;
    /** The reason of connector.yaml, or null. */
    readonly accepted: string | null;
  }[];
}
