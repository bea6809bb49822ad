/** The key of `connector.yaml` that selects the operations of a descriptor. */

import { z } from 'zod';
import { text } from '../config-values.ts';

const selection = z
  .strictObject({
    listed: z
      .literal(true)
      .optional()
      .describe('Only those of them under `tools` become tools. Default: all of them do.'),
    operations: z
      .array(text.max(256))
      .min(1)
      .optional()
      .describe(
        'operationIds, paths, or methods and paths. * stands for any characters but a slash, ** for any; /notes/** is /notes and all below it.',
      ),
    tags: z.array(text).min(1).optional().describe('Tags of the descriptor, of which an operation has one.'),
    readOnly: z
      .literal(true)
      .optional()
      .describe(
        'Operations alone whose effect is to read: by their method, or by their name, such as a search by POST.',
      ),
  })
  .refine(({ operations, tags, readOnly }) => operations ?? tags ?? readOnly, {
    error: 'selects nothing: give `operations`, `tags` or `readOnly`',
  });

export const expose = z
  .union([z.enum(['all', 'listed', 'selection']), selection])
  .default('all')
  .describe(
    'all: every operation becomes a tool. listed: only those under `tools`. selection: only those, without a word about the others, and of their optional arguments only those under `arguments` of the tool or of `defaults`. An object: the operations that match all of it. Others are neither tools nor questions, but what `tools` names is a tool all the same.',
  );

export type SelectionConfig = z.output<typeof selection>;
