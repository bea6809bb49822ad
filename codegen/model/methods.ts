/** The methods of requests, and how descriptors and `schema.d.ts` name them. */

/** Methods that have a key of their own in a path item (OpenAPI 3.2 §4.9); others are in `additionalOperations`. */
export const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'] as const;

export type KnownMethod = (typeof METHODS)[number];

/** Any method; of others than the known ones, letters are as they are sent. */
export type Method = KnownMethod | (string & Record<never, never>);

export function isKnownMethod(method: Method): method is KnownMethod {
  return METHODS.some((known) => known === method);
}

/** `get` for GET; others keep their name: `COPY`. */
export function methodKey(method: Method): string {
  return isKnownMethod(method) ? method.toLowerCase() : method;
}
