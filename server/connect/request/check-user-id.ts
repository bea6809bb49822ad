/** Rule: the partner names the user who connects. */

import { isUserId, MAX_USER_ID_LENGTH } from '../../identity/partners/user-id.ts';
import { ConnectRefusal, readParameter } from './parameters.ts';

/** @throws {ConnectRefusal} `invalid_request` unless it is 1 to 512 characters without control characters. */
export function checkUserId(parameters: URLSearchParams): string {
  const userId = readParameter(parameters, 'user_id');
  if (userId !== null && isUserId(userId)) return userId;
  throw new ConnectRefusal(
    'invalid_request',
    `user_id must be 1 to ${MAX_USER_ID_LENGTH} characters without control characters.`,
  );
}
