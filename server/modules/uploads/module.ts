/** Uploads: a file reaches a tool without passing through the model. */

import { createValueSealer } from '../../base/credentials/sealed-value.ts';
import { settingIn } from '../../config/setting.ts';
import { wholeNumber } from '../../config/values.ts';
import { defineModule } from '../../module.ts';
import { createRequestTool } from './request-tool.ts';
import { UPLOADS_TABLES } from './rows.ts';
import { Uploads } from './uploads.ts';

const MEBIBYTE = 1_048_576;

export const uploads = defineModule({
  name: 'uploads',
  summary: 'Lets agents and people send files to one-time addresses, for file arguments of later calls.',
  settings: {
    maxMebibytes: settingIn('Limits')({
      variable: 'UPLOADS_MEBIBYTES',
      read: wholeNumber(0, 1_048_576),
      default: 1_024,
      meaning:
        'Most MiB of all uploaded files that no call has used yet. One file has at most MAX_RESULT_BYTES, those of one user 40 MiB. 0: there are no uploads.',
    }),
  },
  storage: {
    tables: UPLOADS_TABLES,
    retention: () => [
      {
        table: 'uploads',
        key: 'id',
        column: 'expires_at',
        keepMs: 0,
        why: 'the address, or the file, is not taken any more',
      },
    ],
  },
  provide({ config: { maxResultBytes, publicUrl }, store: { db }, keys, now, threads, workBudget }, { maxMebibytes }) {
    if (maxMebibytes === 0) return { all: null };
    const all = new Uploads({
      db,
      keys,
      now,
      threads,
      budget: workBudget,
      maxFileBytes: maxResultBytes,
      maxTotalBytes: maxMebibytes * MEBIBYTE,
    });
    const states = createValueSealer({ keys, purpose: 'upload question' });
    const requestTool = createRequestTool({ uploads: all, db, states, publicUrl, now });
    const { read, release } = all;
    return { codeTools: [requestTool], uploads: { read, release }, all };
  },
  open({ limits }, _settings, { all }) {
    if (all === null) return {};
    return {
      routes: async () => [(await import('./routes.ts')).createUploadRouter(all, limits)],
      userPages: async () => [(await import('./page.ts')).createUploadPage(all)],
      metrics: [
        {
          name: 'gateway.uploads.requested',
          description: 'Addresses for uploads that clients asked for.',
          kind: 'counter',
          read: () => all.counts.requested,
        },
        {
          name: 'gateway.uploads.stored',
          description: 'Files that arrived there.',
          kind: 'counter',
          read: () => all.counts.stored,
        },
      ],
    };
  },
});
