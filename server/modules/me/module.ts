/** The user's own page. */

import { USER_ALLOW_PATH, USER_APPROVALS_PATH } from '../../identity/partners/user-links.ts';
import { defineModule } from '../../module.ts';

export const me = defineModule({
  name: 'me',
  summary:
    'Gives every user a page that lists all access in their name, lets them take it back, and shows the calls that wait for them.',
  provide: () => ({ userPages: { approvals: USER_APPROVALS_PATH, allow: USER_ALLOW_PATH } }),
  open: ({ config: { publicUrl }, store: { db }, ...core }) => ({
    routes: async () => {
      const { createUserPageRouter } = await import('./index.ts');
      const { keys, catalogue, approvals, toolConsent, revocations, leases, limits, now } = core;
      const pageDependencies = {
        db,
        publicUrl,
        keys,
        catalogue,
        approvals,
        toolConsent,
        revocations,
        leases,
        limits,
        now,
      };
      return [createUserPageRouter(pageDependencies)];
    },
  }),
});
