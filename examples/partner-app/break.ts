/** Only with a sandbox: makes a service reject the user's credential, as if the key had been revoked. */

import { callService } from './client-pages.ts';
import type { Visit } from './visit.ts';

const WHAT_HAPPENED = `<p>The sample service now refuses this credential, as after a key was revoked. The answer below is what an agent reads:
it names the page where the user connects the service again. Go back, and press Reconnect.</p>`;

/** `POST /break`: the service rejects the credential during a tool call, because the gateway learns of it only from answers. */
export async function breakCredential(visit: Visit): Promise<void> {
  const service = visit.form.get('service') ?? '';
  const switchOf = (fault: string): Promise<Response> => {
    const body = new URLSearchParams({ service, fault, times: '1000000' });
    return fetch(`${visit.app.sandbox?.origin}/__sandbox/fault`, { method: 'POST', body, redirect: 'manual' });
  };
  await switchOf('expired-credential');
  await callService(visit, WHAT_HAPPENED);
  // The next key that the user enters represents a new one, which the service accepts.
  await switchOf('none');
}
