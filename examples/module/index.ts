/** The modules of a project. As `modules/index.ts` of a project, the gateway and `utg` load it after their own modules. */

import type { AnyModule } from 'unified-tool-gateway/module';
import { businessHours } from './business-hours.ts';

export const MODULES: readonly AnyModule[] = [businessHours];
