/** Repairs of whole objects, before their fields are read. */

import { isRecord } from '../../json.ts';
import { NAMES } from './objects.ts';
import { toOwnSchema } from './repairs.ts';
import { type Json, METHODS, type Reading, type Tokens } from './types.ts';

export function repairParameter(parameter: Json, tokens: Tokens, reading: Reading): void {
  if (parameter.in === 'path' && parameter.required !== true && parameter.required !== 'true') {
    reading.repair('path-required', tokens, { key: 'required', owner: NAMES.Parameter, value: parameter.required });
    parameter.required = true;
  }
  const schema = toOwnSchema(parameter);
  if (schema === null) return;
  reading.repair('parameter-type', tokens, { key: 'type', owner: NAMES.Parameter });
  for (const key of Object.keys(schema)) delete parameter[key];
  parameter.schema = schema;
}

/**
 * Standard methods belong under their own keys, and a name that is not an HTTP token (RFC 9110 §5.6.2) is no method.
 */
export function repairMethods({ additionalOperations: others }: Json, tokens: Tokens, reading: Reading): void {
  if (!isRecord(others) || typeof others.$ref === 'string') return;
  for (const name of Object.keys(others)) {
    if (name.startsWith('x-')) continue;
    if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !METHODS.includes(name.toLowerCase())) continue;
    reading.repair('method-name', [...tokens, 'additionalOperations', name], { key: name, owner: NAMES.PathItem });
    delete (others as Json)[name];
  }
}

export function repairPaths(document: Json, reading: Reading): void {
  const { paths } = document;
  if (!isRecord(paths)) return;
  for (const path of Object.keys(paths)) {
    const plain = path.replaceAll('${', '{');
    if (plain !== path && !Object.hasOwn(paths, plain)) {
      reading.repair('path-dollar', ['paths', path], { key: path, owner: NAMES.Document });
      (paths as Json)[plain] = paths[path];
      delete (paths as Json)[path];
    }
  }
  for (const path of Object.keys(paths)) {
    if (
      path === '' ||
      path.startsWith('/') ||
      path.startsWith('x-') ||
      path === '$ref' ||
      Object.hasOwn(paths, `/${path}`)
    )
      continue;
    reading.repair('path-slash', ['paths', path], { key: path, owner: NAMES.Document });
    (paths as Json)[`/${path}`] = paths[path];
    delete (paths as Json)[path];
  }
}
