/** The user's own AI clients: a connection code gives one access, and revoking its grant takes the access away. */

import { answerOf } from '../partner-client/index.ts';
import { redirect } from './page.ts';
import type { App, Visit } from './visit.ts';

/** Creates a code for the consent page, valid once and for ten minutes. */
export async function mintCode(app: App, user: string): Promise<string> {
  const { session_token } = await answerOf(app.partner.POST('/api/mcp/oauth/sessions', { body: { user_id: user } }));
  return session_token;
}

/** `POST /code` */
export async function getCode({ app, session, response }: Visit): Promise<void> {
  session.code = await mintCode(app, session.user);
  redirect(response, '/#clients');
}

/** `POST /revoke` */
export async function revoke({ app, session, form, response }: Visit): Promise<void> {
  const path = { user_id: session.user, grant: form.get('grant') ?? '' };
  await answerOf(app.partner.DELETE('/api/partner/users/{user_id}/grants/{grant}', { params: { path } }));
  session.notice = 'The client is revoked. Its next request is refused.';
  redirect(response, '/#clients');
}

/** `POST /own-page`: opens the gateway's page for this user, with a link that works once. */
export async function openOwnPage({ app, session, response }: Visit): Promise<void> {
  const params = { path: { user_id: session.user } };
  const { url } = await answerOf(app.partner.POST('/api/partner/users/{user_id}/links', { params }));
  redirect(response, url);
}
