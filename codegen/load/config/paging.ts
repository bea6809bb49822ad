/** The keys of `connector.yaml` about answers: how lists continue, and which members are kept or never leave. */

import { z } from 'zod';
import { WITHHELD_PATH } from '../../../shared/withheld.ts';
import { argumentName, pointer, text } from '../config-values.ts';

/** The required and optional keys of each kind, in addition to `argument`. Every kind takes `items` and `size`. */
const KINDS = {
  cursor: { needs: ['next'], takes: ['queryParameter', 'more'] },
  header: { needs: ['header'], takes: [] },
  link: { needs: [], takes: ['next'] },
  last: { needs: ['items', 'id'], takes: ['more'] },
  offset: { needs: ['items'], takes: ['first', 'total', 'more'] },
  page: { needs: ['items'], takes: ['first', 'total', 'pages', 'more'] },
} as const;

const COMMON: readonly string[] = ['kind', 'argument', 'items', 'size'];

export const pagination = z
  .strictObject({
    kind: z
      .enum(['cursor', 'header', 'link', 'last', 'offset', 'page'])
      .optional()
      .describe(
        'How lists continue. cursor: the body holds the next cursor. header: a header does. link: the Link header, or a URL in the body, whose query becomes arguments. last: a member of the last record is the cursor. offset: the argument counts records. page: it counts pages. Default: cursor.',
      ),
    argument: argumentName.describe('The argument that a call for the next page changes.'),
    next: pointer.optional().describe('Where the answer keeps the next cursor, or a URL that contains it.'),
    queryParameter: text.optional().describe('cursor: the query parameter of that URL which is the cursor.'),
    header: z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header')
      .optional()
      .describe('header: the one that holds the cursor or the number of the next page.'),
    id: pointer.optional().describe('last: from a record to the member that is the cursor.'),
    first: z
      .int()
      .min(0)
      .optional()
      .describe(
        "offset, page: the value for the first page. Default: the descriptor's, else 0 for offset and 1 for page.",
      ),
    total: pointer.optional().describe('offset, page: where the answer keeps the number of all records.'),
    pages: pointer.optional().describe('page: where the answer keeps the number of all pages.'),
    more: pointer.optional().describe('A boolean in the answer; false ends the list.'),
    items: z
      .union([pointer, z.array(pointer).min(1)])
      .optional()
      .describe(
        'Where the answer keeps the records: the array that grows from page to page. Of several, the first that a tool has.',
      ),
    size: argumentName.optional().describe('The argument that says how many records a page has at most.'),
  })
  .superRefine((rule, context) => {
    const kind = rule.kind ?? 'cursor';
    const { needs, takes } = KINDS[kind];
    const allowed: readonly string[] = [...COMMON, ...needs, ...takes];
    for (const [key, value] of Object.entries(rule)) {
      if (value === undefined || allowed.includes(key)) continue;
      context.addIssue({ code: 'custom', path: [key], message: `says nothing where \`kind\` is ${kind}` });
    }
    for (const key of needs) {
      if (Object.hasOwn(rule, key)) continue;
      context.addIssue({ code: 'custom', path: [], message: `lacks \`${key}\`, which \`kind: ${kind}\` needs` });
    }
  })
  .meta({ id: 'pagination' });

export const keep = z
  .array(
    z
      .string()
      .max(256)
      .regex(/^[^.\s]+(\.[^.\s]+)*$/, 'must be dotted names of members, such as data.owner.name'),
  )
  .min(1)
  .max(100);

export const withhold = z
  .record(
    z.string().regex(WITHHELD_PATH, 'must be dotted names of members, such as data.owner.name or **.name'),
    z.enum(['drop', 'replace']),
  )
  .describe(
    'Members of the answer that never leave, by dotted path without arrays, or after `**.` anywhere in the answer. drop: they are left out. replace: a text is in their place. An answer that is not JSON is then refused.',
  );

export type PaginationConfig = z.output<typeof pagination>;
