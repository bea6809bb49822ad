/** First step of the consent page: asks for the connection code. */

import type { GatewayContext } from '../../../base/http/state.ts';
import { alert, facts, hidden } from '../../../base/pages/components.ts';
import { formTargetsOf } from '../../../base/pages/form-targets.ts';
import { html } from '../../../base/pages/html.ts';
import { type Page, sendPage } from '../../../base/pages/page.ts';
import { PAGE_STATE_FIELD } from '../../../base/pages/sealed-form.ts';
import type { Suspension } from '../../../base/principal/principal.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { AUTHORIZE_PATH } from '../paths.ts';
import { answerProblem, codeField } from '../try-connection-code.ts';
import { type ClientDescription, clientFacts, describeClient } from './client-description.ts';
import type { ConsentPageState } from './page-state.ts';

interface CodePage {
  readonly client: ClientDescription;
  readonly redirectUri: string;
  /** The sealed page state. */
  readonly sealed: string;
  /** Why the last code was not accepted; null at first. */
  readonly problem: CodeProblem | null;
  /** What the user typed, to correct it. */
  readonly typed: string;
  /** Message about the partner of the last code's user; null: it is not suspended. */
  readonly suspended: Suspension | null;
}

export type CodeProblem = Exclude<ConsentPageState['problem'], null | 'nothing-left'>;

const PROBLEMS: Readonly<Record<CodeProblem, readonly [title: string, text: string]>> = {
  missing: ['Type the code', 'Type or paste the connection code first.'],
  wrong: [
    'This code is not valid',
    'Compare it with the one that you were given. A code is valid for one use within 10 minutes: if in doubt, get a new one.',
  ],
  spent: ['This code is no longer valid', 'It has been used or has expired. Get a new one and type it here.'],
  'too-many-of-request': [
    'Too many invalid codes',
    'No more codes are accepted here. Go back to the application and start again.',
  ],
  'too-many-of-address': [
    'Too many invalid codes',
    'No more codes are accepted from your network for some minutes. Wait 10 minutes, get a new code, and try again.',
  ],
};

const HELP =
  'The application in which you connected your services shows you this code. Capitals, spaces and hyphens do not matter.';

/** Shows the first step. Status 200, or that of the problem: 400, 403 for a suspended partner, and 429 when no more codes are accepted. */
export function showCodePage(
  ctx: GatewayContext,
  page: { client: OAuthClient; sealed: string; pageState: ConsentPageState; suspended?: Suspension },
): void {
  const { sealed, suspended = null } = page;
  const { redirectUri, typed } = page.pageState;
  const problem = page.pageState.problem === 'nothing-left' ? null : page.pageState.problem;
  const client = describeClient(page.client, redirectUri);
  const status = answerProblem(ctx, problem);
  sendPage(
    ctx,
    suspended === null ? status : 403,
    codePage({ client, redirectUri, sealed, problem, typed, suspended }),
  );
}

function codePage(page: CodePage): Page {
  const { client, problem, suspended } = page;
  const heading = `Connect ${client.name}`;
  const locked = problem === 'too-many-of-request';
  const isAlerted = problem !== null || suspended !== null;
  const content = html`<h1>Connect <bdi>${client.name}</bdi></h1>
${suspended === null ? null : alert('This code cannot be used now', `${suspended.text} ${suspended.advice}`, 'code-problem')}
${problem === null ? null : alert(...PROBLEMS[problem], 'code-problem')}
<p>It asks to use the services that you have connected.</p>
${facts(clientFacts(client))}
<form method="post" action="${AUTHORIZE_PATH}">
${hidden(PAGE_STATE_FIELD, page.sealed)}
${locked ? null : codeField({ typed: page.typed, isAlerted, help: HELP })}
<div class="actions">
${locked ? null : html`<button type="submit" class="primary" name="decision" value="continue">Continue</button>`}
<button type="submit" name="decision" value="deny" formnovalidate>Cancel</button>
</div>
</form>`;
  return {
    title: isAlerted ? `Error: ${heading}` : heading,
    content,
    formTargets: formTargetsOf(page.redirectUri),
  };
}
