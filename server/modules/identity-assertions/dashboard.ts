/** A partner's identity issuers on its page in the dashboard, where an operator approves them. */

import { buttonForm, dangerButton } from '../../base/dashboard/forms.ts';
import { ADMIN_PATH, type DashboardParts, noSuchPage, type OperatorAction } from '../../base/dashboard/pages.ts';
import { moment, table, untrusted } from '../../base/dashboard/parts.ts';
import { badge } from '../../base/pages/components.ts';
import { html } from '../../base/pages/html.ts';
import type { Partner } from '../../base/store/repositories/partners.ts';
import type { Executor } from '../../base/store/schema.ts';
import { approveIssuer, removeIssuer } from './issuers.ts';
import { listIssuers } from './stored-issuers.ts';

const anchor = 'issuers';

/** @param db the store's. */
export function issuerParts(db: Executor): DashboardParts {
  return {
    partner: {
      async section(request, { id }) {
        const issuers = await listIssuers(db, id);
        if (issuers.length === 0) return null;
        const pathOf = (issuer: string) => `${ADMIN_PATH}/partners/${id}/issuers/${issuer}`;
        return html`<h2 id="${anchor}">Identity providers</h2>
${table(issuers, {
  caption: 'Identity providers',
  columns: {
    Issuer: ['long', ({ issuer, tenant }) => html`<code>${untrusted(issuer)}</code> ${untrusted(tenant, '')}`],
    Keys: ['long', ({ jwksUri }) => (jwksUri === null ? 'registered' : html`<code>${untrusted(jwksUri)}</code>`)],
    State: [
      'state',
      ({ approvedAt }) => (approvedAt === null ? badge('waits for approval', 'warn') : badge('approved', 'good')),
    ],
    'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : moment(lastUsedAt)),
  },
  buttons: [
    ({ id, approvedAt }) =>
      approvedAt === null ? buttonForm(request, `${pathOf(id)}/approve`, { label: 'Approve' }) : null,
    ({ id }) => dangerButton(request, `${pathOf(id)}/remove`, 'Remove'),
  ],
  empty: '',
})}`;
      },
      actions: [
        {
          path: '/issuers/:issuer/approve',
          anchor,
          ask: async (_, { name }) => ({
            title: 'Approve this identity provider?',
            losses: [
              html`It signs users of ${untrusted(name)} in, without a code, and is refused to every other partner. Check that it belongs to the partner or to a customer of it.`,
            ],
            button: 'Approve',
          }),
          run: (action, partner) => change(action, partner, approveIssuer, 'issuer-approved'),
          done: { 'issuer-approved': "The identity provider vouches for the partner's users from now on." },
        },
        {
          path: '/issuers/:issuer/remove',
          anchor,
          ask: async () => ({
            title: 'Remove this identity provider?',
            losses: ['What it vouched for is revoked at once. It can then be approved for another partner.'],
            button: 'Remove',
          }),
          run: (action, partner) => change(action, partner, removeIssuer, 'issuer-removed'),
          done: { 'issuer-removed': 'The identity provider is removed, and what it vouched for is revoked.' },
        },
      ],
    },
  };
}

/** Changes the issuer that the address names. @returns `done`. */
async function change(
  { params, event, commit }: OperatorAction,
  { id: partnerId }: Partner,
  work: typeof approveIssuer,
  done: string,
): Promise<string> {
  const key = { id: params.issuer ?? '', partnerId };
  if (await commit((transaction) => work(transaction, key, event))) return done;
  throw noSuchPage(
    'identity provider',
    'It was removed or approved meanwhile, or is approved for another partner.',
    "Go back to the partner's page.",
  );
}
