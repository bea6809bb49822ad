/** The keys of `connector.yaml` about default tool names: which scheme creates them, and how long older names work. */

import { z } from 'zod';

export const names = z
  .strictObject({
    scheme: z
      .union([z.literal(1), z.literal(2)])
      .optional()
      .describe(
        'How default names are made. 1: the words of the operationId, with a digest where they are too long or not unique. 2: words without repetition, aimed at 40 characters. Default: 2.',
      ),
    oldNamesUntil: z.iso
      .date()
      .optional()
      .describe('Until this day, default tools can also be called by their names of scheme 1, such as 2027-03-01.'),
  })
  .refine(({ scheme, oldNamesUntil }) => scheme !== 1 || oldNamesUntil === undefined, {
    error: 'keeps the old names with `scheme: 1`: remove `oldNamesUntil`',
  })
  .optional()
  .describe('How tools are called that are not named under `tools`.');
