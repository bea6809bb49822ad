/** Checks the table of a request against `schema.d.ts`: a descriptor that drifted makes `tsc` fail in the tool's file. */

import type { CookieStyle, PathStyle, QueryStyle } from './request.ts';

/** An operation of `schema.d.ts`, as far as its request goes. */
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
 * What the request of a tool may say, for `satisfies`.
 *
 * Errors of `tsc` are: a path, method, parameter, media type or member that the descriptor does not have (any more), a
 * constant of another type than it asks for, and a parameter, body or member that it requires and nothing fills.
 *
 * Types of places and members are mapped from those of the descriptor, so that `tsc` looks at one only where the request
 * says something of it. Conditional types cost more the more members there are.
 *
 * @typeParam MediaType of the body that is sent; left out without one
 * @typeParam _Names members that the tool describes of a body that is one argument
 */
export type RequestOf<
  Operation extends OperationTypes,
  MediaType extends keyof ContentOf<Operation> = never,
  _Names extends DeclaredName<ContentOf<Operation>[MediaType]> = never,
> = PlacesOf<Operation['parameters'], 'path' | 'query' | 'cookie'> & {
  /** Not even required ones have to be said: one of them may be the gateway's own (`Tool.idempotency`). */
  readonly header?: Partial<ParametersOf<NonNullable<Operation['parameters']['header']>>>;
} & BodyPlaceOf<Operation, MediaType, 'requestBody'>;

/** With `Place` as a parameter, what is optional in `Parameters` is optional here. */
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

/** Required are the members that the descriptor requires; of a union, those of any one alternative. */
type MembersOf<Body> = {
  readonly [Name in keyof Body as string extends Name ? never : Body[Name] extends ReadOnly ? never : Name]: SourceOf<
    Body[Name]
  >;
} & NoOther;

/** A type without any member would take every member. */
interface NoOther {
  readonly [noOther]?: never;
}

declare const noOther: unique symbol;

type SourceOf<Value> = string | SentOf<Value> | SentFile;

interface SentOf<Value> extends Written {
  readonly constant?: Sendable<Value>;
  /** Of an object: each member by itself. */
  readonly members?: MembersOf<NonNullable<Value>>;
  readonly file?: never;
}

/** A file has another form than the descriptor says. */
interface SentFile extends Written {
  readonly file: readonly string[];
  readonly members?: never;
}

/** How a value is written is the matter of `ToolRequest`. */
interface Written {
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

/** Members that are `readOnly`, as openapi-typescript marks them, are for answers alone. */
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
