/** One call: everything that is recorded of it. Its arguments and answer are not. */

import { facts } from '../../../base/pages/components.ts';
import { html } from '../../../base/pages/html.ts';
import { PageError } from '../../../base/pages/page-errors.ts';
import { findCall } from '../../../base/store/reports/call-search.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from '../request.ts';
import { address } from '../view/pager.ts';
import { counted, figure, moment, untrusted } from '../view/parts.ts';
import { clientLink, outcomeBadge, userLink } from './calls.ts';
import { CALLS_PATH, callsAddress } from './search.ts';

/** Stands for the token id in calls from the dashboard. */
export const DASHBOARD_TOKEN_ID = 'dashboard';

export async function showCall({ deps, params }: OperatorRequest): Promise<AdminPage> {
  const call = await findCall(deps.db, params.id ?? '');
  if (call === undefined) {
    throw new PageError(404, {
      title: 'No such call',
      text: 'No call has this address. Records are kept for CALL_RECORD_RETENTION_DAYS.',
      advice: 'Search for it in the list of calls.',
    });
  }
  const { userId, externalUserId, tool, service, createdAt, requestId, tokenId } = call;
  const timeline = address(`${ADMIN_PATH}/users/${userId}`, { before: String(createdAt + 1) });
  const code = (text: string | null, otherwise: string) => (text === null ? otherwise : html`<code>${text}</code>`);
  const content = html`<h1>Call of <code>${tool}</code></h1>
<p>Arguments and answers are not kept.</p>
${facts([
  { term: 'When', value: moment(createdAt) },
  {
    term: 'User',
    value: html`${userLink(call)}${externalUserId === null ? null : html`, <a href="${timeline}#timeline">the timeline at that moment</a>`}, <a href="${callsAddress({ user: userId })}">all calls</a>`,
  },
  {
    term: 'Partner',
    value:
      call.partnerName === null
        ? 'removed'
        : html`<a href="${ADMIN_PATH}/partners/${call.partnerId}">${untrusted(call.partnerName)}</a>`,
  },
  {
    term: 'Client',
    value: tokenId === DASHBOARD_TOKEN_ID ? 'none: an operator ran the tool in the dashboard' : clientLink(call),
  },
  {
    term: 'Tool',
    value: html`<a href="${ADMIN_PATH}/tools/${encodeURIComponent(tool)}"><code>${tool}</code></a>, <a href="${callsAddress({ tool })}">all calls</a>`,
  },
  { term: 'Service', value: deps.catalogue.findConnector(service)?.title ?? service },
  { term: 'Outcome', value: outcomeBadge(call) },
  {
    term: 'Upstream status',
    value: call.upstreamStatus === null ? 'none: no answer' : String(call.upstreamStatus),
  },
  { term: 'Upstream code', value: code(call.upstreamCode, 'none') },
  { term: 'Duration', value: `${figure(call.durationMs)} ms` },
  { term: 'Arguments', value: counted(call.requestBytes, 'byte') },
  { term: 'Result', value: counted(call.responseBytes, 'byte') },
  {
    term: 'Request id',
    value: html`<code>${requestId}</code>: <a href="${callsAddress({ request: requestId })}">calls</a> and <a href="${address(`${ADMIN_PATH}/audit`, { q: requestId })}">events</a> of the request`,
  },
  { term: 'Grant', value: code(call.grantId, 'none') },
  { term: 'Tool definition', value: code(call.definition, 'not known') },
])}`;
  return { title: `Call of ${tool}`, section: CALLS_PATH, content };
}
