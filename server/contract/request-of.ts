/** Checks a tool's request table against `schema.d.ts`: if the descriptor changed, `tsc` fails in the tool's file. */

import type { CookieStyle, PathStyle, QueryStyle } from './request.ts';

/** An operation of `schema.d.ts`, reduced to its request. */
interface OperationTypes {
  readonly parameters: {
    readonly path?: object;
    readonly query?: object;
    readonly header?: object;
    readonly cookie?: object;
  };
  readonly requestBody?: { readonly content: object };
}

type ContentOf<Operation extends OperationTypes> = NonNullable<Operation['requestBody']>['content'];

/**
 * The type of a tool's request, for `satisfies`.
 *
 * `tsc` reports a path, method, parameter, media type or member that the descriptor does not have (any more), a
 * constant of the wrong type, and a required parameter, body or member that nothing fills.
 *
 * Types of places and members are mapped from those of the descriptor, so that `tsc` only evaluates those that the request
 * names. Conditional types cost more with every member.
 *
 * @typeParam MediaType of the body that is sent; omitted without a body
 * @typeParam _Names members that the tool describes of a body that is one argument
 */
export type RequestOf<
  Operation extends OperationTypes,
  MediaType extends keyof ContentOf<Operation> = never,
  _Names extends DeclaredName<ContentOf<Operation>[MediaType]> = never,
> = PlacesOf<Operation['parameters'], 'path' | 'query' | 'cookie'> & {
  /** Even required headers may be missing: one of them may be the gateway's own (`Tool.idempotency`). */
  readonly header?: Partial<ParametersOf<NonNullable<Operation['parameters']['header']>>>;
} & BodyPlaceOf<Operation, MediaType, 'requestBody'>;

/** With `Place` as a type parameter, what is optional in `Parameters` is optional here. */
type PlacesOf<Parameters, Place extends keyof Parameters> = {
  readonly [Name in Place]: ParametersOf<Parameters[Name]>;
};

type ParametersOf<Values> = { readonly [Name in keyof Values]: SourceOf<Values[Name]> };

type BodyPlaceOf<
  Operation extends OperationTypes,
  MediaType extends keyof ContentOf<Operation>,
  Place extends keyof Operation,
> = {
  readonly [Name in Place as 'body']: BodyOf<
    ContentOf<Operation>[MediaType],
    MediaType,
    Nothing extends Pick<Operation, Name> ? true : never
  >;
};

/** `Optional`: true where the body may be left out, else never. */
type BodyOf<Body, MediaType, Optional> = {
  readonly mediaType: MediaType;
  readonly optional?: Optional;
  readonly members?: [Optional] extends [never] ? MembersOf<Body> : Partial<MembersOf<Body>>;
  readonly [more: string]: unknown;
} & (
  | { readonly as?: 'form' | 'multipart'; readonly constant?: Sendable<Body> }
  | { readonly as: 'text' | 'bytes' | 'file' }
);

/** Requires the members that the descriptor requires, but none that is `readOnly`; of a union, those of any one alternative. */
type MembersOf<Body> = {
  readonly [Name in keyof Body as string extends Name ? never : Body[Name] extends ReadOnly ? never : Name]: SourceOf<
    Body[Name]
  >;
} & { readonly [Name in keyof Body as Body[Name] extends ReadOnly ? Name : never]?: unknown } & NoOther;

/** Rejects other members: a type without any member would accept all. */
interface NoOther {
  readonly [noOther]?: never;
}

declare const noOther: unique symbol;

type SourceOf<Value> = string | SentOf<Value> | SentFile;

interface SentOf<Value> extends SerializationStyle {
  readonly constant?: Sendable<Value>;
  /** Of an object: each member on its own. */
  readonly members?: MembersOf<NonNullable<Value>>;
  readonly file?: never;
}

/** A file is sent in another form than the descriptor says. */
interface SentFile extends SerializationStyle {
  readonly file: readonly string[];
  readonly members?: never;
}

/** The style of a value, as `ToolRequest` describes it. */
interface SerializationStyle {
  readonly whole?: true;
  readonly style?: PathStyle['style'] | QueryStyle['style'] | CookieStyle['style'];
  readonly [more: string]: unknown;
}

/** Names of the members that an object type, or any alternative of a union, declares; index signatures have none. */
type DeclaredName<T> = T extends unknown
  ? keyof { [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: unknown }
  : never;

/** Extends every type whose members are all optional. */
type Nothing = Record<never, never>;

/** Members that are `readOnly`, as openapi-typescript marks them, occur only in answers. */
interface ReadOnly {
  readonly $read: unknown;
}

/** The value without the marks of `readOnly` and `writeOnly`. */
type Sendable<Value> = Value extends { readonly $write: infer Inner }
  ? Sendable<Inner>
  : Value extends (infer Item)[]
    ? Sendable<Item>[]
    : Value extends object
      ? { [Name in keyof Value as NonNullable<Value[Name]> extends ReadOnly ? never : Name]: Sendable<Value[Name]> }
      : Value;
