/** The keys of `connector.yaml` about an upstream's answers and limits: error bodies, codes, rate limits, caps. */

import { z } from 'zod';
import { pointer, text } from '../config-values.ts';

/** Possible meanings of an upstream's own code; the contract's `AnswerOutcome` has the same names. */
const outcome = z.enum([
  'bad_request',
  'conflict',
  'forbidden',
  'gone',
  'invalid_request',
  'not_found',
  'payment_required',
  'quota_exhausted',
  'rate_limited',
  'request_too_large',
  'upstream_error',
  'upstream_unavailable',
]);

const codeOrBeginning = z
  .string()
  .regex(/^[^*\s][^*]{0,63}\*?$/, 'must be a code of at most 64 characters, or its beginning and *');

export const errors = z.strictObject({
  message: z.array(pointer).default([]).describe('Where error bodies keep the message. The first that is there wins.'),
  code: z.array(pointer).default([]).describe("Where error bodies keep the upstream's own code."),
  details: z.array(pointer).default([]).describe('Where error bodies keep other details that help a model.'),
  invalidCredential: z
    .array(
      z.strictObject({
        status: z.int().min(100).max(599).describe('The status of such an answer.'),
        pointer: pointer.describe('A string in the body.'),
        contains: text.describe('What that string contains when the credential is refused.'),
      }),
    )
    .default([])
    .describe('Answers that mean "this credential is refused" although their status is not 401.'),
  inSuccess: pointer.optional().describe('A place whose presence makes a 2xx answer an error.'),
  outcomes: z
    .record(codeOrBeginning, outcome)
    .optional()
    .describe(
      "What the upstream's own codes mean, whatever the status: by code, or by its beginning and *. The longest that fits wins.",
    ),
});

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header');

export const rateLimitHeaders = z
  .array(
    z
      .strictObject({
        remaining: headerName.optional().describe('How many requests are left; 0 where this limit refused the call.'),
        reset: headerName
          .optional()
          .describe('When the limit starts again: seconds from now, seconds or milliseconds since 1970, or a date.'),
        quota: z.literal(true).optional().describe('A limit of a day or a month, where waiting is useless.'),
      })
      .refine(({ remaining, reset }) => remaining !== undefined || reset !== undefined, {
        error: 'names neither `remaining` nor `reset`',
      }),
  )
  .min(1);

export const caps = z
  .strictObject({
    concurrency: z.int().min(1).max(100).optional().describe('Requests at the same time.'),
    rate: z
      .strictObject({
        requests: z.int().min(1).max(1_000_000).describe('How many requests.'),
        seconds: z.number().min(0.1).max(3600).describe('Length of the period, such as 1 or 60.'),
      })
      .optional()
      .describe('Requests within any period of so many seconds.'),
  })
  .refine((value) => value.concurrency !== undefined || value.rate !== undefined, {
    error: 'gives neither `concurrency` nor `rate`',
  });
