/** Serves files of the operator below `/.well-known/`, by which directories and registries see whose domain this is. */

import type Router from '@koa/router';
import type { CallerLimits } from '../../base/http/caller-limits.ts';
import { readableAnywhere, WELL_KNOWN_METHODS } from '../../base/http/headers.ts';
import type { RequestState } from '../../base/http/state.ts';
import { sendPublicText } from '../../base/pages/etag.ts';
import { setting } from '../../config/setting.ts';
import { parsedBy } from '../../config/values.ts';
import { defineModule } from '../../module.ts';
import { loadDocuments, type WellKnownDocuments } from './load-documents.ts';

export const wellKnown = defineModule({
  name: 'well-known',
  summary:
    'Serves files of the operator below /.well-known/, such as the proofs that directories and registries ask for.',
  settings: {
    documents: setting({
      variable: 'WELL_KNOWN_FOLDER',
      group: 'Address',
      read: parsedBy(loadDocuments),
      defaultText: 'none: there are no such files',
      type: 'path',
      meaning:
        'A folder whose files everybody can read below /.well-known/, such as openai-apps-challenge; at most 50 files of 65,536 bytes, read at the start. See docs/guides/deploying.md.',
      example: '/etc/gateway/well-known',
    }),
  },
  open: ({ callerLimits }, { documents }) => ({
    routes: async () => (documents === null ? [] : [await createRouter(documents, callerLimits)]),
  }),
});

/** Creates the routes of the documents, which anyone may read from any origin. Other paths are left to the routers that follow. */
async function createRouter(documents: WellKnownDocuments, { ofAddress }: CallerLimits): Promise<Router<RequestState>> {
  const { default: KoaRouter } = await import('@koa/router');
  const router = new KoaRouter<RequestState>({ sensitive: true });
  for (const [name, document] of documents) {
    router.register(`/.well-known/${name}`, WELL_KNOWN_METHODS, [
      readableAnywhere(),
      ofAddress,
      async (ctx) => {
        if (ctx.method !== 'OPTIONS') return sendPublicText(ctx, document);
        ctx.set('Allow', WELL_KNOWN_METHODS.join(', '));
        ctx.status = 204;
      },
    ]);
  }
  return router;
}
