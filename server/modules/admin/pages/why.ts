/** The page that explains why a client of one user lacks a tool: the single reason, and the way to solve it. */

import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { untrusted, userLink } from '../../../base/dashboard/parts.ts';
import { badge } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { listUserTokens } from '../../../base/store/repositories/access-tokens.ts';
import { findPartner } from '../../../base/store/repositories/partners.ts';
import type { User } from '../../../base/store/repositories/users.ts';
import type { AccessExplanation } from '../../../call/tools/why.ts';
import type { AdminPage } from '../context.ts';
import { findShownUser } from './user.ts';
import { whyForm } from './user-content.ts';

const MAX_TOKENS = 500;

export const WHY: AdminPage<User> = {
  path: '/users/:id/why',
  section: '/users',
  find: findShownUser,
  async show({ deps, query }, user) {
    const tool = query('tool');
    const client = query('client');
    const answers = tool === null ? [] : await deps.findWhy(user, { tool, client });
    const tokens = await listUserTokens(deps.db, user.id, MAX_TOKENS);
    const { id: userId, externalUserId } = user;
    const testOf = (await findPartner(deps.db, user.partnerId))?.testOf ?? null;
    const content = html`<h1>Why does a client lack a tool?</h1>
<p>Of the user ${userLink({ userId, externalUserId, testOf })}. The checks are those of a call, in the same order; the first that refuses is the reason.</p>
${whyForm(`${ADMIN_PATH}/users/${userId}`, tokens, { tool, client })}
${answers.map(answerCard)}`;
    return { title: 'Why does a client lack a tool?', content };
  },
};

function answerCard({ client, reason, text, fix }: AccessExplanation): Html {
  const has = reason === 'ok' || reason === 'pinned';
  const fixIntroduction = has ? '' : 'To fix it: ';
  return html`<div class="card"><h2>${untrusted(client)}</h2>
<p>${badge(reason, has ? 'good' : 'bad')} ${text}</p>
${fix === '' ? null : html`<p>${fixIntroduction}${fix}</p>`}</div>`;
}
