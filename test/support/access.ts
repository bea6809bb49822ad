import { type Access, WHOLE_PERMISSION } from '../../server/principal/permission.ts';
import { SCOPES } from '../../server/principal/scopes.ts';

/** What a token of a grant that no one narrowed may call. */
export function accessTo(services: readonly string[], changes: Partial<Access> = {}): Access {
  return { clientId: null, services, scopes: SCOPES, permission: WHOLE_PERMISSION, ...changes };
}
