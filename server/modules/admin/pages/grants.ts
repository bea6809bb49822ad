/** Grants and tokens that are valid now, by user, client, partner and service, and a form that revokes them together. */

import { cardForm } from '../../../base/dashboard/forms.ts';
import { address, list, parametersOf, searchForm, withoutNulls } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import {
  type Columns,
  counted,
  holderLink,
  moment,
  partnerLink,
  success,
  userLink,
} from '../../../base/dashboard/parts.ts';
import { badge, hiddenFields } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { PageCursor } from '../../../base/store/list-page.ts';
import { findNamedUser } from '../../../base/store/reports/user-search.ts';
import {
  type AccessCounts,
  type AccessSelection,
  countAccess,
  type ListedAccess,
  listAccess,
} from '../../../base/store/repositories/live-access.ts';
import { revokeAccess } from '../../../identity/grants/allowed/revoke.ts';
import type { AdminPage, AdminRequest } from '../context.ts';
import { ACCESS_COLUMNS, partnerChoices, REALM_FILTERS, realmField, serviceChoices, toRealm } from './links.ts';

const PATH = `${ADMIN_PATH}/grants`;

/** Names of the selection, as parameters of the query and fields of the form. Users and partners by row id. */
const CHOICES = ['user', 'partner', 'client', 'service', 'realm'] as const;
type Chosen = Readonly<Record<(typeof CHOICES)[number], string | null>>;

const CONSEQUENCES =
  'Clients lose their access at the next request, and users must allow them again. Connections and credentials stay.';

export const GRANTS: AdminPage = {
  path: '/grants',
  async show(request) {
    const { deps, now, query } = request;
    const { db } = deps;
    const chosen = parametersOf(query, CHOICES);
    const selection = toSelection(chosen);
    const counts = await countAccess(db, selection, now);
    const user = chosen.user === null ? undefined : await findNamedUser(db, chosen.user);
    const shared = {
      path: PATH,
      parameters: chosen,
      keyOf: ({ id }: ListedAccess) => id,
    };
    const read = (kind: ListedAccess['kind']) => (place: PageCursor, limit: number) =>
      listAccess(db, kind, { selection, now, limit, ...place });
    const content = html`<h1>Grants</h1>
<p>What users and partners allow now, and tokens minted for testing. Only connection codes that no one has used yet are counted.</p>
${revokedNotice(request)}
${searchForm(
  PATH,
  [
    { name: 'client', label: 'client_id of the client', value: chosen.client, maxLength: 2048 },
    {
      folded: true,
      name: 'partner',
      label: 'Partner',
      value: chosen.partner,
      options: await partnerChoices(deps, chosen.partner),
    },
    {
      folded: true,
      name: 'service',
      label: 'May use now',
      value: chosen.service,
      options: serviceChoices(deps, chosen.service, 'Any service'),
    },
    realmField(chosen.realm),
  ],
  { hiddenParameters: { user: chosen.user }, quickFilters: REALM_FILTERS, button: 'Show' },
)}
${user === undefined ? null : html`<p>Only of the user ${userLink({ ...user, userId: user.id })}. <a href="${PATH}">Show all users</a></p>`}
<p><strong>${inWords(counts)}</strong></p>
${await list(request, read('grants'), {
  ...shared,
  caption: 'Grants',
  columns: {
    ...COLUMNS,
    'Expires if unused': ({ expiresAt }) => moment(expiresAt),
    'At the latest': ['extra', ({ endsAt }) => (endsAt === null ? '–' : moment(endsAt))],
  },
  empty: 'No grant matches',
  next: 'A grant begins when a user allows a client on the consent page.',
})}
<h2 id="tokens">Minted tokens</h2>
${await list(request, read('tokens'), {
  ...shared,
  list: 'tokens-',
  anchor: 'tokens',
  caption: 'Minted tokens',
  columns: {
    ...COLUMNS,
    Expires: ({ expiresAt }) => moment(expiresAt),
  },
  empty: 'No minted token matches.',
})}
${counts.grants + counts.tokens + counts.codes === 0 ? null : revokeForm(request, chosen)}`;
    return { title: 'Grants', content };
  },
  actions: [
    {
      path: '/revoke',
      async ask({ deps, field, now }) {
        const chosen = parametersOf(field, CHOICES);
        const isWhole = isEverything(chosen);
        return {
          title: isWhole ? 'Revoke everything, of every partner?' : 'Revoke the selection?',
          losses: [
            html`<strong>${inWords(await countAccess(deps.db, toSelection(chosen), now))}</strong>`,
            CONSEQUENCES,
          ],
          button: isWhole ? 'Revoke everything' : 'Revoke these',
          back: address(PATH, chosen),
        };
      },
      async run({ deps, field, event }) {
        const chosen = parametersOf(field, CHOICES);
        const counts = await revokeAccess(deps.db, toSelection(chosen), { by: 'operator', ...event });
        const revoked = { grants: `${counts.grants}`, tokens: `${counts.tokens}`, codes: `${counts.codes}` };
        return { redirect: address(PATH, { ...chosen, done: 'revoked', ...revoked }) };
      },
    },
  ],
};

const COLUMNS: Columns<ListedAccess> = {
  User: ['long', userLink],
  Partner: partnerLink,
  'Held by': (access) => (access.kind === 'tokens' ? badge('minted for testing') : holderLink(access)),
  Services: ACCESS_COLUMNS.Services,
  Scopes: ACCESS_COLUMNS.Scopes,
  Since: ['extra', ({ createdAt }) => moment(createdAt)],
};

function revokedNotice({ query }: AdminRequest): Html | null {
  const counts = ['grants', 'tokens', 'codes'].map((kind) => Number(query(kind) ?? Number.NaN));
  const [grants = 0, tokens = 0, codes = 0] = counts;
  if (query('done') !== 'revoked' || !counts.every(Number.isSafeInteger)) return null;
  return success('Done', html`<p>Revoked: ${inWords({ grants, tokens, codes })}.</p>`);
}

function revokeForm(request: AdminRequest, chosen: Chosen): Html {
  const form = cardForm(request, `${PATH}/revoke`, {
    content: html`${hiddenFields(chosen)}<p>${CONSEQUENCES}</p>`,
    button: isEverything(chosen) ? 'Revoke everything' : 'Revoke these',
    kind: 'danger',
  });
  return html`<h2>Revoke</h2>
${form}`;
}

function isEverything(chosen: Chosen): boolean {
  return Object.keys(toSelection(chosen)).length === 0;
}

function toSelection({ user, partner, client, service, realm }: Chosen): AccessSelection {
  return withoutNulls({ userId: user, partnerId: partner, clientId: client, service, realm: toRealm(realm) });
}

function inWords({ grants, tokens, codes }: AccessCounts): string {
  return `${counted(grants, 'grant')}, ${counted(tokens, 'minted token')}, ${counted(codes, 'connection code')}`;
}
