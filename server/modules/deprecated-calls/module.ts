/** Tells partners about calls of tools by old names. */

import { defineModule } from '../../module.ts';
import { createDeprecatedCallReporter, EVENTS } from './reporter.ts';

export const deprecatedCalls = defineModule({
  name: 'deprecated-calls',
  summary: 'Tells partners once a day which of their connections call a tool by an old name.',
  events: EVENTS.texts,
  partnerEvents: {
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
  open({ store, now, log, catalogue }) {
    // A call asks every module that listens to calls: this one has nothing to hear where no tool was renamed.
    if (![...catalogue.entries()].some(({ tool }) => tool.aliases !== undefined)) return {};
    const report = createDeprecatedCallReporter({
      db: store.db,
      now,
      onError: (error) => log.error({ err: error }, 'an event for a partner could not be written'),
    });
    return {
      onCallsEnded: (calls) =>
        report(
          calls.flatMap(({ call: { entry, principal, connectionId } }) => {
            const { alias, connector, tool } = entry;
            if (alias === undefined || connectionId === undefined) return [];
            const { name: calledAs, until } = alias;
            return [
              { userId: principal.userId, connectionId, service: connector.name, calledAs, tool: tool.name, until },
            ];
          }),
        ),
    };
  },
});
