/** Feedback: agents say what they could not do, and operators and partners read it. */

import { ON_OFF, setting } from '../../config/setting.ts';
import { defineModule } from '../../module.ts';
import { feedbackParts } from './dashboard.ts';
import { FEEDBACK_TABLES } from './table.ts';
import { createFeedbackTool, FEEDBACK_EVENTS, type FeedbackContext } from './tool.ts';

const DAY_MS = 86_400_000;

export const feedback = defineModule({
  name: 'feedback',
  summary: 'Gives agents a tool to say what they could not do, for operators and partners to read.',
  settings: {
    isOn: setting({
      variable: 'FEEDBACK',
      group: 'Tools and results',
      read: ON_OFF,
      default: false,
      meaning:
        'Whether agents have the tool gateway_send_feedback, which says what they could not do: at most 10 times an hour and user. The texts are kept for 90 days; see docs/guides/monitoring.md.',
      example: 'on',
    }),
  },
  events: {
    texts: FEEDBACK_EVENTS.texts,
    toPartners: {
      'feedback.received': {
        when: 'An agent of the user says what it could not do: `GET /api/partner/feedback` has its text.',
        ofConnection: false,
        own: {
          feedback_id: { meaning: 'id of the feedback', example: '019a3c5e-9a10-7b02-9c55-0e8d1b7f4c21' },
          tool: { meaning: 'the tool that it names; null: none', example: 'crm_find_person' },
          client_id: { meaning: '`client_id` of the OAuth client; null: your own tokens', example: 'client-7f3a' },
        },
      },
    },
  },
  operations: async () => (await import('./operations.ts')).FEEDBACK_OPERATIONS,
  storage: {
    tables: FEEDBACK_TABLES,
    retention: () => [
      {
        table: 'feedback',
        key: 'id',
        column: 'created_at',
        keepMs: 90 * DAY_MS,
        why: 'a missing tool is planned within a quarter; the texts may hold data of users',
      },
    ],
  },
  provide({ store: { db }, limits, now }, { isOn }) {
    const context: FeedbackContext = { db, limits, now, sendLog: null };
    return { codeTools: isOn ? [createFeedbackTool(context)] : [], context };
  },
  open: ({ store: { db }, callerLimits, now }, { isOn }, { context }) => ({
    dashboard: isOn ? feedbackParts(db) : {},
    onLogs(send) {
      context.sendLog = send;
    },
    async routes() {
      if (!isOn) return [];
      const [{ FEEDBACK_OPERATIONS }, { toRouter }] = await Promise.all([
        import('./operations.ts'),
        import('../../partners/operation.ts'),
      ]);
      return [toRouter(FEEDBACK_OPERATIONS, { db, callerLimits, now })];
    },
  }),
});
