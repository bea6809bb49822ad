/** Identifies an operation in a descriptor. */

import type { OperationModel } from '../../../model/types.ts';

/** The parts of an operation that its name uses. */
export type NamedOperation = Pick<OperationModel, 'id' | 'method' | 'path'>;

/** `GET /documents/{document_id}`: identifies an operation whatever its position or `operationId`. */
export function operationKey({ method, path }: Pick<OperationModel, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
