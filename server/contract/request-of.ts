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
 * Only names, constants and what is required are looked at, member by member: that costs next to nothing, where the
 * types of a typed client cost seconds for a hundred operations.
 *
 * @typeParam MediaType of the body that is sent; left out without one
 * @typeParam _Names members that the tool describes of a body that is one argument
 */
export type RequestOf<
  Operation extends OperationTypes,
  MediaType extends keyof ContentOf<Operation> = never,
  _Names extends DeclaredName<ContentOf<Operation>[MediaType]> = never,
> = {
  readonly [Place in keyof Operation['parameters'] as Exclude<Place, 'header'>]: ParametersOf<
    Operation['parameters'][Place]
  >;
} & {
  /** Not even required ones have to be said: one of them may be the gateway's own (`Tool.idempotency`). */
  readonly header?: Partial<ParametersOf<NonNullable<Operation['parameters']['header']>>>;
} & {
  readonly [Key in keyof Operation as Key extends 'requestBody' ? 'body' : never]: BodyOf<
    ContentOf<Operation>[MediaType],
    MediaType,
    Nothing extends Pick<Operation, Key> ? true : never
  >;
};

type ParametersOf<Values> = { readonly [Name in keyof Values]: SourceOf<Values[Name]> };

/** `Optional`: true where the body may be left out, else never. */
type BodyOf<Body, MediaType, Optional> = {
  readonly mediaType: MediaType;
  readonly optional?: Optional;
  readonly members?: MembersOf<Body> & ([Optional] extends [never] ? RequiredOf<Body> : unknown);
  readonly [more: string]: unknown;
} & (
  | { readonly as?: 'form' | 'multipart'; readonly constant?: Sendable<Body> }
  | { readonly as: 'text' | 'bytes' | 'file' }
);

/** Of a union: the members of all alternatives. */
type MembersOf<Body> = [DeclaredName<Body>] extends [never]
  ? Readonly<Record<string, never>>
  : { readonly [Name in DeclaredName<Body>]?: SourceOf<MemberOf<Body, Name>> };

/** Of a union: the members that every alternative requires. */
type RequiredOf<Body> = { readonly [Name in RequiredName<Body>]: unknown };

type SourceOf<Value> =
  | string
  | (Written & { readonly constant?: Sendable<Value>; readonly file?: never })
  /** A file has another form than the descriptor says. */
  | (Written & { readonly file: readonly string[] })
  /** An object, member by member. */
  | { readonly members: NestedOf<NonNullable<Value>> };

type NestedOf<Value> = MembersOf<Value> & RequiredOf<Value>;

/** How a value is written is the matter of `ToolRequest`. */
interface Written {
  readonly members?: never;
  readonly whole?: true;
  readonly style?: PathStyle['style'] | QueryStyle['style'] | CookieStyle['style'];
  readonly [more: string]: unknown;
}

/** Names of the members that an object type, or any alternative of a union, declares; index signatures have none. */
type DeclaredName<T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? keyof { [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: unknown }
    : never;

/** Members that are `readOnly`, as openapi-typescript marks them, are for answers alone. */
type RequiredName<T, Name = keyof T> = Name extends keyof T
  ? string extends Name
    ? never
    : Nothing extends Pick<T, Name>
      ? never
      : NonNullable<T[Name]> extends ReadOnly
        ? never
        : Name
  : never;

type MemberOf<T, Name> = T extends unknown ? (Name extends keyof T ? T[Name] : never) : never;

/** Extends every type whose members are all optional. */
type Nothing = Record<never, never>;

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
