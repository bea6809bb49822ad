/** Identifies an operation in a descriptor. */

/** `GET /documents/{document_id}`: identifies an operation whatever its position or `operationId`. */
export function operationKey({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}
