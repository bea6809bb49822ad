/** What reading a descriptor by its objects finds. */

import type { DiagnosticCode } from '../../diagnostics.ts';
import type { ObjectKind } from './objects.ts';
import type { Repair } from './repairs.ts';

/** An object of the descriptor that is repaired where it stands. */
export type Json = Record<string, unknown>;

/** A place of the descriptor that no request can be built from. */
export interface Fault {
  readonly code: DiagnosticCode;
  readonly pointer: string;
  readonly message: string;
  /** Where its author wrote it, where that is known: `file` is relative to the service folder. */
  readonly origin?: Origin;
}

interface Origin {
  readonly file: string;
  readonly pointer: string;
}

/** What was found on the way from the operations. */
export interface ReadDescriptor {
  /** What was repaired; the messages name no places. */
  readonly repairs: readonly { readonly pointer: string; readonly message: string }[];
  readonly faults: readonly Fault[];
  /** From the place of a `$ref` to the place that it leads to. */
  readonly references: readonly { readonly from: string; readonly to: string }[];
}

/** The key under which the document keeps why a reference cannot be followed: its value is a `BrokenReference`. */
export const BROKEN_REFERENCE = 'x-broken-reference';

export interface BrokenReference {
  readonly code: 'reference-network' | 'reference-outside' | 'reference-unresolved';
  readonly message: string;
  readonly origin: Origin;
}

/** The keys of a path item that hold an operation. */
export const METHODS: readonly string[] = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
];

/** The tokens of a pointer, from the root. */
export type Tokens = readonly string[];

/** What readers of objects and of schemas share. */
export interface Reading {
  readonly document: unknown;
  repair(repair: Repair, tokens: Tokens, key: string, owner: string, found?: unknown): void;
  fault(tokens: Tokens, message: string): void;
  /** Notes a `$ref` and reads what it leads to, once. */
  follow(ref: string, tokens: Tokens, kind: ObjectKind): void;
  /** Notes the fault that a reference to nowhere was replaced by; false for anything else. */
  isBroken(value: Json, tokens: Tokens): boolean;
}
