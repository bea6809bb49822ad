/** Tasks: calls that take long, or wait for their user, continue after their answer (`io.modelcontextprotocol/tasks`). */

import { createValueSealer } from '../../base/credentials/sealed-value.ts';
import { settingIn } from '../../config/setting.ts';
import { wholeNumber } from '../../config/values.ts';
import { defineModule } from '../../module.ts';
import { TASKS_TABLES } from './rows.ts';
import { Tasks } from './tasks.ts';

const KEEP_MS = 3_600_000;
/** Maximum of tasks of one user. Beyond it, a slow call is answered when it ends, as without tasks. */
const MAX_TASKS = 50;

export const tasks = defineModule({
  name: 'tasks',
  summary: 'Lets calls that take long, or wait for their user, go on as tasks of their clients.',
  settings: {
    afterMs: settingIn('Tools and results')({
      variable: 'TASK_AFTER_MS',
      read: wholeNumber(0, 600_000),
      default: 3_000,
      meaning:
        'How long a call may take before it goes on as a task, in milliseconds, for clients that declare tasks. 0: there are no tasks.',
    }),
  },
  storage: {
    tables: TASKS_TABLES,
    retention: () => [
      { table: 'tasks', key: 'id', column: 'expires_at', keepMs: 0, why: 'its client was told until when' },
    ],
  },
  open({ config, store, keys, now, tools, catalogue, log }, { afterMs }) {
    if (afterMs === 0) return {};
    const all = new Tasks({
      db: store.db,
      tools,
      catalogue,
      now,
      rules: config.withhold,
      afterMs,
      keepMs: KEEP_MS,
      most: MAX_TASKS,
      sealer: createValueSealer({ keys, purpose: 'task' }),
      onError: (error) => log.error({ err: error }, 'a task failed'),
    });
    return {
      mcp: all.addition,
      aroundCalls: (inner) => all.around(inner),
      metrics: [
        {
          name: 'gateway.tasks.created',
          description: 'Calls that went on as tasks.',
          kind: 'counter',
          read: () => all.counts.created,
        },
        {
          name: 'gateway.tasks.taken_up',
          description: 'Tasks that were taken up again.',
          kind: 'counter',
          read: () => all.counts.takenUp,
        },
      ],
      close: () => all.close(),
    };
  },
});
