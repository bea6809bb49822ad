/** The user's own page. */

import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import { defineModule } from '../../module.ts';

export const me = defineModule({
  name: 'me',
  summary:
    'Gives every user a page that lists all access in their name, lets them take it back, and shows the calls that wait for them.',
  provide: () => ({ approvalsPath: `${USER_PAGE_PATH}/approvals` }),
  open: ({ config: { publicUrl }, store: { db }, ...core }) => ({
    routes: async () => {
      const { createUserPageRouter } = await import('./index.ts');
      const { keys, catalogue, approvals, revocations, leases, limits, now } = core;
      const pageDependencies = { db, publicUrl, keys, catalogue, approvals, revocations, leases, limits, now };
      return [createUserPageRouter(pageDependencies)];
    },
  }),
});
