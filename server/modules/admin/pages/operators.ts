/** The page of the people who may sign in to the dashboard, and of their sessions. */

import { dangerButton } from '../../../base/dashboard/forms.ts';
import type { OperatorRole } from '../../../base/dashboard/pages.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { counted, distance, moment, table, untrusted } from '../../../base/dashboard/parts.ts';
import { badge, facts } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { AdminPage, AdminRequest } from '../context.ts';
import type { OperatorProvider, OperatorRule } from '../operator-rules.ts';
import { BOOTSTRAP_OPERATOR, endSessions } from '../operators.ts';
import { listOperatorSessions, listOperators, SESSION_SECONDS } from '../stored-operators.ts';

const PATH = `${ADMIN_PATH}/operators`;
const MAX_LISTED = 500;

const ROLE_NAMES: Readonly<Record<OperatorRole, string>> = { look: 'may look', act: 'may act' };

export const OPERATORS: AdminPage = {
  path: '/operators',
  async show(request, _, notice) {
    const { deps } = request;
    const content = html`<h1>Operators</h1>
${notice}
<p>People who may sign in here. An operator who may look sees every page; one who may act can also change things.</p>
${table(await listOperators(deps.db, MAX_LISTED), {
  caption: 'Operators with a secret',
  columns: {
    Name: ({ name }) => name,
    Role: ['state', roleBadge],
    Added: ({ createdAt }) => moment(createdAt),
  },
  empty: 'No operator has a secret of their own yet',
  next: html`Add one: <code>utg operator add &lt;name&gt;</code>`,
})}
<p class="quiet">They are managed on the command line: <code>utg operator --help</code>.</p>
${deps.secret === null ? null : html`<p class="quiet">Anyone who has the setting <code>ADMIN_SECRET</code> signs in as <code>${BOOTSTRAP_OPERATOR}</code>, and may act.</p>`}
${deps.openId === null ? null : providerPart(deps.openId)}
<h2>Sessions</h2>
${await sessionsPart(request)}`;
    return { title: 'Operators', content };
  },
  actions: [
    {
      // Ending the operator's own session is the same as signing out.
      path: '/sessions/:session/end',
      async ask(action) {
        const session = (await sessionsOf(action)).find(({ id }) => id === action.params.session);
        if (session === undefined) return null;
        const ownSessionNote = session.id === action.session.id ? ' It is this one: you are signed out.' : '';
        return {
          title: 'End this session?',
          losses: [
            html`The session of ${untrusted(session.name)} from ${session.address}, started ${moment(session.createdAt)}.${ownSessionNote}`,
          ],
          button: 'End session',
        };
      },
      async run({ params, commit, event }) {
        await commit((transaction) => endSessions(transaction, { id: params.session ?? '' }, event));
        return 'ended';
      },
      done: { ended: 'The session has ended.' },
    },
    {
      path: '/sessions/end-others',
      async ask(action) {
        const otherSessions = (await sessionsOf(action)).filter(({ id }) => id !== action.session.id);
        const operators = new Set(otherSessions.map(({ name }) => name)).size;
        return {
          title: 'End all other sessions?',
          losses: [
            `${counted(otherSessions.length, 'session')} of ${counted(operators, 'operator')}, who must sign in again.`,
          ],
          button: 'End all other sessions',
        };
      },
      async run({ session, commit, event }) {
        await commit((transaction) => endSessions(transaction, { notId: session.id }, event));
        return 'ended';
      },
    },
  ],
};

function sessionsOf({ deps, now }: AdminRequest) {
  return listOperatorSessions(deps.db, now, MAX_LISTED);
}

async function sessionsPart(request: AdminRequest): Promise<Html> {
  const { deps, session, mayAct, now } = request;
  const sessions = await sessionsOf(request);
  const currentBadge = html` ${badge('this one', 'good')}`;
  return html`${table(sessions, {
    caption: 'Sessions',
    columns: {
      Operator: ({ id, name }) => html`${untrusted(name)}${id === session.id ? currentBadge : null}`,
      Role: ['state', roleBadge],
      'Signed in': ({ createdAt }) => moment(createdAt),
      'Last request': ({ usedAt }) => distance(usedAt, now),
      From: ({ address }) => address,
    },
    buttons: mayAct ? [({ id }) => dangerButton(request, `${PATH}/sessions/${id}/end`, 'End')] : [],
  })}
<p class="quiet">A session expires after ${Math.round(deps.idleSeconds / 60)} minutes without a request, and after ${SESSION_SECONDS / 3600} hours in any case.</p>
${sessions.length > 1 ? dangerButton(request, `${PATH}/sessions/end-others`, 'End all other sessions') : null}`;
}

function providerPart({ issuer, rules }: OperatorProvider): Html {
  const factOf = (role: OperatorRole) => ({
    term: `Who ${ROLE_NAMES[role]}`,
    value: rules[role].length === 0 ? 'nobody' : rules[role].map(toText).join(', '),
  });
  return html`<h2>Through your company</h2>
<p>Others sign in at <code>${issuer}</code>, which gives them their role:</p>
${facts([factOf('act'), factOf('look')])}`;
}

function toText(rule: OperatorRule): string {
  if (rule.kind === 'claim') return `${rule.claim}=${rule.value}`;
  return rule.kind === 'domain' ? `@${rule.value}` : rule.value;
}

function roleBadge({ role }: { readonly role: OperatorRole }): Html {
  return badge(ROLE_NAMES[role], role === 'act' ? 'warn' : 'quiet');
}
