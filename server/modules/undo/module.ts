/** Undo: keeps for a day what takes calls back, as connector.yaml says it. */

import { createKeptValues, type KeptRow, keptTable } from '../../base/kept-values.ts';
import { ON_OFF, settingIn } from '../../config/setting.ts';
import { defineModule } from '../../module.ts';
import type { KeptUndo } from './plan.ts';

declare module '../../base/store/schema.ts' {
  interface Database {
    kept_undos: KeptRow;
  }
}

const DAY_MS = 86_400_000;
/** Of one user. The oldest make room. */
const MAX_KEPT = 50;

export const undo = defineModule({
  name: 'undo',
  summary: 'Lets users and their clients take calls back for a day, where the connector says how.',
  settings: {
    isOn: settingIn('Tools and results')({
      variable: 'UNDO',
      read: ON_OFF,
      default: false,
      meaning:
        'Whether calls can be undone for a day, on the page of the user and with the tool `undo_call`, where `undo` in connector.yaml says how. It costs one more request for each such call that changes or deletes, and keeps the old values, sealed.',
      example: 'on',
    }),
  },
  ...keptTable('undo', 'kept_undos', 'a call can be undone for a day', DAY_MS),
  async open({ store, keys, now, catalogue, tools, callerOf, log, config }, { isOn }) {
    if (!isOn) return {};
    const { createUndo } = await import('./undo.ts');
    const kept = createKeptValues<KeptUndo>({
      ...{ db: store.db, keys, now, rules: config.withhold },
      ...{ table: 'kept_undos', prefix: 'undo_', most: MAX_KEPT, keepMs: DAY_MS },
    });
    const onError = (error: unknown) => log.error({ err: error }, 'what takes a call back could not be kept');
    return createUndo({ kept, catalogue, tools, callerOf, onError });
  },
});
