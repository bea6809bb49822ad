/** The limits of a connection code that narrows nothing. */

import { FULL_PERMISSION } from '../../server/base/principal/permission.ts';
import type { ConnectionCodeLimits } from '../../server/identity/oauth/connection-codes.ts';

export const WHOLE_LIMITS: ConnectionCodeLimits = {
  services: null,
  readOnly: false,
  permission: FULL_PERMISSION,
  grantSeconds: null,
};
