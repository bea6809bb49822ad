/** Files by handle: a file that one tool returns reaches another tool without passing through the model. */

import { CACHE_TTL_MS, createSealedCache, type SealedCacheRow, sealedCacheTable } from '../../base/sealed-cache.ts';
import { FILE_URI_PREFIX, HANDLE_PREFIX, type StoredFile } from '../../call/tools/files/handles.ts';
import { settingIn } from '../../config/setting.ts';
import { wholeNumber } from '../../config/values.ts';
import { defineModule } from '../../module.ts';

declare module '../../base/store/schema.ts' {
  interface Database {
    kept_files: SealedCacheRow;
  }
}

const MEBIBYTE = 1_048_576;
const MAX_FILES = 10;
/** Most bytes of the files of one user, unless a single file is larger. */
const MAX_BYTES = 40 * MEBIBYTE;

export const files = defineModule({
  name: 'files',
  summary: 'Keeps large files of answers for ten minutes, so that clients pass them on by handle.',
  settings: {
    inlineBytes: settingIn('Tools and results')({
      variable: 'FILE_INLINE_BYTES',
      read: wholeNumber(0, 100 * MEBIBYTE),
      default: 8_192,
      meaning:
        'Largest file, in bytes, that an answer holds itself, in base64. A larger one is kept sealed for ten minutes, and the answer has a handle that file arguments take; images and audio stay in the answer too.',
    }),
  },
  storage: sealedCacheTable('files', 'kept_files', 'a later call of the same client takes the file soon, or never'),
  provide({ config, store, keys, now, threads, workBudget }, { inlineBytes }) {
    const { maxResultBytes: maxBytes } = config;
    const maxFilesPerUser = Math.max(1, Math.min(MAX_FILES, Math.floor(MAX_BYTES / maxBytes)));
    const { store: storeFile, read } = createSealedCache<StoredFile>({
      db: store.db,
      keys,
      now,
      rules: config.withhold,
      table: 'kept_files',
      prefix: HANDLE_PREFIX,
      maxPerUser: maxFilesPerUser,
      threads,
      budget: workBudget,
    });
    return { files: { store: storeFile, read, inlineBytes, maxBytes, ttlMs: CACHE_TTL_MS } };
  },
  open(_core, _settings, { files: { read } }) {
    return {
      resources: {
        prefix: FILE_URI_PREFIX,
        template: {
          uriTemplate: `${FILE_URI_PREFIX}{handle}`,
          name: 'kept-file',
          description: 'A file of an answer, by its handle, for ten minutes.',
        },
        async read(principal, uri) {
          const file = await read(principal, uri.slice(FILE_URI_PREFIX.length));
          return file && { mimeType: file.mediaType, blob: file.data };
        },
      },
    };
  },
});
