/** What names an operation in a descriptor. */

import type { OperationModel } from '../../../model/types.ts';

/** What a name is made of. */
export type NamedOperation = Pick<OperationModel, 'id' | 'method' | 'path'>;

/** `GET /documents/{document_id}`: names an operation whatever its position or `operationId`. */
export function operationKey({ method, path }: Pick<OperationModel, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
