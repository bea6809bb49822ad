/** Parameters that carry a credential by their names, where no security scheme says so. */

import type { ParameterModel } from '../../model/types.ts';

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

/** Whether a query, header or cookie parameter is a credential by its name: a model should never see it. */
export function looksSecret({ in: place, name }: ParameterModel): boolean {
  return place !== 'path' && SECRET_NAMES.has(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
}
