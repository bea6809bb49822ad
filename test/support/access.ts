import { type Access, FULL_PERMISSION, SCOPES } from '../../server/base/principal/permission.ts';

/** The access of a token whose grant was not narrowed. */
export function accessTo(services: readonly string[], changes: Partial<Access> = {}): Access {
  return { clientId: null, services, scopes: SCOPES, permission: FULL_PERMISSION, ...changes };
}
