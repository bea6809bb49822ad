/** Only where a sandbox stands in for the services: makes one refuse the user's credential, as after a key was revoked. */

import { callService } from './client-pages.ts';
import type { Visit } from './visit.ts';

/** `POST /break`: the service refuses the credential while a tool is called, because the gateway learns it from the answers. */
export async function breakCredential(visit: Visit): Promise<void> {
  const service = visit.form.get('service') ?? '';
  const switchOf = (fault: string): Promise<Response> => {
    const body = new URLSearchParams({ service, fault, times: '1000000' });
    return fetch(`${visit.app.sandbox?.origin}/__sandbox/fault`, { method: 'POST', body, redirect: 'manual' });
  };
  await switchOf('expired-credential');
  await callService(visit);
  // The key that is typed next stands for another one, which the service accepts.
  await switchOf('none');
}
