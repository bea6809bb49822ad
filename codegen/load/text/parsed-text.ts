/** The result of every text parser: a value or faults, and the position of everything. */

import type { Position } from '../../diagnostics.ts';

/** A fault of the text itself. */
export interface SyntaxFault {
  readonly position: Position;
  /** RFC 6901 pointer of the value with the fault, if it is known. */
  readonly pointer?: string;
  readonly message: string;
}

export interface ParsedText {
  /** Undefined if there are faults. */
  readonly value: unknown;
  readonly faults: readonly SyntaxFault[];
  /** Faults in the text that are read as their author meant them. */
  readonly repairs: readonly SyntaxFault[];
  /**
   * Position of the deepest part of an RFC 6901 pointer that exists in the text; null for a text that does not parse.
   */
  locate(pointer: string): Position | null;
}
