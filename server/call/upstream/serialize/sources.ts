/** Reads the value for each place of a request from the arguments of a call. */

import type { Binding, Bindings, NestedMembers } from '../../../contract/index.ts';
import { UnusableCredentialError } from '../credential-writer.ts';
import type { WirePlace } from './cannot-send.ts';
import { type Secrets, withCredentials } from './credentials.ts';

/** Arguments of one call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** @param secrets of the connection, by field; most places use none. */
type Reader = (args: Arguments, secrets?: Secrets) => unknown;

/** One place of the request of a tool. */
export interface Slot<Style> extends WirePlace {
  readonly parameter: string;
  /** Undefined: one plain value. */
  readonly style: Style | undefined;
  /** Undefined: not an object built from arguments. */
  readonly entries: Readonly<Record<string, string>> | undefined;
  /** Returns undefined when the call does not give a value. */
  readonly read: Reader;
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
function pathReader(binding: Binding<object>): Reader {
  const read = readerOf(binding);
  if (typeof binding === 'string' || !('credential' in binding)) return read;
  return (args, secrets) => {
    const value = read(args, secrets);
    if (value === undefined) throw new UnusableCredentialError(binding.credential, 'missing');
    return value;
  };
}

/** Reads own members only: every object inherits names such as `constructor`. */
export function readArgument(name: string): Reader {
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

function readerOf(binding: Binding<object>): Reader {
  if (typeof binding === 'string') return readArgument(binding);
  if ('argument' in binding) {
    const { argument, default: otherwise, credentials } = binding;
    const given = readArgument(argument);
    const read: Reader = otherwise === undefined ? given : (args) => given(args) ?? otherwise;
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

function nestedReader(members: NestedMembers): Reader {
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
