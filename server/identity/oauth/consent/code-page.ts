/** First step of the consent page: asks for the connection code. */

import type { GatewayContext } from '../../../base/http/state.ts';
import { letterOf } from '../../../base/pages/brand.ts';
import { alert, button, hidden } from '../../../base/pages/components.ts';
import { html } from '../../../base/pages/html.ts';
import { formTargetsOf, sendPage } from '../../../base/pages/page.ts';
import { PAGE_STATE_FIELD } from '../../../base/pages/sealed-form.ts';
import type { Suspension } from '../../../base/principal/principal.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { AUTHORIZE_PATH } from '../paths.ts';
import { answerProblem, codeField, TOO_MANY_OF_ADDRESS } from '../try-connection-code.ts';
import { clientLine, describeClient } from './client-description.ts';
import type { ConsentPageState } from './page-state.ts';

interface CodePage {
  readonly client: OAuthClient;
  /** The sealed page state. */
  readonly sealed: string;
  readonly pageState: ConsentPageState;
  /** Message about the partner of the last code's user. Default: it is not suspended. */
  readonly suspended?: Suspension;
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
  'too-many-of-address': TOO_MANY_OF_ADDRESS,
};

const HELP =
  'The application in which you connected your services shows you this code. Capitals, spaces and hyphens do not matter.';

/** Shows the first step. Status 200, or that of the problem: 400, 403 for a suspended partner, and 429 when no more codes are accepted. */
export function showCodePage(ctx: GatewayContext, { client: asking, sealed, pageState, suspended }: CodePage): void {
  const { redirectUri, typed } = pageState;
  const problem = pageState.problem === 'nothing-left' ? null : pageState.problem;
  const client = describeClient(asking, redirectUri);
  const status = answerProblem(ctx, problem);
  const heading = `Connect ${client.name}`;
  const locked = problem === 'too-many-of-request';
  const isAlerted = problem !== null || suspended !== undefined;
  const content = html`<header>${letterOf(client.name)}<h1>Connect <bdi>${client.name}</bdi></h1>
<p>It asks to use the services that you have connected.</p></header>
${suspended === undefined ? null : alert('This code cannot be used now', `${suspended.text} ${suspended.advice}`, 'code-problem')}
${problem === null ? null : alert(...PROBLEMS[problem], 'code-problem')}
${clientLine(client)}
<form method="post" action="${AUTHORIZE_PATH}">
${hidden(PAGE_STATE_FIELD, sealed)}
${locked ? null : codeField({ typed, isAlerted, help: HELP })}
<div class="actions">
${locked ? null : button('Continue', { kind: 'primary', sends: ['decision', 'continue'] })}
</div>
<div class="actions leave">${button('Cancel', { kind: 'link', sends: ['decision', 'deny'], more: html` formnovalidate` })}</div>
</form>`;
  sendPage(ctx, suspended === undefined ? status : 403, {
    title: isAlerted ? `Error: ${heading}` : heading,
    content,
    formTargets: formTargetsOf(redirectUri),
  });
}
