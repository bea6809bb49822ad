/** HTTP methods, and their names in descriptors and `schema.d.ts`. */

/** Methods that have their own key in a path item (OpenAPI 3.2 §4.9); others are in `additionalOperations`. */
export const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'] as const;

export type KnownMethod = (typeof METHODS)[number];

/** Any method; unknown ones keep the letter case in which they are sent. */
export type Method = KnownMethod | (string & Record<never, never>);

export function isKnownMethod(method: Method): method is KnownMethod {
  return METHODS.some((known) => known === method);
}

/** `get` for GET; other methods keep their name: `COPY`. */
export function methodKey(method: Method): string {
  return isKnownMethod(method) ? method.toLowerCase() : method;
}
