/** Second step of the consent page: says what would be granted, and asks. */

import type { GatewayContext } from '../../http/state.ts';
import { choices, facts, foreign, hidden } from '../../pages/components.ts';
import { formTargetsOf } from '../../pages/form-targets.ts';
import { type Html, html } from '../../pages/html.ts';
import { type Page, sendPage } from '../../pages/page.ts';
import { toPlainText } from '../../pages/plain-text.ts';
import { PAGE_STATE_FIELD } from '../../pages/sealed-form.ts';
import type { OAuthClient } from '../../store/repositories/oauth-clients.ts';
import type { FoundConnectionCode } from '../connection-codes.ts';
import { AUTHORIZE_PATH } from '../paths.ts';
import { type ClientDescription, clientFacts, describeClient, loopbackCaution } from './client-description.ts';
import type { ConsentPageState } from './page-state.ts';
import type { ConsentDependencies } from './submission.ts';

/** What the page says and carries. */
interface ConsentPage {
  readonly client: ClientDescription;
  readonly redirectUri: string;
  /** The sealed page state, with the connection code in it. */
  readonly sealed: string;
  readonly partnerName: string;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Titles of the services that are connected now and that the code allows. */
  readonly services: readonly string[];
  /** True where services that are connected later are granted too. */
  readonly includesLaterServices: boolean;
  /** Whether writing can be granted, and if not, who narrowed it. */
  readonly access: 'read-or-write' | 'read-by-code' | 'read-by-request';
}

const MAX_NAME_LENGTH = 60;

const READ_AND_WRITE = {
  value: 'write',
  label: 'Read and write',
  remark: 'It can also create, change and delete what is in these services, on your behalf.',
};
const READ_ONLY = { value: 'read', label: 'Read only', remark: 'It can look things up, and change nothing.' };

const READ_REMARKS = {
  'read-by-code': 'Your connection code allows no more.',
  'read-by-request': 'The application asks for no more.',
};

/** Shows what would be granted. */
export function showConsentPage(
  ctx: GatewayContext,
  page: { client: OAuthClient; found: FoundConnectionCode; pageState: ConsentPageState; sealed: string },
  deps: Pick<ConsentDependencies, 'titleOf'>,
): void {
  const { found, pageState, sealed } = page;
  const { redirectUri } = pageState;
  const content = consentPage({
    client: describeClient(page.client, redirectUri),
    redirectUri,
    sealed,
    partnerName: found.partnerName,
    externalUserId: found.externalUserId,
    services: found.services.map((service) => deps.titleOf(service)).sort(),
    includesLaterServices: found.narrowedTo === null,
    access: accessOf(found, pageState),
  });
  sendPage(ctx, 200, content);
}

/** Whether writing can be granted. */
export function accessOf(found: FoundConnectionCode, pageState: ConsentPageState): ConsentPage['access'] {
  if (!pageState.scopes.includes('tools:write')) return 'read-by-request';
  return found.readOnly ? 'read-by-code' : 'read-or-write';
}

/** The page itself. */
function consentPage(page: ConsentPage): Page {
  const { client } = page;
  const partner = toPlainText(page.partnerName, MAX_NAME_LENGTH) ?? 'An application without a name';
  const user = toPlainText(page.externalUserId, MAX_NAME_LENGTH);
  const content = html`<h1>Allow <bdi>${client.name}</bdi>?</h1>
<p>It could then use these services in your name.</p>
${facts([
  ...clientFacts(client),
  {
    term: 'Connected through',
    value: foreign(partner),
    ...(user === null ? {} : { remark: `As the user ${user}` }),
  },
  { term: 'Services', value: serviceList(page), ...laterRemark(page) },
  ...(page.access === 'read-or-write'
    ? []
    : [{ term: 'Access', value: READ_ONLY.label, remark: `${READ_ONLY.remark} ${READ_REMARKS[page.access]}` }]),
])}
${client.isLoopback ? loopbackCaution() : null}
<form method="post" action="${AUTHORIZE_PATH}">
${hidden(PAGE_STATE_FIELD, page.sealed)}
${page.access === 'read-or-write' ? choices('access', 'Access', [READ_AND_WRITE, READ_ONLY]) : null}
<div class="actions">
<button type="submit" class="primary" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
<button type="submit" name="decision" value="own-page">See everything you have allowed</button>
</div>
</form>`;
  return { title: `Allow ${client.name}?`, content, formTargets: formTargetsOf(page.redirectUri) };
}

function serviceList({ services }: ConsentPage): Html {
  if (services.length === 0) return html`None is connected at present.`;
  return html`<ul>${services.map((service) => html`<li>${service}</li>`)}</ul>`;
}

function laterRemark({ includesLaterServices, services }: ConsentPage): { remark?: string } {
  if (!includesLaterServices) return {};
  return {
    remark:
      services.length === 0 ? 'It could use those that you connect later.' : 'And services that you connect later.',
  };
}
