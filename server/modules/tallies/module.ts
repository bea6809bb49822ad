/** Tallies: daily counts of how tools are called, of answers that differ from their descriptors, and of calls by old names. */

import type { EndedCall } from '../../call/tools/call/dependencies.ts';
import { ON_OFF, setting } from '../../config/setting.ts';
import { defineModule } from '../../module.ts';
import { createTallyCounter } from './counter.ts';
import { tallyParts } from './dashboard.ts';
import { createOldNameReporter, EVENTS, toOldNameCalls } from './old-names.ts';
import { addTallies, TALLY_TABLES } from './table.ts';

const DAY_MS = 86_400_000;

export const tallies = defineModule({
  name: 'tallies',
  summary:
    'Counts how tools are called, where answers differ from their descriptors, and who calls a tool by an old name, of which it tells partners.',
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
        summary: 'how tools are called, and where answers differ',
        load: async (modules) => (await import('./command.ts')).createUsageCommand(modules),
      },
    },
  },
  events: {
    texts: EVENTS.texts,
    toPartners: {
      'tool.deprecated_called': {
        when: 'A tool was called by an old name: once a day for a connection and a name.',
        ofConnection: true,
        own: {
          called_as: { meaning: 'the old name', example: 'crm_person' },
          tool: { meaning: 'the name to call', example: 'crm_get_person' },
          until: { meaning: 'the day on which the old name ends; null: not decided', example: '2027-03-01' },
        },
      },
    },
  },
  storage: {
    tables: TALLY_TABLES,
    retention: () => [
      {
        table: 'tallies',
        key: 'id',
        column: 'day',
        keepMs: 40 * DAY_MS,
        why: 'a report asks about 30 days; the counts name no user and no partner',
      },
    ],
  },
  provide({ store, connectors, now, log }, { countUsage }) {
    const counter = createTallyCounter({
      write: (rows) => addTallies(store.db, rows),
      now,
      countsUsage: countUsage,
      onProblem: ({ lost, error }) =>
        log.warn({ err: error, lost }, 'counts of calls and answers could not be written'),
    });
    const additions = { onDrift: counter.countDrift, counter };
    const hasOldNames = connectors.some(({ tools }) => tools.some(({ aliases }) => aliases !== undefined));
    // Without a listener, calls that have ended are not collected.
    if (!countUsage && !hasOldNames) return additions;
    const reportOldNames = createOldNameReporter({
      db: store.db,
      now,
      onError: (error) => log.error({ err: error }, 'an event for a partner could not be written'),
    });
    return {
      ...additions,
      onCallsEnded: (calls: readonly EndedCall[]) => {
        counter.countCalls(calls);
        return reportOldNames(toOldNameCalls(calls));
      },
    };
  },
  open: ({ store }, _settings, { counter }) => ({ dashboard: tallyParts(store), close: () => counter.stop() }),
});
