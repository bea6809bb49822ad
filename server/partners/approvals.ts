/** Calls that wait for approval. The partner shows them to its users in its own application, and reports their decisions. */

import { z } from 'zod';
import { RequestError } from '../base/http/errors.ts';
import { type ListedApproval, listApprovals } from '../base/store/repositories/calls/approvals.ts';
import { findPartner } from '../base/store/repositories/partners.ts';
import { type CallDescription, openDescription } from '../call/tools/approvals/call-description.ts';
import { decideAll } from '../call/tools/approvals/decide.ts';
import { PARTNER_RULES } from '../call/tools/approvals/policy.ts';
import { ORIGINS } from '../call/tools/approvals/shown-arguments.ts';
import { changePartner } from '../identity/partners/manage.ts';
import { USER_PAGE_PATH } from '../identity/partners/user-links.ts';
import { invalid, missing, operation, type PartnerApi, type PartnerCall, requireUser } from './operation.ts';
import { holder, next, pageOf, ROW_ID, textParameter, time, toPage } from './shapes.ts';

/** Calls that one request decides about. */
const MAX_DECIDED = 100;

/** Characters of all arguments of a call that an answer has. A call with more is approved on the user's page. */
const MAX_ARGUMENTS_LENGTH = 65_536;

const line = z.object({ name: z.string(), value: z.string() });

const argument = z
  .object({
    name: z.string(),
    value: z.string().meta({
      description:
        'JSON of the whole value, as it is sent. Invisible characters are written as escapes. A long file is an object with `bytes`, `sha256` and, of a text, `text`.',
    }),
    origin: z.enum(ORIGINS).meta({
      description:
        'Who sets it: the client; the account of the call; `fixed` for this client by you; or the gateway, as `default` of a missing argument or `constant` of the tool.',
    }),
    warning: z
      .string()
      .nullable()
      .meta({ description: 'About letters that look like others. Show it next to the value. Null: there are none.' }),
  })
  .meta({ id: 'ApprovalArgument' });

const lookedUpName = z
  .object({
    argument: z.string(),
    id: z.string(),
    name: z.string().nullable().meta({
      description: 'What the service calls the thing with this id, as its reading tool says. Null: see `problem`.',
    }),
    problem: z.enum(['missing', 'failed', 'nameless']).nullable().meta({
      description:
        '`missing`: the service has no such thing; `failed`: it could not be looked up; `nameless`: it has no name.',
    }),
  })
  .meta({ id: 'ApprovalName' });

const approval = z
  .object({
    id: z.string(),
    user_id: z.string(),
    client: holder.meta({ description: 'Who asked. Null: your own tokens.' }),
    service: z.string(),
    tool: z.string(),
    status: z.enum(['pending', 'approved', 'denied', 'spent', 'expired']),
    sentence: z.string().nullable().meta({
      description:
        'What would happen: the title of the tool with every argument, or with their number if they are long. Its values come from a model: show them as text. Null: it is decided or expired.',
    }),
    complete: z.boolean().meta({
      description:
        'Whether `arguments` is everything that would be sent. False: the call cannot be approved here, but only at `page_url`.',
    }),
    page_url: z.string().nullable().meta({
      description:
        "The user's own page of this call, which shows everything. Give the user a link to the own page first. Null: the operator accepts no approvals there.",
    }),
    arguments: z.array(argument).nullable().meta({
      description:
        "Every value that would be sent, required ones first, in the order of the tool's schema. Show all of them. Null: it is decided or expired, or they are longer than 65,536 characters.",
    }),
    names: z.array(lookedUpName).nullable().meta({
      description: 'What ids among the arguments belong to, at most 8. Null as `arguments` is.',
    }),
    looked_up_at: time.nullable().meta({
      description: 'When the gateway read `names` and `preview`. Null: it read nothing.',
    }),
    preview: z.array(line).nullable().meta({
      description: "What the service's own reading tool says of it. Null: there is no such tool, or no answer.",
    }),
    may_remember: z
      .boolean()
      .meta({ description: 'Whether the user may approve all calls of this tool by this client for 24 hours.' }),
    digest: z.string().nullable().meta({ description: 'Names exactly this call. Null: it was made, or is decided.' }),
    channel: z.enum(['page', 'partner', 'client']).nullable().meta({ description: 'How it was decided.' }),
    created_at: time,
    decided_at: time.nullable(),
    expires_at: time.meta({ description: 'Until then it can be decided, and after an approval made.' }),
  })
  .meta({ id: 'Approval' });

