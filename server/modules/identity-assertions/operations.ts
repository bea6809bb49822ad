/** Operations of the partner API for the partner's identity issuers. */

import { z } from 'zod';
import { RequestError } from '../../base/http/errors.ts';
import { settingProblem } from '../../identity/partners/setting-error.ts';
import { explainTexts, invalid, missing, operationsOf } from '../../partners/operation.ts';
import { time } from '../../partners/shapes.ts';
import { parseIssuer, registerIssuer, removeIssuer, type TypedIssuer } from './issuers.ts';
import { type IdentityIssuer, listIssuers } from './stored-issuers.ts';

/** Twenty public keys, with their certificates. */
const MAX_KEY_SET_BYTES = 65_536;

const text = z.string().nullish();

/** Null counts as absent. Unknown members are ignored. */
const registration = z.object({
  issuer: z.string().meta({ format: 'uri', description: 'The `iss` of its assertions, to the letter.' }),
  tenant: text.meta({ description: 'The claim `tenant`, for an issuer that has several.' }),
  jwks_uri: text.meta({ format: 'uri' }),
  jwks: z
    .unknown()
    .optional()
    .meta({ type: ['object', 'null'], description: 'Public keys (RFC 7517 §5), in place of jwks_uri.' }),
  subject_claim: text.meta({ description: 'The claim that holds the user_id; default: sub.' }),
});

const issuer = z
  .object({
    id: z.string(),
    issuer: z.string(),
    tenant: z.string().nullable(),
    jwks_uri: z.string().nullable(),
    jwks: z.unknown().meta({ type: ['object', 'null'] }),
    subject_claim: z.string(),
    created_at: time,
    last_used_at: time.nullable(),
    approved_at: time
      .nullable()
      .meta({ description: 'Null: it waits for an operator, and its assertions are refused.' }),
  })
  .meta({ id: 'Issuer' });

const WIRE_NAMES: Readonly<Record<keyof TypedIssuer, string>> = {
  issuer: 'issuer',
  tenant: 'tenant',
  jwksUri: 'jwks_uri',
  jwks: 'jwks',
  subjectClaim: 'subject_claim',
};

const operation = operationsOf<{ readonly publicUrl: string }>();

export const ISSUER_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/issuers',
      id: 'listIssuers',
      summary: "The partner's identity issuers.",
      answers: { 200: 'The issuers, by name.' },
      answer: z.object({ issuers: z.array(issuer) }),
    },
    async ({ partner }, { db }) => ({ issuers: (await listIssuers(db, partner.id)).map(describeIssuer) }),
  ),
  operation(
    {
      method: 'post',
      path: '/issuers',
      id: 'registerIssuer',
      summary:
        'Registers an identity issuer, which an operator then approves, or replaces what the partner registered for it.',
      credentials: 'header',
      body: { schema: registration, explain: explainTexts, maxBytes: MAX_KEY_SET_BYTES },
      answers: { 200: 'The issuer was changed.', 201: 'The issuer was added.' },
      answer: issuer,
      refusals: [409],
    },
    async (call, { db, publicUrl }) => {
      const issuerRequest = { ...read(await call.body(), publicUrl), partnerId: call.partner.id };
      const registered = await db
        .transaction()
        .execute((transaction) => registerIssuer(transaction, issuerRequest, call.event()));
      if (registered === undefined) {
        const description =
          'This issuer is approved for another partner. If it is yours, ask the operator of the gateway to remove the other registration.';
        throw new RequestError(409, 'issuer_taken', description);
      }
      if (registered.added) call.ctx.status = 201;
      return describeIssuer(registered.issuer);
    },
  ),
  operation(
    {
      method: 'delete',
      path: '/issuers/:id',
      id: 'removeIssuer',
      summary: 'Removes an identity issuer, and revokes at once what it vouched for.',
      answers: { 204: 'The issuer is removed.' },
      refusals: [404],
    },
    async (call, { db }) => {
      const key = { id: call.param('id'), partnerId: call.partner.id };
      const isDone = await db.transaction().execute((transaction) => removeIssuer(transaction, key, call.event()));
      if (!isDone) throw missing('There is no such issuer.');
    },
  ),
];

function read(body: z.output<typeof registration>, publicUrl: string) {
  try {
    const { issuer, tenant, jwks_uri: jwksUri, jwks, subject_claim: subjectClaim } = body;
    const typed = {
      issuer,
      jwksUri: jwksUri ?? undefined,
      tenant: tenant ?? undefined,
      jwks: jwks ?? undefined,
      subjectClaim: subjectClaim ?? undefined,
    };
    return parseIssuer(typed, publicUrl);
  } catch (error) {
    throw invalid(settingProblem(error, WIRE_NAMES), { cause: error });
  }
}

/** Returns an issuer with null for no tenant, which is stored as empty text. */
function describeIssuer(row: IdentityIssuer) {
  return { ...row, tenant: row.tenant === '' ? null : row.tenant };
}
