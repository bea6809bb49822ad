/** Feedback in the dashboard: how much there is about which tool, and the texts. */

import { buttonForm, dangerButton } from '../../base/dashboard/forms.ts';
import { address, list } from '../../base/dashboard/list.ts';
import {
  ADMIN_PATH,
  type DashboardParts,
  noSuchPage,
  type OperatorAction,
  type Page,
} from '../../base/dashboard/pages.ts';
import { figure, holderLink, moment, table, userLink } from '../../base/dashboard/parts.ts';
import { badge } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import type { PageCursor } from '../../base/store/list-page.ts';
import { hasRow } from '../../base/store/rows.ts';
import type { Executor } from '../../base/store/schema.ts';
import { countFeedback, type FeedbackCount, type ListedFeedback, listFeedback } from './table.ts';

const PATH = `${ADMIN_PATH}/feedback`;
const MAX_TOOLS = 100;

export function feedbackParts(db: Executor): DashboardParts {
  return { pages: [feedbackPage(db)] };
}

const feedbackPage = (db: Executor): Page => ({
  path: '/feedback',
  menu: 'Feedback',
  menuGroup: 'Activity',
  async show(request, _subject, notice) {
    const tool = new URLSearchParams(request.ctx.querystring).get('tool');
    const read = (cursor: PageCursor, limit: number) => listFeedback(db, { ...cursor, tool }, limit);
    const texts = await list(request, read, {
      caption: 'Feedback',
      path: PATH,
      parameters: { tool },
      keyOf: ({ id }) => id,
      columns: {
        Sent: ({ created_at: at }) => moment(at),
        Tool: [
          'state',
          ({ tool: name, read_at: readAt }) =>
            html`${toolName(name)}${readAt === null ? html` ${badge('new', 'warn')}` : null}`,
        ],
        Text: ['long', textOf],
        User: (row) => userLink({ userId: row.user_id, externalUserId: row.external_user_id, testOf: row.test_of }),
        Client: ({ client_id: clientId, client_name: clientName }) => holderLink({ clientId, clientName }),
      },
      buttons: [
        ({ id, read_at: readAt }) =>
          readAt === null && request.mayAct
            ? buttonForm(request, `${PATH}/${id}/read`, { label: 'Mark as read' })
            : null,
        ({ id }) => (request.mayAct ? dangerButton(request, `${PATH}/${id}/remove`, 'Remove') : null),
      ],
      empty: 'No agent has sent feedback',
      next: 'FEEDBACK=on gives agents the tool gateway_send_feedback.',
    });
    const content = html`<h1>Feedback</h1>
${notice}
<p>What agents say that they could not do. The texts are theirs: no one has verified them.</p>
${tool === null ? counts(await countFeedback(db, MAX_TOOLS)) : html`<p>About ${toolName(tool)}. <a href="${PATH}">All feedback</a></p>`}
${texts}`;
    return { title: 'Feedback', content };
  },
  actions: [
    {
      path: '/:id/read',
      run: (action) =>
        change(
          action,
          (transaction, id) =>
            hasRow(
              transaction.updateTable('feedback').set({ read_at: action.now }).where('id', '=', id).returning('id'),
            ),
          'read',
        ),
      done: { read: 'It is marked as read.' },
    },
    {
      path: '/:id/remove',
      run: (action) =>
        change(
          action,
          (transaction, id) => hasRow(transaction.deleteFrom('feedback').where('id', '=', id).returning('id')),
          'removed',
        ),
      done: { removed: 'The feedback is removed.' },
    },
  ],
});

function counts(rows: readonly FeedbackCount[]): Html | null {
  if (rows.length === 0) return null;
  return table(rows, {
    caption: 'Feedback by tool',
    columns: {
      Tool: ({ tool }) => html`<a href="${address(PATH, { tool: tool ?? '' })}">${toolName(tool)}</a>`,
      New: ['number', ({ unread }) => figure(unread)],
      All: ['number', ({ count }) => figure(count)],
      Last: ({ last }) => moment(last),
    },
  });
}

function toolName(tool: string | null): Html {
  return tool === null || tool === '' ? html`no tool` : html`<code>${tool}</code>`;
}

function textOf({ tried, missing }: ListedFeedback): Html {
  return html`<bdi>${missing}</bdi><br><small>Tried: <bdi>${tried}</bdi></small>`;
}

/** Changes the feedback that the address names. @returns `done`. */
async function change(
  { params, commit }: OperatorAction,
  work: (transaction: Executor, id: string) => Promise<boolean>,
  done: string,
): Promise<string> {
  if (await commit((transaction) => work(transaction, params.id ?? ''))) return done;
  throw noSuchPage('feedback', 'It was removed meanwhile.', 'Go back to the list.');
}