const verdict = z.enum(['approve', 'deny']);
const digest = z.string().meta({ description: 'That of the approval as it was shown to the user.' });
const remember = z.boolean().optional().meta({
  description:
    'True: all calls of this tool by this client are approved for 24 hours. Only where `may_remember` is true.',
});
const decision = z.object({ decision: verdict, digest, remember });
const decisions = z.object({
  decision: verdict,
  remember,
  approvals: z
    .array(z.object({ id: z.string(), digest }))
    .min(1)
    .max(MAX_DECIDED),
});

const kinds = z.array(z.enum(PARTNER_RULES));
const rule = z.object({
  approvals: kinds.meta({
    description:
      'Kinds of calls that your users approve one by one; `each`: no approval is remembered until the next day.',
  }),
});

export const APPROVAL_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/approvals',
      id: 'listApprovals',
      summary: 'Calls that wait for the approval of their users, the oldest first.',
      query: { user_id: textParameter('Only of this user.'), ...pageOf(ROW_ID) },
      answers: { 200: 'The calls that wait.' },
      answer: z.object({ approvals: z.array(approval), next }),
      refusals: [404],
    },
    async ({ partner, query: { user_id: externalUserId, cursor, limit } }, api) => {
      const user = externalUserId === undefined ? null : await requireUser(api.db, partner, externalUserId);
      const rows = await listApprovals(api.db, {
        partnerId: partner.id,
        pendingAt: api.now(),
        limit: limit + 1,
        userId: user?.id,
        after: cursor,
      });
      const page = toPage(rows, limit, ({ id }) => id);
      return { approvals: page.rows.map((row) => describeApproval(row, api)), next: page.next };
    },
  ),
  operation(
    {
      method: 'get',
      path: '/approvals/:approval',
      id: 'getApproval',
      summary: 'One call that waits for approval, or waited within the last day.',
      answers: { 200: 'The call.' },
      answer: approval,
      refusals: [404],
    },
    async (call, api) => describeApproval(await findOne(call.partner.id, call.param('approval'), api), api),
  ),
  operation(
    {
      method: 'post',
      path: '/approvals/:approval/decision',
      id: 'decideApproval',
      summary:
        'Tells what a user decided about a call, once. Call it only after the user has seen every argument. A call that is not `complete` can only be denied.',
      credentials: 'header',
      body: { schema: decision, explain: () => 'decision must be approve or deny, and digest that of the approval.' },
      answers: { 200: 'The call as it is now.' },
      answer: approval,
      refusals: [404, 409],
    },
    async (call, api) => {
      const { id } = await findOne(call.partner.id, call.param('approval'), api);
      const { digest, ...verdict } = await call.body();
      const details = openDescription(api.approvals.sealer, await findOne(call.partner.id, id, api), api.now());
      if (verdict.remember === true && details?.standing === null) {
        throw invalid('remember must be left out where may_remember is false.');
      }
      if ((await decideCalls(call, api, { ...verdict, approvals: [{ id, digest }] })).size === 0) {
        throw new RequestError(
          409,
          'not_decidable',
          'This call does not wait any more, is another one than the digest says, is too long to be approved here (see complete), or its grant or connection has ended.',
        );
      }
      return describeApproval(await findOne(call.partner.id, id, api), api);
    },
  ),
  operation(
    {
      method: 'post',
      path: '/approvals/decisions',
      id: 'decideApprovals',
      summary:
        'Tells what a user decided about several calls, such as all that one client asked for, each as it was shown.',
      credentials: 'header',
      body: {
        schema: decisions,
        explain: () =>
          `decision must be approve or deny, and approvals 1 to ${MAX_DECIDED} objects with id and digest.`,
      },
      answers: { 200: 'What was decided, which may be only a part.' },
      answer: z.object({
        decided: z.array(z.string()),
        not_decided: z
          .array(z.string())
          .meta({ description: 'For the reasons of `not_decidable`, or because `remember` is not possible for them.' }),
      }),
      refusals: [409],
    },
    async (call, api) => {
      const body = await call.body();
      const decided = await decideCalls(call, api, body);
      const ids = [...new Set(body.approvals.map(({ id }) => id))];
      return { decided: ids.filter((id) => decided.has(id)), notDecided: ids.filter((id) => !decided.has(id)) };
    },
  ),
  operation(
    {
      method: 'get',
      path: '/approval-rule',
      id: 'getApprovalRule',
      summary:
        'Kinds of calls that the users of the partner approve one by one, besides those that the operator names.',
      answers: { 200: 'The rule.' },
      answer: rule,
    },
    async ({ partner }) => ({ approvals: toKinds(partner.approvals) }),
  ),
  operation(
    {
      method: 'put',
      path: '/approval-rule',
      id: 'putApprovalRule',
      isLiveOnly: true,
      summary: 'Makes the rule stricter. Only the operator can take a kind out again.',
      credentials: 'header',
      body: { schema: rule, explain: () => `approvals must list some of ${PARTNER_RULES.join(', ')}.` },
      answers: { 200: 'The rule.' },
      answer: rule,
    },
    async (call, { db }) => {
      const { approvals: requestedKinds } = await call.body();
      return db.transaction().execute(async (transaction) => {
        const current = toKinds((await findPartner(transaction, call.partner.id))?.approvals ?? null);
        const removedKinds = current.filter((kind) => !requestedKinds.includes(kind));
        if (removedKinds.length > 0)
          throw invalid(`approvals must keep ${removedKinds.join(', ')}: only the operator can remove it.`);
        const approvals = PARTNER_RULES.filter((kind) => requestedKinds.includes(kind));
        if (approvals.length > current.length) {
          await changePartner(transaction, call.partner.id, { approvals }, call.event());
        }
        return { approvals };
      });
    },
  ),
];

