/** Rule: the descriptor is OpenAPI 3.0, 3.1 or 3.2. */

import type { Problem } from '../diagnostics.ts';
import { member } from '../json-pointer.ts';

/** At most one problem: Swagger 2.0, a version that is not a string, or another version. */
export function checkVersion(document: unknown, file: string): Problem[] {
  const problem = (pointer: string, message: string, fix?: string): Problem[] => [
    { code: 'openapi-version', file, pointer, message, ...(fix === undefined ? {} : { fix }) },
  ];
  const swagger = member(document, 'swagger');
  const version = member(document, 'openapi');
  if (swagger !== undefined && version === undefined) {
    const service = file.split('/')[1];
    const fix = `Run \`npm run connector -- update ${service} ${file}\`: it converts the descriptor, and keeps this one next to it.`;
    return problem('/swagger', `This is Swagger ${swagger} (OpenAPI 2), which is not supported.`, fix);
  }
  if (version === undefined) return problem('', 'The document has no `openapi` version.');
  if (typeof version !== 'string')
    return problem('/openapi', `\`openapi\` is ${JSON.stringify(version)}, not a string.`);
  if (!/^3\.[012]\.\d+$/.test(version)) return problem('/openapi', `OpenAPI ${version} is not supported.`);
  return [];
}
