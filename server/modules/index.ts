/** The modules that ship with the gateway, in the order in which they are opened. */

import type { AnyModule } from '../module.ts';
import { admin } from './admin/module.ts';
import { audit } from './audit/module.ts';
import { branding } from './branding/module.ts';
import { deprecatedCalls } from './deprecated-calls/module.ts';
import { drift } from './drift/module.ts';
import { identityAssertions } from './identity-assertions/module.ts';
import { idleRenewal } from './idle-renewal/module.ts';
import { landing } from './landing/module.ts';
import { me } from './me/module.ts';
import { telemetry } from './telemetry/module.ts';
import { usage } from './usage/module.ts';
import { webhooks } from './webhooks/module.ts';

export const MODULES: readonly AnyModule[] = [
  telemetry,
  landing,
  branding,
  me,
  admin,
  webhooks,
  audit,
  identityAssertions,
  usage,
  drift,
  deprecatedCalls,
  idleRenewal,
];
