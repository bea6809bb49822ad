/** The keys of `connector.yaml` that select the operations of a descriptor. */

import { z } from 'zod';
import { text } from '../config-values.ts';

export const only = z
  .strictObject({
    operations: z
      .array(text.max(256))
      .min(1)
      .optional()
      .describe(
        'operationIds, paths, or methods and paths. * stands for any characters but a slash, ** for any; /notes/** is /notes and all below it.',
      ),
    tags: z.array(text).min(1).optional().describe('Tags of the descriptor, of which an operation has one.'),
    readOnly: z.literal(true).optional().describe('Operations of GET, HEAD and OPTIONS alone.'),
  })
  .refine((value) => Object.values(value).some((one) => one !== undefined), {
    error: 'selects nothing: give `operations`, `tags` or `readOnly`',
  })
  .optional()
  .describe(
    'The operations that the connector is about: those that match all of it. Others are neither tools nor questions, but what `tools` names is a tool all the same. Default: all.',
  );

export type OnlyConfig = NonNullable<z.output<typeof only>>;
