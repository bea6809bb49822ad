/** Usage: which published arguments and classes of values calls have. */

import { ON_OFF, setting } from '../../config/setting.ts';
import { defineModule } from '../../module.ts';
import { createUsageCounter } from './counter.ts';
import { addUsage, USAGE_TABLES } from './tallies.ts';

const DAY_MS = 86_400_000;

export const usage = defineModule({
  name: 'usage',
  summary: 'Counts which arguments the calls of each tool have, so that a review knows what a change would break.',
  settings: {
    countUsage: setting({
      variable: 'COUNT_USAGE',
      group: 'Records and logs',
      read: ON_OFF,
      default: false,
      meaning:
        'Whether the gateway counts which published arguments and classes of values the calls of each tool have, for utg usage. Never values.',
      example: 'on',
    }),
  },
  commands: {
    'Create tools': {
      usage: {
        summary: 'export how tools are called',
        load: async (modules) => (await import('./command.ts')).createUsageCommand(modules),
      },
    },
  },
  tables: USAGE_TABLES,
  retention: () => [
    {
      table: 'usage_tallies',
      key: 'key',
      column: 'created_at',
      keepMs: 40 * DAY_MS,
      why: 'a report asks about 30 days; the sums name no user and no partner',
    },
  ],
  open({ store, log }, { countUsage }) {
    if (!countUsage) return {};
    const counter = createUsageCounter({
      write: (rows) => addUsage(store.db, rows),
      onProblem: ({ lost, error }) => log.warn({ err: error, lost }, 'counts of usage could not be written'),
    });
    return { onCallsEnded: counter.count, close: () => counter.stop() };
  },
});
