/** Types of the result of reading a descriptor. */

import type { DiagnosticCode } from '../../diagnostics.ts';
import type { ObjectKind } from './objects.ts';
import type { Repair, RepairDetails } from './repairs.ts';

/** An object of the descriptor, repaired in place. */
export type Json = Record<string, unknown>;

/** A place in the descriptor from which no request can be built. */
export interface Fault {
  readonly code: DiagnosticCode;
  readonly pointer: string;
  readonly message: string;
  /** The place where its author wrote it, if known: `file` is relative to the service folder. */
  readonly origin?: Origin;
}

interface Origin {
  readonly file: string;
  readonly pointer: string;
}

/** The findings along the way from the operations. */
export interface ReadDescriptor {
  /** Repairs; the messages name no places. */
  readonly repairs: readonly { readonly pointer: string; readonly message: string }[];
  readonly faults: readonly Fault[];
  /** Each `$ref`, from its own place to the place that it points to. */
  readonly references: readonly { readonly from: string; readonly to: string }[];
}

/** The key under which the document records why a reference cannot be resolved: its value is a `BrokenReference`. */
export const BROKEN_REFERENCE = 'x-broken-reference';

/** The key next to a `$ref` under which `utg add` records why it did not follow the reference: its value is a text. */
export const UNFOLLOWED_REASON = 'x-reason-not-followed';

/** Begins a message on a reference that `utg add` did not follow, after the reference. */
export const WAS_NOT_READ = 'was not read when the descriptor was added';

export interface BrokenReference {
  readonly code: 'reference-network' | 'reference-outside' | 'reference-unresolved';
  readonly message: string;
  readonly origin: Origin;
}

/** The keys of a path item that hold an operation. */
export const METHODS: readonly string[] = 'get put post delete options head patch trace query'.split(' ');

/** The tokens of a pointer, from the root. */
export type Tokens = readonly string[];

/** Shared by the readers of objects and of schemas. */
export interface Reading {
  readonly document: unknown;
  repair(repair: Repair, tokens: Tokens, repaired: RepairDetails): void;
  fault(tokens: Tokens, message: string): void;
  /** Records a `$ref` and reads its target, once. */
  follow(ref: string, tokens: Tokens, kind: ObjectKind): void;
  /** Records the fault that replaced a broken reference; false for any other value. */
  isBroken(value: Json, tokens: Tokens): boolean;
}
