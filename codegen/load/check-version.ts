/** Rule: the descriptor is OpenAPI 3.0 or 3.1. */

import type { Problem } from '../diagnostics.ts';
import { member } from '../json-pointer.ts';

/** At most one problem: Swagger 2.0, a version that is no string, or another version. */
export function checkVersion(document: unknown, file: string): Problem[] {
  const problem = (pointer: string, message: string): Problem[] => [
    { code: 'openapi-version', file, pointer, message },
  ];
  const swagger = member(document, 'swagger');
  const version = member(document, 'openapi');
  if (swagger !== undefined && version === undefined) {
    return problem('/swagger', `This is Swagger ${swagger}, which is not supported.`);
  }
  if (version === undefined) return problem('', 'The document has no `openapi` version.');
  if (typeof version !== 'string')
    return problem('/openapi', `\`openapi\` is ${JSON.stringify(version)}, not a string.`);
  if (!/^3\.[01]\.\d+$/.test(version)) return problem('/openapi', `OpenAPI ${version} is not supported.`);
  return [];
}
