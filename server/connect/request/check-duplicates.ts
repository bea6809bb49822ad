/** Rule: no parameter is repeated. */

import { ConnectRefusal } from './parameters.ts';

const PARAMETERS = ['user_id', 'state'];

/** @throws {ConnectRefusal} `invalid_request`. */
export function checkDuplicates(parameters: URLSearchParams): void {
  const repeated = PARAMETERS.find((name) => parameters.getAll(name).length > 1);
  if (repeated !== undefined) throw new ConnectRefusal('invalid_request', `${repeated} appears more than once.`);
}
