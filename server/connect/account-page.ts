/** The page that asks, after a credential was verified, whether it replaces an account of the user or is one more. */

import type { GatewayContext } from '../base/http/state.ts';
import { pairOf, partnerNameOf, serviceMarkOf } from '../base/pages/brand.ts';
import { alert, button, type Choice, choices, foreign, hidden } from '../base/pages/components.ts';
import { type Html, html, shownName } from '../base/pages/html.ts';
import { formTargetsOf, sendPage } from '../base/pages/page.ts';
import { PAGE_STATE_FIELD } from '../base/pages/sealed-form.ts';
import {
  ACCOUNT_NAME_RULE,
  freeAccountName,
  MAX_ACCOUNT_NAME_LENGTH,
} from '../base/store/repositories/account-names.ts';
import type { Connection } from '../base/store/repositories/connections.ts';
import { MAX_ACCOUNTS } from '../base/store/rows.ts';
import { type AccountQuestion, ADD, type ChoiceProblem, SOLE } from './account.ts';
import { actionOf } from './credential-forms.ts';
import type { ConnectVisit } from './visit.ts';

interface AccountPage extends AccountQuestion {
  readonly sealed: string;
  /** The reason why the last form was not accepted. Undefined if the page is shown for the first time. */
  readonly problem?: ChoiceProblem;
  /** The name that was typed. By default it is a neutral one. */
  readonly typed?: string;
}

const PROBLEMS: Readonly<Record<ChoiceProblem, readonly [title: string, text: string]>> = {
  none: ['Choose one', 'Choose what to do with this account.'],
  name: ['This cannot be a name', ACCOUNT_NAME_RULE],
  taken: [
    'This name is taken',
    'Another of your accounts of this service has it, or one that looks like it. Choose another one.',
  ],
  full: ['No account can be added', `You have ${MAX_ACCOUNTS} accounts of this service, as many as are possible.`],
};

/** Shows the page. Status 200, or 400 with a problem. */
export function showAccountPage(ctx: GatewayContext, visit: ConnectVisit, page: AccountPage): void {
  const { request, session } = visit;
  const { connector, partner } = request;
  const { accounts, problem = null } = page;
  const heading = `Which account of ${connector.title}?`;
  const name = page.typed ?? freeAccountName('account-2', session === null ? [] : accounts);
  const mayAdd = accounts.length < MAX_ACCOUNTS;
  const content = html`<header>${pairOf(partner, serviceMarkOf(connector))}<h1>${heading}</h1>
<p>${introduction(visit, page)}</p></header>
${problem === null ? null : alert(...PROBLEMS[problem], 'account-problem')}
<form method="post" action="${actionOf(visit)}">
${hidden(PAGE_STATE_FIELD, page.sealed)}
${choices('account', 'What should happen?', optionsOf(visit, page))}
${
  mayAdd
    ? html`<label for="account_name">Name, if you add it</label>
<input type="text" id="account_name" name="account_name" value="${name}" maxlength="${MAX_ACCOUNT_NAME_LENGTH}" autocomplete="off" spellcheck="false"${problem === null ? null : html` aria-invalid="true"`}
 aria-describedby="${problem === null ? '' : 'account-problem '}account-help">
<p class="quiet" id="account-help">Assistants see this name and choose the account by it. You can change it later.</p>`
    : html`<p class="quiet">${PROBLEMS.full[1]}</p>`
}
<div class="actions">
${button('Continue', { kind: 'primary', sends: ['decision', 'account'] })}
</div>
<div class="actions leave">${button('Cancel', { kind: 'link', sends: ['decision', 'decline'], more: html` formnovalidate` })}</div>
</form>`;
  sendPage(ctx, problem === null ? 200 : 400, {
    title: problem === null ? heading : `Error: ${heading}`,
    content,
    brand: partner,
    formTargets: formTargetsOf(request.redirectUri),
  });
}

function introduction({ request: { connector, partner } }: ConnectVisit, { verified }: AccountPage): Html {
  const whose =
    verified === null
      ? null
      : html` You have now signed in as <strong>${foreign(shownName(verified.name) ?? 'another account')}</strong>.`;
  return html`${connector.title} is connected already.${whose} Nothing changes until ${foreign(partnerNameOf(partner))} confirms it.`;
}

/**
 * Returns the choices in order; the first one is checked.
 *
 * If the new account is known, a choice was refused, or the partner's session asks for an addition, the first choice is to add an account, because
 * that loses nothing. Otherwise the first choices are to replace the sole account, or accounts that the service refused.
 */
function optionsOf({ request, session }: ConnectVisit, page: AccountPage): readonly Choice[] {
  const { accounts, verified, problem } = page;
  const { title } = request.connector;
  const add = { value: ADD, label: 'Add it as another account', remark: 'Assistants can then use this one too.' };
  const broken = accounts.filter(({ status }) => status === 'attention');
  const [sole] = accounts.length === 1 ? accounts : [];
  const replace = (account: Connection): Choice => {
    const name = session === null ? null : account.accountName;
    return {
      value: session === null ? SOLE : account.id,
      label: name === null ? `Replace the account of ${title} that is connected` : html`Replace ${foreign(name)}`,
      remark: session === null ? 'Its credential is deleted.' : remarkOf(account),
    };
  };
  if (session === null && sole === undefined) return [add];
  const mayAdd = accounts.length < MAX_ACCOUNTS ? [add] : [];
  const isAddFirst = verified !== null || problem !== undefined || session?.row.account?.mode === 'add';
  let first: readonly Connection[] = [];
  if (!isAddFirst) first = sole === undefined ? broken : accounts;
  const rest = accounts.filter((account) => !first.includes(account));
  return [...first.map(replace), ...mayAdd, ...rest.map(replace)];
}

function remarkOf({ account, status, updatedAt }: Connection): string {
  const whose = shownName(account);
  const since = `Connected since ${new Date(updatedAt).toISOString().slice(0, 10)} UTC`;
  const owner = whose === null ? '' : ` as ${whose}`;
  return `${since}${owner}. ${status === 'attention' ? 'It needs attention.' : 'Its credential is deleted.'}`;
}
