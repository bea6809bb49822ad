/** The list of modules: those that ship with the gateway, and those of a project. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { findProject } from '../call/tools/catalogue/connectors.ts';
import type { AnyModule } from '../module.ts';
import { admin } from './admin/module.ts';
import { audit } from './audit/module.ts';
import { branding } from './branding/module.ts';
import { clientCredentials } from './client-credentials/module.ts';
import { code } from './code/module.ts';
import { doctor } from './doctor/module.ts';
import { feedback } from './feedback/module.ts';
import { files } from './files/module.ts';
import { identityAssertions } from './identity-assertions/module.ts';
import { idleRenewal } from './idle-renewal/module.ts';
import { landing } from './landing/module.ts';
import { me } from './me/module.ts';
import { events, webhooks } from './notify/module.ts';
import { serverCard } from './server-card/module.ts';
import { skills } from './skills/module.ts';
import { tallies } from './tallies/module.ts';
import { tasks } from './tasks/module.ts';
import { telemetry } from './telemetry/module.ts';
import { uploads } from './uploads/module.ts';
import { wellKnown } from './well-known/module.ts';

/** In the order in which they are opened. */
export const MODULES: readonly AnyModule[] = [
  telemetry,
  landing,
  branding,
  me,
  admin,
  webhooks,
  audit,
  identityAssertions,
  clientCredentials,
  tallies,
  idleRenewal,
  doctor,
  code,
  files,
  uploads,
  serverCard,
  wellKnown,
  tasks,
  skills,
  feedback,
  events,
];

/** Tables of modules that this version no longer has. Nothing reads them; `utg module erase` removes them. */
export const TABLES_OF_REMOVED_MODULES: readonly { readonly owner: string; readonly tables: readonly string[] }[] = [
  { owner: 'undo', tables: ['kept_undos'] },
  { owner: 'usage', tables: ['usage_tallies'] },
  { owner: 'drift', tables: ['drift_tallies'] },
];

/**
 * The modules of a gateway: those above, then those that `modules/index.ts` of the project exports as `MODULES`.
 *
 * @param root folder of the project. Default: see `findProject`.
 */
export function loadModules(root = findProject()): readonly AnyModule[] {
  const file = path.join(root, 'modules/index.ts');
  if (!existsSync(file)) return MODULES;
  const { MODULES: own } = createRequire(file)(file) as { readonly MODULES: readonly AnyModule[] };
  return [...MODULES, ...own];
}