/** @returns ids of the calls that were decided. @throws {RequestError} `channel_not_accepted`, status 409; `invalid_request`, status 400. */
async function decideCalls(
  { partner, event }: PartnerCall<unknown, unknown>,
  { db, now, approvals: { channels, sealer } }: PartnerApi,
  { decision, remember = false, approvals }: z.output<typeof decisions>,
): Promise<ReadonlySet<string>> {
  if (!channels.includes('partner')) {
    throw new RequestError(409, 'channel_not_accepted', 'The operator accepts no approvals from partners.');
  }
  const ids = approvals.flatMap(({ id }) => (ROW_ID.test(id) ? [id] : []));
  const rows = ids.length === 0 ? [] : await listApprovals(db, { partnerId: partner.id, ids, limit: ids.length });
  const digests = new Map(approvals.map(({ id, digest }) => [id, digest]));
  const calls = rows.flatMap((row) => {
    const { id, userId, clientId } = row;
    const details = openDescription(sealer, row, now());
    const standing = remember ? (details?.standing ?? null) : null;
    if (remember && standing === null) return [];
    if (decision === 'approve' && !isComplete(details)) return [];
    return [{ id, userId, clientId, partnerId: partner.id, digest: digests.get(id) ?? '', standing }];
  });
  const userDecision = { approve: decision === 'approve', channel: 'partner', ...event() } as const;
  return db.transaction().execute((transaction) => decideAll(transaction, calls, userDecision));
}

async function findOne(partnerId: string, id: string, { db }: PartnerApi): Promise<ListedApproval> {
  const [row] = ROW_ID.test(id) ? await listApprovals(db, { partnerId, ids: [id], limit: 1 }) : [];
  if (row === undefined) throw missing('There is no such approval, or it expired more than a day ago.');
  return row;
}

function toKinds(stored: readonly string[] | null) {
  return PARTNER_RULES.filter((kind) => stored?.includes(kind));
}

/** Returns true if an answer has every argument. Null is a call that is decided or expired. */
function isComplete(details: CallDescription | null): details is CallDescription {
  if (details === null) return false;
  const length = details.arguments.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  return length <= MAX_ARGUMENTS_LENGTH;
}

function describeApproval(row: ListedApproval, { approvals, now, publicUrl }: PartnerApi) {
  const isOver = row.status !== 'spent' && row.status !== 'denied' && row.expiresAt <= now();
  const details = openDescription(approvals.sealer, row, now());
  const complete = isComplete(details) ? details : null;
  const hasPage = details !== null && approvals.channels.includes('page');
  return {
    ...row,
    userId: row.externalUserId,
    client: row.clientId === null ? null : { clientId: row.clientId, clientName: row.clientName },
    status: isOver || row.status === 'standing' ? ('expired' as const) : row.status,
    sentence: details?.sentence ?? null,
    complete: complete !== null,
    pageUrl: hasPage ? `${publicUrl}${USER_PAGE_PATH}/approvals/${row.id}` : null,
    arguments: complete?.arguments.map((each) => ({ ...each, warning: each.warning ?? null })) ?? null,
    names: complete?.names.map((each) => ({ ...each, name: each.name ?? null, problem: each.problem ?? null })) ?? null,
    lookedUpAt: details?.lookedUpAt ?? null,
    preview: details?.preview ?? null,
    mayRemember: details !== null && details.standing !== null,
    digest: row.status === 'pending' ? row.digest : null,
  };
}
