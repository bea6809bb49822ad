/** Who may sign in to the dashboard, and who is signed in. */

import { originOf } from '../../../base/http/request-origin.ts';
import { facts } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { OperatorProvider, OperatorRule } from '../../../base/principal/operator-rules.ts';
import { listOperators, type OperatorRole } from '../../../base/store/repositories/operators/operators.ts';
import { listOperatorSessions } from '../../../base/store/repositories/operators/sessions.ts';
import { ADMIN_PATH, type AdminPage, type OperatorAction, type OperatorRequest, type Outcome } from '../request.ts';
import { liveSessions } from '../sessions.ts';
import type { Question } from '../view/confirm.ts';
import { badge, buttonForm, counted, distance, moment, success, table, untrusted } from '../view/parts.ts';
import { BOOTSTRAP_OPERATOR, endSessions } from './manage.ts';

const PATH = `${ADMIN_PATH}/operators`;
const MAX_LISTED = 500;

/** Names of roles on pages. */
export const ROLE_NAMES: Readonly<Record<OperatorRole, string>> = { look: 'may look', act: 'may act' };

export async function showOperators(request: OperatorRequest): Promise<AdminPage> {
  const { deps, query, now } = request;
  const operators = await listOperators(deps.db, MAX_LISTED);
  const content = html`<h1>Operators</h1>
${query('done') === 'ended' ? success('Done', html`<p>The session has ended.</p>`) : null}
<p>People who may sign in here. An operator who may look sees every page; one who may act can also change things.</p>
${table(
  'Operators with a secret',
  [{ name: 'Name' }, { name: 'Role' }, { name: 'Added' }],
  operators.map(({ name, role, createdAt }) => [name, roleBadge(role), moment(createdAt)]),
  'No operator has a secret of their own yet.',
)}
<p class="quiet">They are managed on the command line: <code>utg operator --help</code>.</p>
${deps.secret === null ? null : html`<p class="quiet">Anyone who has the setting <code>ADMIN_SECRET</code> signs in as <code>${BOOTSTRAP_OPERATOR}</code>, and may act.</p>`}
${deps.openId === null ? null : providerPart(deps.openId)}
<h2>Sessions</h2>
${await sessionsPart(request, now)}`;
  return { title: 'Operators', section: '/operators', content };
}

/** What ending a session means. */
export async function askToEndSession({ deps, params, session, now }: OperatorAction): Promise<Question | null> {
  const sessions = await listOperatorSessions(deps.db, liveSessions(deps, now), MAX_LISTED);
  const found = sessions.find(({ id }) => id === params.session);
  if (found === undefined) return null;
  const own = found.id === session.id ? ' It is this one: you are signed out.' : '';
  return {
    title: 'End this session?',
    section: '/operators',
    losses: [
      html`The session of ${untrusted(found.name)} from ${found.address}, started ${moment(found.createdAt)}.${own}`,
    ],
    button: 'End session',
    back: PATH,
  };
}

/** What ending all other sessions means. */
export async function askToEndOtherSessions({ deps, session, now }: OperatorAction): Promise<Question> {
  const sessions = await listOperatorSessions(deps.db, liveSessions(deps, now), MAX_LISTED);
  const others = sessions.filter(({ id }) => id !== session.id);
  return {
    title: 'End all other sessions?',
    section: '/operators',
    losses: [
      `${counted(others.length, 'session')} of ${counted(new Set(others.map(({ name }) => name)).size, 'operator')}, who must sign in again.`,
    ],
    button: 'End all other sessions',
    back: PATH,
  };
}

/** Ends one session; for the operator's own, the same as signing out. */
export async function endSession(action: OperatorAction): Promise<Outcome> {
  return end(action, { id: action.params.session ?? '' });
}

/** Ends every session but the one that the form came from. */
export async function endOtherSessions(action: OperatorAction): Promise<Outcome> {
  return end(action, { notId: action.session.id });
}

async function end({ deps, ctx, now }: OperatorAction, which: Parameters<typeof endSessions>[1]): Promise<Outcome> {
  const event = { now, ...originOf(ctx) };
  await deps.db.transaction().execute((transaction) => endSessions(transaction, which, event));
  return { redirect: `${PATH}?done=ended` };
}

async function sessionsPart({ deps, csrf, session, mayAct }: OperatorRequest, now: number): Promise<Html> {
  const sessions = await listOperatorSessions(deps.db, liveSessions(deps, now), MAX_LISTED);
  const columns = ['Operator', 'Role', 'Signed in', 'Last request', 'From', ...(mayAct ? [''] : [])];
  return html`${table(
    'Sessions',
    columns.map((name) => ({ name })),
    sessions.map(({ id, name, role, createdAt, usedAt, address }) => [
      html`${untrusted(name)}${id === session.id ? html` ${badge('this one', 'good')}` : null}`,
      roleBadge(role),
      moment(createdAt),
      distance(usedAt, now),
      address,
      ...(mayAct ? [buttonForm(`${PATH}/sessions/${id}/end`, csrf, 'End', 'danger')] : []),
    ]),
  )}
${sessions.length > 1 ? buttonForm(`${PATH}/sessions/end-others`, csrf, 'End all other sessions', 'danger') : null}
<p class="quiet">A session expires after ${Math.round(deps.idleSeconds / 60)} minutes without a request, and after ${Math.round(deps.sessionSeconds / 3600)} hours in any case.</p>`;
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

function roleBadge(role: OperatorRole): Html {
  return badge(ROLE_NAMES[role], role === 'act' ? 'warn' : 'quiet');
}
