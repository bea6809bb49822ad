/** One OAuth client: who it is, what it uses, and the action that cuts it off. */

import { cardForm } from '../../../base/dashboard/forms.ts';
import { list } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH, noSuchPage } from '../../../base/dashboard/pages.ts';
import {
  clientAddress,
  counted,
  figure,
  moment,
  partnerLink,
  untrustedClient,
  userLink,
} from '../../../base/dashboard/parts.ts';
import { badge, type Fact, facts } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { PageCursor } from '../../../base/store/list-page.ts';
import type { CallSpan } from '../../../base/store/reports/call-statistics.ts';
import { deleteClient, findClientUse } from '../../../base/store/reports/client-list.ts';
import { countAccess, listAccess } from '../../../base/store/repositories/live-access.ts';
import { findClient, type OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { revokeGrantsOf } from '../../../base/store/repositories/oauth-grants.ts';
import { revokeAccess } from '../../../identity/grants/allowed/revoke.ts';
import type { AdminActionOn, AdminPage, AdminRequest } from '../context.ts';
import { ADMIN_EVENTS } from '../events.ts';
import { ACCESS_COLUMNS, callsAddress, codeList, trailLink } from './links.ts';

const DAY_MS = 86_400_000;

/** Revokes all grants of the client, and keeps its registration. */
const CUT_OFF: AdminActionOn<OAuthClient> = {
  path: '/cut-off',
  async ask(request, client) {
    const loss = await accessLoss(request, client);
    return {
      title: 'Cut this client off?',
      losses: [loss, 'It stays registered: users can allow it again. Remove the client to take that away, too.'],
      button: 'Cut off now',
    };
  },
  async run({ deps, event }, { clientId }) {
    await revokeAccess(deps.db, { clientId }, { by: 'operator', ...event });
    return 'cut-off';
  },
  done: { 'cut-off': 'The client is cut off: all its grants and tokens are revoked.' },
};

const REMOVE: AdminActionOn<OAuthClient> = {
  path: '/remove',
  async ask(request, client) {
    const { clientId, clientName } = client;
    return {
      title: 'Remove this client?',
      losses: [
        html`The client ${untrustedClient(clientName)} with the client_id <code>${clientId}</code>.`,
        await accessLoss(request, client),
        'It can register again; users must then allow it again.',
      ],
      button: 'Remove client',
    };
  },
  async run({ commit, event }, { clientId }) {
    const { now } = event;
    await commit(async (transaction) => {
      const grants = { column: 'client_id', value: clientId } as const;
      await revokeGrantsOf(transaction, grants, { reason: 'revoked-by-operator', now });
      if (!(await deleteClient(transaction, clientId))) return;
      await ADMIN_EVENTS.emit(transaction, { type: 'client_removed', clientId, ...event });
    });
    return { redirect: `${ADMIN_PATH}/clients?done=removed` };
  },
};

async function accessLoss({ deps, now }: AdminRequest, { clientId }: OAuthClient): Promise<Html> {
  const { grants } = await countAccess(deps.db, { clientId }, now);
  return html`<a href="${clientAddress(clientId)}#grants">${counted(grants, 'live grant')}</a> with all tokens. Its next request gets 401.`;
}

export const CLIENT: AdminPage<OAuthClient> = {
  path: '/clients/:id',
  section: '/clients',
  async find({ deps, params }) {
    const clientId = params.id ?? '';
    const client = await findClient(deps.db, clientId);
    if (client !== undefined) return client;
    const events = deps.trail === null ? null : html` ${trailLink(deps, { client: clientId }, 'What it did')}.`;
    const advice = html`Choose one in the <a href="${ADMIN_PATH}/clients">list of clients</a>.${events}`;
    throw noSuchPage('client', 'It was removed, or never registered.', advice);
  },
  async show(request, client, notice) {
    const { deps, now, mayAct } = request;
    const { clientId, clientName } = client;
    const selection = { clientId };
    const { grants } = await countAccess(deps.db, selection, now);
    const path = clientAddress(clientId);
    const content = html`<h1>${untrustedClient(clientName, clientId)}</h1>
${notice}
${facts(await clientFacts(request, client))}
${mayAct ? html`<h2>Cut off</h2>` : null}
${cardForm(request, `${path}/cut-off`, {
  content: html`<p>Revokes ${grants === 1 ? 'its live grant' : `its ${figure(grants)} live grants`} with all tokens: its next request gets 401. It stays registered, and users can allow it again.</p>`,
  button: 'Cut off now',
  kind: 'danger',
})}
<h2 id="grants">Grants</h2>
${await list(
  request,
  (place: PageCursor, limit: number) => listAccess(deps.db, 'grants', { selection, now, limit, ...place }),
  {
    caption: 'Grants',
    path,
    anchor: 'grants',
    keyOf: ({ id }) => id,
    columns: {
      User: ['long', userLink],
      Partner: partnerLink,
      ...ACCESS_COLUMNS,
      Since: ({ createdAt }) => moment(createdAt),
      'Expires if unused': ({ expiresAt }) => moment(expiresAt),
    },
    empty: 'No user allows this client now.',
  },
)}
${mayAct ? html`<h2>Remove</h2>` : null}
${cardForm(request, `${path}/remove`, {
  content: html`<p>Removes the registration with its grants and tokens. The client can register again; users must then allow it again.</p>`,
  button: 'Remove client',
  kind: 'danger',
})}`;
    return { title: clientName ?? clientId, content };
  },
  actions: [CUT_OFF, REMOVE],
};

async function clientFacts({ deps, now }: AdminRequest, client: OAuthClient): Promise<readonly Fact[]> {
  const { clientId, redirectUris, scopes, authenticationMethod } = client;
  const today: CallSpan = { since: now - (now % DAY_MS), until: now - (now % DAY_MS) + DAY_MS };
  const use = await findClientUse(deps.db, clientId, today.since);
  const countOf = (calls: number, outcome?: 'failed' | 'waiting') => {
    const text = `${figure(calls)}${use.isCut ? '+' : ''}${outcome === undefined ? '' : ` ${outcome}`}`;
    return html`<a href="${callsAddress({ client: clientId, span: today, ...(outcome && { outcome }) })}">${text}</a>`;
  };
  const list: Fact[] = [
    { term: 'client_id', value: html`<code>${clientId}</code>` },
    { term: 'Registered', value: registration(client) },
    {
      term: 'Last used',
      value: use.lastUsedAt === null ? badge(client.wasAllowed ? 'not on record' : 'not yet') : moment(use.lastUsedAt),
    },
    {
      term: 'Calls today (UTC)',
      value: html`${countOf(use.calls)}, ${countOf(use.failed, 'failed')}, ${countOf(use.waiting, 'waiting')}`,
    },
    { term: 'Redirect URIs', value: codeList(redirectUris) },
    {
      term: 'Authentication',
      value: client.confidential ? html`<code>${authenticationMethod}</code>` : 'none: a public client',
    },
    { term: 'May ask for', value: scopes ?? 'every scope' },
  ];
  if (deps.trail !== null) {
    list.push({ term: 'Audit trail', value: trailLink(deps, { client: clientId }, 'What it did') });
  }
  return list;
}

/** Says who registered the client, when and how. */
function registration({ clientId, createdAt, document, registeredFrom }: OAuthClient): Html {
  if (document !== null) {
    return html`${moment(createdAt)}, by the metadata document at its client_id, <code>${URL.parse(clientId)?.host ?? clientId}</code>, last read ${moment(document.fetchedAt)}`;
  }
  const from = registeredFrom === null ? null : html`, from the network <code>${registeredFrom}</code>`;
  return html`${moment(createdAt)}, by itself (dynamic registration)${from}`;
}
