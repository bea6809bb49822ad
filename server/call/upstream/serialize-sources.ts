/** Reads the value for each place of a request from the arguments of a call. */

import type { Binding, Bindings, CredentialMembers, NestedMembers, Source, ToolRequest } from '../../contract/index.ts';
import { UnusableCredentialError } from './credential.ts';

/** Arguments of one call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** @param secrets of the connection, by field; most places use none. */
type ValueReader = (args: Arguments, secrets?: Secrets) => unknown;

/** One place of the request of a tool. */
export interface Slot<Style> extends WirePlace {
  readonly parameter: string;
  /** Undefined for one plain value. */
  readonly style: Style | undefined;
  /** Undefined unless the value is an object built from arguments. */
  readonly entries: Readonly<Record<string, string>> | undefined;
  /** Returns undefined when the call does not give a value. */
  readonly read: ValueReader;
}

/** The places of one kind, in their order. */
export function toSlots<Style extends object>(
  place: WirePlace['place'],
  bindings: Bindings<Style> = {},
): readonly Slot<Style>[] {
  return Object.entries(bindings).map(([parameter, binding]) => ({
    place,
    parameter,
    argument: argumentOf(binding),
    style: styleOf(binding),
    entries: typeof binding === 'object' && 'entries' in binding ? binding.entries : undefined,
    read: place === 'path' ? pathReader(binding) : readerOf(binding),
  }));
}

/** A path cannot omit its parameter. @throws {UnusableCredentialError} by the reader, when the connection lacks it. */
function pathReader(binding: Binding<object>): ValueReader {
  const read = readerOf(binding);
  if (typeof binding === 'string' || !('credential' in binding)) return read;
  return (args, secrets) => {
    const value = read(args, secrets);
    if (value === undefined) throw new UnusableCredentialError(binding.credential, 'missing');
    return value;
  };
}

/** Reads own members only: every object inherits names such as `constructor`. */
export function readArgument(name: string): ValueReader {
  return (args) => (Object.hasOwn(args, name) ? args[name] : undefined);
}

function argumentOf(binding: Binding<object>): string | null {
  if (typeof binding === 'string') return binding;
  if ('argument' in binding) return binding.argument;
  if ('constant' in binding || 'credential' in binding || 'members' in binding) return null;
  const names = Object.entries(binding.entries).flatMap(([key, argument]) => [argument, keyArgument(key) ?? []].flat());
  return names.length === 1 ? (names[0] ?? null) : null;
}

function styleOf<Style extends object>(binding: Binding<Style>): Style | undefined {
  if (typeof binding === 'string') return undefined;
  const {
    argument: _,
    constant: __,
    entries: ___,
    default: ____,
    members: _____,
    credential: ______,
    credentials: _______,
    ...style
  } = binding as Readonly<Record<string, unknown>>;
  return Object.keys(style).length === 0 ? undefined : (style as Style);
}

function readerOf(binding: Binding<object>): ValueReader {
  if (typeof binding === 'string') return readArgument(binding);
  if ('argument' in binding) {
    const { argument, default: defaultValue, credentials } = binding;
    const readArgumentValue = readArgument(argument);
    const read: ValueReader =
      defaultValue === undefined ? readArgumentValue : (args) => readArgumentValue(args) ?? defaultValue;
    return credentials === undefined
      ? read
      : (args, secrets = {}) => withCredentials(read(args), credentials, secrets, argument);
  }
  if ('constant' in binding) return () => binding.constant;
  if ('credential' in binding) return (_, secrets = {}) => secrets[binding.credential];
  if ('members' in binding) return nestedReader(binding.members);
  const entries = Object.entries(binding.entries).map(([key, argument]) => {
    const name = keyArgument(key);
    return [name === null ? () => key : readArgument(name), readArgument(argument)] as const;
  });
  return (args) => {
    const members = entries.map(([key, value]) => [key(args), value(args)] as const);
    return Object.fromEntries(members.filter(([key, value]) => key !== undefined && value !== undefined));
  };
}

function nestedReader(members: NestedMembers): ValueReader {
  const readers = Object.entries(members).map(([name, binding]) => [name, readerOf(binding)] as const);
  return (args, secrets) => {
    const values = readers
      .map(([name, read]) => [name, read(args, secrets)] as const)
      .filter(([, value]) => value !== undefined);
    return values.length === 0 ? undefined : Object.fromEntries(values);
  };
}

/** `{column}` is the name that the argument `column` gives. */
function keyArgument(key: string): string | null {
  return /^\{(.+)\}$/s.exec(key)?.[1] ?? null;
}

