/** Places that carry a credential by their names, where no security scheme says so. */

import type { Slot } from './slots.ts';

/** In lower case, without separators. */
const SECRET_NAMES = new Set([
  'accesstoken',
  'apikey',
  'apisecret',
  'apitoken',
  'appkey',
  'applicationkey',
  'authtoken',
  'clientsecret',
  'oauthtoken',
  'privatetoken',
  'subscriptionkey',
  'xaccesstoken',
  'xapikey',
  'xapitoken',
  'xauthtoken',
]);

/**
 * Whether a place is that of a credential by its name: a model should never see it.
 *
 * @param path of the operation: `/bot{token}` has a credential, `/tokens/{token}` has not.
 */
export function looksSecret({ in: place, name, schema, path: nested }: Slot, path: string): boolean {
  if (name === null || nested !== undefined) return false;
  if (SECRET_NAMES.has(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))) return true;
  if (place === 'path') return name === 'token' && /[A-Za-z0-9]\{token\}/.test(path);
  return place === 'body' && name === 'key' && /\bapi[ _-]?key\b/i.test(String(schema.description ?? ''));
}
