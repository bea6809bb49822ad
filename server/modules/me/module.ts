/** The user's own page. */

import { defineModule } from '../../module.ts';

export const me = defineModule({
  name: 'me',
  summary:
    'Gives every user a page that lists all access in their name, lets them take it back, and shows the calls that wait for them.',
  open: ({ config: { publicUrl }, store: { db }, modules, ...core }) => ({
    routes: async () => {
      const { createUserPageRouter } = await import('./index.ts');
      const undoing = () => modules.find((module) => module.undoing)?.undoing;
      const { keys, catalogue, approvals, revocations, leases, limits, now } = core;
      const own = { db, publicUrl, keys, catalogue, approvals, revocations, leases, limits, now, undoing };
      return [createUserPageRouter(own)];
    },
  }),
});