/** The values of a connection's credential for paths and bodies, by field. */
export type Secrets = Readonly<Record<string, string>>;

/**
 * Returns the object with the credential's members. They come last, and replace all others of the same names in any letter case: some upstreams
 * ignore case, and no argument may replace the credential. Fields that the connection lacks are left out.
 *
 * @param value of the call; for undefined and null, the result is a new object.
 * @param argument that it comes from, for the error.
 * @throws {CannotSendError} when the value is not an object.
 */
export function withCredentials(
  value: unknown,
  members: CredentialMembers,
  secrets: Secrets,
  argument: string | null,
): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' ? Array.isArray(value) : value !== undefined) {
    throw new CannotSendError({ place: 'body', parameter: null, argument }, 'the credential belongs into an object');
  }
  const valueMembers = (value ?? {}) as Readonly<Record<string, unknown>>;
  const credentialNames = new Set(Object.keys(members).map((name) => name.toLowerCase()));
  const otherMembers = Object.entries(valueMembers).filter(([name]) => !credentialNames.has(name.toLowerCase()));
  const credentialEntries = Object.entries(members).map(([name, field]) => {
    if (typeof field === 'string') return [name, secrets[field]] as const;
    return [
      name,
      withCredentials(Object.hasOwn(valueMembers, name) ? valueMembers[name] : undefined, field, secrets, argument),
    ] as const;
  });
  return Object.fromEntries([...otherMembers, ...credentialEntries.filter(([, member]) => member !== undefined)]);
}

/** Returns the members of a tool's body that the credential fills, by wire name. Returns null if there are none. */
export function credentialMembersOf(body: NonNullable<ToolRequest['body']>): CredentialMembers | null {
  if ('members' in body) return credentialMembersIn(body.members);
  return ('argument' in body && body.credentials) || null;
}

function credentialMembersIn(members: NestedMembers): CredentialMembers | null {
  const credentialEntries = Object.entries(members).flatMap(
    ([name, source]): [string, string | CredentialMembers][] => {
      const credential = typeof source === 'string' ? null : credentialsOf(source);
      return credential === null ? [] : [[name, credential]];
    },
  );
  return credentialEntries.length === 0 ? null : Object.fromEntries(credentialEntries);
}

function credentialsOf(source: Source): string | CredentialMembers | null {
  if ('credential' in source) return source.credential;
  if ('members' in source) return credentialMembersIn(source.members);
  return ('credentials' in source && source.credentials) || null;
}

/** One place of a request, and the argument that fills it. */
export interface WirePlace {
  readonly place: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** Wire name of the parameter, or of the member of the body. Null for the whole body. */
  readonly parameter: string | null;
  /** Null for a constant, and for several arguments together. */
  readonly argument: string | null;
}

const WORDS = { path: 'path parameter', query: 'query parameter', header: 'header', cookie: 'cookie', body: 'part' };

/** A value of a call's arguments cannot be sent in its place on the wire. Nothing was sent. */
export class CannotSendError extends Error {
  override readonly name = 'CannotSendError';
  readonly place: WirePlace['place'];
  readonly parameter: string | null;
  readonly argument: string | null;
  /** A clause about the value, such as `it holds a line break`. Repeats at most dots or a name of it. */
  readonly problem: string;

  /**
   * Its message is one sentence for a model.
   *
   * @param subject what the clause is about, when that is a part of the argument, such as `avatar.data`.
   */
  constructor({ place, parameter, argument }: WirePlace, problem: string, subject?: string) {
    const location = parameter === null ? 'the body' : `the ${WORDS[place]} ${JSON.stringify(parameter)}`;
    const owner = argument === null ? 'It' : `"${argument}"`;
    super(subject === undefined ? `${owner} cannot be ${location}: ${problem}.` : `"${subject}" ${problem}.`);
    this.place = place;
    this.parameter = parameter;
    this.argument = argument;
    this.problem = problem;
  }
}

/** Returns a function that throws a `CannotSendError` for a place. */
export function refuserOf(place: WirePlace): (problem: string) => never {
  return (problem) => {
    throw new CannotSendError(place, problem);
  };
}

/** Converts the error of a place that could not be written: `encodeURIComponent` throws on half of a surrogate pair. */
export function toCannotSend(error: unknown, place: WirePlace): unknown {
  return error instanceof URIError ? halfPair(place) : error;
}

/** The text of a place contains half of a surrogate pair, which no encoding can represent. */
export function halfPair(place: WirePlace): CannotSendError {
  return new CannotSendError(place, 'it holds half of a surrogate pair, which is no text');
}
