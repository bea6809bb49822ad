/** Places whose names suggest a credential, although no security scheme declares one. */

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
 * True if the name of a place suggests a credential, which a model should never see.
 * ¶ @param path of the operation: `/bot{token}` has a credential, `/tokens/{token}` does not.
 */
export function looksSecret({ in: place, name, schema, path: nested }: Slot, path: string): boolean {
  if (name === null || nested !== undefined) return false;
  if (SECRET_NAMES.has(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))) return true;
  if (place === 'path') return name === 'token' && /[A-Za-z0-9]\{token\}/.test(path);
  return place === 'body' && name === 'key' && /\bapi[ _-]?key\b/i.test(String(schema.description ?? ''));
}
