/** The user's own page. */

import { QuestionStore } from '../../call/tools/questions/store.ts';
import { USER_ALLOW_PATH, USER_APPROVALS_PATH, USER_QUESTIONS_PATH } from '../../identity/partners/user-links.ts';
import { defineModule } from '../../module.ts';

export const me = defineModule({
  name: 'me',
  summary:
    'Gives every user a page that lists all access in their name, lets them take it back, and shows the calls that wait for them.',
  provide({ config: { publicUrl }, store: { db }, keys, now }) {
    const store = new QuestionStore({ db, keys, now });
    const urlOf = (id: string) => `${publicUrl}${USER_QUESTIONS_PATH}/${id}`;
    return {
      userPages: { approvals: USER_APPROVALS_PATH, allow: USER_ALLOW_PATH, questions: { store, urlOf } },
    };
  },
  open: ({ config: { publicUrl }, store: { db }, ...core }, _, { userPages: pageAddresses }) => ({
    routes: async (modules) => {
      const { createUserPageRouter } = await import('./index.ts');
      const { keys, catalogue, approvals, toolConsent, revocations, leases, limits, now } = core;
      const pageDependencies = {
        db,
        publicUrl,
        keys,
        catalogue,
        approvals,
        questions: pageAddresses.questions.store,
        toolConsent,
        revocations,
        leases,
        limits,
        now,
      };
      const pages = await Promise.all(modules.map(({ userPages }) => userPages?.() ?? []));
      return [createUserPageRouter(pageDependencies, pages.flat())];
    },
  }),
});
