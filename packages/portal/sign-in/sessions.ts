/** Sessions of people: a random cookie, whose hash the store has. */

import type { GatewayContext } from '../../../server/base/http/state.ts';
import { createTokenCookie, csrfOf } from '../../../server/base/pages/cookie.ts';
import type { Sessions } from '../parts.ts';
import type { People } from '../store/people.ts';

/** A working day: then the person signs in again, which the provider often does without asking. */
const SESSION_SECONDS = 12 * 3600;

/** @param options.now milliseconds since 1970. */
export function createSessions(options: {
  readonly people: People;
  readonly publicUrl: string;
  readonly now: () => number;
}): Sessions {
  const { people, publicUrl, now } = options;
  const cookie = createTokenCookie({
    name: 'utg_portal',
    path: '/',
    sameSite: 'Lax',
    ttlSeconds: SESSION_SECONDS,
    publicUrl,
  });
  const forget = async (ctx: GatewayContext): Promise<void> => {
    const token = cookie.read(ctx);
    if (token !== null) await people.endSession(token);
  };
  return {
    async find(ctx) {
      const token = cookie.read(ctx);
      const person = token === null ? undefined : await people.findBySession(token, now());
      return token === null || person === undefined ? null : { person, csrf: csrfOf(token) };
    },
    async begin(ctx, person, { providerSession, nextCheckAt }) {
      await forget(ctx);
      const token = cookie.issue(ctx);
      const times = { now: now(), expiresAt: now() + SESSION_SECONDS * 1000, nextCheckAt };
      await people.signIn(person, { token, providerSession, ...times });
    },
    async end(ctx) {
      await forget(ctx);
      cookie.clear(ctx);
    },
  };
}
