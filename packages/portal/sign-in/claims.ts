/** Reads who a person is from the claims of the provider. */

import type { OpenIdClaims } from '../../../server/base/http/openid-client.ts';
import type { ProviderSettings } from '../config.ts';
import type { Person } from '../request.ts';

const MAX_NAME_LENGTH = 200;
const MAX_GROUPS = 2000;

/** The claims do not say who the person is. The message is for the operator. */
export class ClaimsError extends Error {
  override readonly name = 'ClaimsError';
}

/** @throws {ClaimsError} without a `user_id` that people cannot choose themselves, and for too many groups. */
export function readPerson(claims: OpenIdClaims, provider: ProviderSettings): Person {
  const userId = readUserId(claims, provider);
  const names = [claims.name, claims.preferred_username, claims.email];
  const name = names.find((each): each is string => typeof each === 'string' && each.trim() !== '') ?? userId;
  return {
    userId,
    name: name
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, MAX_NAME_LENGTH)
      .toWellFormed(),
    groups: readGroups(claims, provider),
  };
}

function readUserId(claims: OpenIdClaims, { userClaim }: ProviderSettings): string {
  const value = claims[userClaim];
  if (typeof value !== 'string' || value === '')
    throw new ClaimsError(`the provider sends no text in the claim "${userClaim}", which PORTAL_USER_CLAIM names`);
  if (userClaim === 'email' && claims.email_verified !== true)
    throw new ClaimsError('PORTAL_USER_CLAIM is email, and the provider has not verified the address of this person');
  return userClaim === 'email' ? value.toLowerCase() : value;
}

/** Names of groups are compared exactly. One group may be a text instead of a list. */
function readGroups(claims: OpenIdClaims, { groupsClaim }: ProviderSettings): string[] {
  const value = claims[groupsClaim];
  const list = Array.isArray(value) ? value : [value];
  const groups = list.filter((each): each is string => typeof each === 'string' && each !== '');
  // A group that is left out could be the one whose rule asks for approval.
  if (groups.length > MAX_GROUPS)
    throw new ClaimsError(`the provider names more than ${MAX_GROUPS} groups: let it send only those that have rules`);
  return groups;
}
