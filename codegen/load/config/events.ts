/** `events` in connector.yaml: what the service tells by calling the gateway, and how its calls are verified. */

import { z } from 'zod';
import { argumentName, text, toolName } from '../config-values.ts';
import { withhold } from './paging.ts';

const eventName = z
  .string()
  .regex(/^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/, 'must be lower-case letters, digits and _, in parts joined by dots')
  .max(64);
const requestValuePath = z
  .string()
  .regex(/^(?:body\.[^.\s]+(?:\.[^.\s]+)*|header\.[A-Za-z0-9-]+)$/, 'must be body.x, body.x.y or header.X-Name');

const hmac = z.strictObject({
  header: text.describe('The header with the signature, such as X-Hub-Signature-256.'),
  prefix: text.optional().describe('What comes before the signature in the header, such as sha256= or v1=.'),
  encoding: z.enum(['hex', 'base64']).default('hex').describe('How the signature is written.'),
  timestampHeader: text
    .optional()
    .describe(
      'The header that says when the call was sent, in seconds since 1970 or as an HTTP date. Calls of another time than the last five minutes are refused.',
    ),
  timestampPrefix: text
    .optional()
    .describe('The same as a part of the signature header, after this prefix, such as t=.'),
  signed: text
    .default('{body}')
    .describe('What is signed with HMAC-SHA256, such as {timestamp}.{body} or v0:{timestamp}:{body}.'),
});

const eventType = z.strictObject({
  of: text.describe('A webhook of the descriptor by its name, or a callback of an operation: operationId#callback.'),
  value: text.optional().describe('What `type` holds for this event. Default: the name of the webhook.'),
  tool: toolName.describe('A tool that only reads: who may not call it does not get the event.'),
  description: text.describe('For a model: what happened, and what the event says of it.'),
  filters: z
    .record(text, argumentName)
    .default({})
    .describe('By dotted member of the payload: the argument of a subscription that the member must equal.'),
  withhold: withhold.optional(),
});

export const events = z
  .strictObject({
    signature: z
      .union([z.literal('standard-webhooks'), hmac])
      .describe(
        'How the service signs its calls: as Standard Webhooks 1.0 says, or with HMAC-SHA256 under a secret text.',
      ),
    type: requestValuePath.describe('Where a call says which event it is, such as body.type or header.X-GitHub-Event.'),
    id: requestValuePath
      .optional()
      .describe('Where it has its id, which repeated calls share. Default: webhook-id, or a hash of what was signed.'),
    time: requestValuePath
      .optional()
      .describe('When it happened: a date-time, or seconds since 1970. Default: when it came.'),
    data: text.optional().describe('Dotted member of the body that subscribers get. Default: the whole body.'),
    types: z.record(eventName, eventType).describe('By the name that subscribers use, such as mailer.contact_created.'),
  })
  .refine(({ signature: scheme }) => typeof scheme === 'string' || scheme.signed.includes('{body}'), {
    error: '`signed` must have {body}',
  })
  .refine(({ signature: scheme }) => typeof scheme === 'string' || isTimeSigned(scheme), {
    error: 'a timestamp and {timestamp} in `signed` need each other: what is not signed proves nothing',
  });

function isTimeSigned({ signed, timestampHeader, timestampPrefix }: z.output<typeof hmac>): boolean {
  const timestampSources = [timestampHeader, timestampPrefix].filter((source) => source !== undefined);
  return timestampSources.length === (signed.includes('{timestamp}') ? 1 : 0);
}

export type EventsConfig = z.output<typeof events>;
