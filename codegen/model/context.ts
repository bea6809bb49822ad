/** Shared by all readers of the descriptor. */

import type { DiagnosticCode } from '../diagnostics.ts';
import type { DescriptorNode } from './descriptor-node.ts';
import type { Schema } from './types.ts';

export interface ModelContext {
  readonly document: unknown;
  readonly openapi: '3.0' | '3.1';
  /** Reports a problem at a pointer of the descriptor; `fix` replaces the catalogue's. */
  readonly report: (code: DiagnosticCode, pointer: string, message: string, fix?: string) => void;
  /** The normalized schema at a place, always the same object for the same pointer. */
  readonly schemaAt: (node: DescriptorNode) => Schema;
}
