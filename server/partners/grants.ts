/** The grants of one user, which the partner can narrow and revoke, and those of all its users. */

import { z } from 'zod';
import { currentAllowance } from '../base/principal/allowance.ts';
import { mayWrite, readPermission, toScopes } from '../base/principal/permission.ts';
import { listConnections } from '../base/store/repositories/connections.ts';
import {
  type AccessCounts,
  type AccessSelection,
  countAccess,
  type ListedAccess,
  type LiveGrant,
  listAccess,
} from '../base/store/repositories/live-access.ts';
import type { Partner } from '../base/store/repositories/partners.ts';
import { listSharedAccounts } from '../base/store/repositories/teams.ts';
import type { Executor } from '../base/store/schema.ts';
import { isToolApprovalRequired } from '../call/tools/approvals/policy.ts';
import { effectsOf } from '../identity/grants/allowed/consent-options.ts';
import { type AllowedGrant, findAllowed, listAllowed, listUsableServices } from '../identity/grants/allowed/list.ts';
import { type Narrowing, narrowGrant } from '../identity/grants/allowed/narrow.ts';
import { revokeAccess, revokeOwnGrant } from '../identity/grants/allowed/revoke.ts';
import { invalid, missing, type OwnUser, operation, type PartnerApi, requireUser } from './operation.ts';
import { clientName, count, holder, next, pageOf, ROW_ID, textParameter, time, toCursor, toPage } from './shapes.ts';

/** Enough for a thousand tool names. */
const MAX_NARROWING_BYTES = 65_536;

const names = z.array(z.string());

const grant = z
  .object({
    id: z.string(),
    client: z
      .object({ client_id: z.string(), client_name: clientName, redirect_uris: names })
      .nullable()
      .meta({ description: 'Null is the partner itself.' }),
    allowed_at: time,
    last_used_at: time.nullable().meta({ description: 'When it last got tokens or called a tool.' }),
    expires_at: time.meta({ description: 'Without use.' }),
    services: names.nullable().meta({ description: 'Null is every service, also those that are connected later.' }),
    read_only: z.boolean(),
    destructive: z.boolean().meta({ description: 'Whether it includes tools that delete or overwrite.' }),
    without: names.meta({ description: 'Tools that are left out.' }),
    only: names.nullable().meta({ description: 'The only tools of a grant that was frozen.' }),
    pins: z.record(z.string(), z.unknown()).meta({ description: 'By service, arguments that the gateway sets.' }),
    accounts: z.record(z.string(), z.string().nullable()).meta({
      description:
        'By service, the name of the only account that it may use. Null: an account without a name, or one that was removed.',
    }),
    may: z
      .array(
        z.object({
          service: z.string(),
          title: z.string(),
          reading: count,
          writing: count,
          destructive: count,
          asking: count,
        }),
      )
      .meta({
        description:
          'What that comes to now, by connected service. `asking`: how many of these tools wait for the approval of each call.',
      }),
    last_call: z.object({ service: z.string(), tool: z.string(), outcome: z.string(), called_at: time }).nullable(),
  })
  .meta({ id: 'Grant' });

const ownGrant = z
  .object({
    id: z.string(),
    user_id: z.string(),
    client: holder.meta({ description: '`null`: the access of the partner itself.' }),
    allowed_at: time,
    expires_at: time,
    services: names.nullable(),
    read_only: z.boolean(),
  })
  .meta({ id: 'OwnGrant' });

const accessCounts = z
  .object({
    grants: count,
    tokens: count.meta({ description: 'Access tokens that an operator minted.' }),
    connection_codes: count.meta({ description: 'Codes that no one has used yet.' }),
  })
  .meta({ id: 'AccessCounts' });

const listOfNames = z.array(z.string().min(1).max(100)).max(1000).nullish();

/** Null counts as absent. */
const narrowing = z
  .strictObject({
    services: listOfNames.meta({ description: 'The services that the grant keeps.' }),
    read_only: z.boolean().nullish(),
    destructive: z.boolean().nullish(),
    without: listOfNames.meta({ description: 'Every tool that is left out, also those that were before.' }),
  })
  .meta({ id: 'Narrowing', minProperties: 1 });

/** Expected value of each member, for the partner's developer. */
const EXPECTED: Readonly<Record<string, string>> = {
  services: 'a list of the services that the grant keeps',
  read_only: 'true or false',
  destructive: 'true or false',
  without: 'a list of the tools that are left out',
};
const MEMBERS = Object.keys(EXPECTED).join(', ');

const SELECTION = {
  user_id: textParameter('Only of this user.'),
  client_id: textParameter('Only of this OAuth client.'),
  service: textParameter('Only what may use this service now, because its user is connected to it.'),
};

export const GRANT_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/users/:user_id/grants',
      id: 'listGrants',
      summary: 'What a user has allowed, the youngest first.',
      query: pageOf(ROW_ID),
      answers: { 200: 'The grants that live.' },
      answer: z.object({ user_id: z.string(), grants: z.array(grant), next }),
      refusals: [404],
    },
    async (call, context) => {
      const user = await call.user();
      const { cursor: before, limit } = call.query;
      const page = await listAllowed(context.db, { ...(await filterOf(user, context)), before }, limit);
      const accounts = await listAccountsOf(context.db, user);
      return {
        userId: user.externalUserId,
        grants: page.grants.map((each) => describeGrant(each, { ...user, accounts }, context)),
        next: page.next && toCursor(page.next),
      };
    },
  ),
  operation(
    {
      method: 'patch',
      path: '/users/:user_id/grants/:grant',
      id: 'narrowGrant',
      summary: 'Takes something away from a grant; what would give it something is refused.',
      body: { schema: narrowing, explain: explainNarrowing, maxBytes: MAX_NARROWING_BYTES },
      answers: { 200: 'The grant as it is now.' },
      answer: grant,
      refusals: [404],
    },
    async (call, context) => {
      const { db, catalogue } = context;
      const user = await call.user();
      const key = keyOf(user, call.param('grant'));
      const narrowing = toNarrowing(await call.body());
      const change = { by: 'partner', catalogue, ...call.event() } as const;
      const result = await db
        .transaction()
        .execute((transaction) => narrowGrant(transaction, key, () => narrowing, change));
      if (result.kind === 'refused') throw invalid(result.reason);
      const narrowed = await findAllowed(db, { ...(await filterOf(user, context)), id: key.grantId });
      if (result.kind === 'missing' || narrowed === undefined) throw noSuchGrant();
      return describeGrant(narrowed, { ...user, accounts: await listAccountsOf(db, user) }, context);
    },
  ),
  operation(
    {
      method: 'delete',
      path: '/users/:user_id/grants/:grant',
      id: 'revokeGrant',
      summary: 'Revokes a grant with its tokens.',
      answers: { 204: 'The grant is revoked.' },
      refusals: [404],
    },
    async (call, { db }) => {
      const key = keyOf(await call.user(), call.param('grant'));
      const change = { by: 'partner', ...call.event() } as const;
      const isDone = await db.transaction().execute((transaction) => revokeOwnGrant(transaction, key, change));
      if (!isDone) throw noSuchGrant();
    },
  ),
  operation(
    {
      method: 'get',
      path: '/grants',
      id: 'listOwnGrants',
      summary: 'What the users of the partner have allowed, the youngest first.',
      query: { ...SELECTION, ...pageOf(ROW_ID) },
      answers: { 200: 'How many there are, and the grants that live.' },
      answer: z.object({ live: accessCounts, grants: z.array(ownGrant), next }),
      refusals: [404],
    },
    async ({ partner, query }, { db, now: clock }) => {
      const { cursor: before, limit } = query;
      const selection = await toSelection(db, partner, query);
      const now = clock();
      const options = { selection, now, limit: limit + 1, before };
      const page = toPage(await listAccess(db, 'grants', options), limit, ({ id }) => id);
      const live = describeCounts(await countAccess(db, selection, now));
      return { live, grants: page.rows.map(describeListed), next: page.next };
    },
  ),
  operation(
    {
      method: 'delete',
      path: '/grants',
      id: 'revokeOwnGrants',
      summary: 'Revokes everything that is selected, at once.',
      query: {
        ...SELECTION,
        all: z.string().optional().meta({
          const: 'true',
          description: '`true` where nothing else is selected: everything of the partner.',
        }),
      },
      answers: { 200: 'How many were revoked.' },
      answer: z.object({ revoked: accessCounts }),
      refusals: [404],
    },
    async (call, { db }) => {
      const selection = await toSelection(db, call.partner, call.query);
      const { userId, clientId, service } = selection;
      const selectsEverything = userId === undefined && clientId === undefined && service === undefined;
      if (selectsEverything !== (call.query.all === 'true')) {
        throw invalid('Select with user_id, client_id and service, or select everything with all=true.');
      }
      const change = { by: 'partner', ...call.event() } as const;
      return { revoked: describeCounts(await revokeAccess(db, selection, change)) };
    },
  ),
];

async function filterOf(user: OwnUser, { db, catalogue, now }: PartnerApi) {
  const connected = await listUsableServices(db, user.id, user.partner);
  const askedAt = now();
  const allowance = currentAllowance(user, askedAt);
  return { userId: user.id, allowance, connected, catalogue, now: askedAt };
}

function keyOf(user: OwnUser, grantId: string) {
  if (!ROW_ID.test(grantId)) throw noSuchGrant();
  return { grantId, userId: user.id, partnerId: user.partnerId };
}

function noSuchGrant() {
  return missing('This user_id has no such grant.');
}

function explainNarrowing(issue: z.core.$ZodIssue | undefined): string {
  const name = String(issue?.path[0] ?? '');
  return name in EXPECTED
    ? `${name} must be ${EXPECTED[name]}.`
    : `The body must be a JSON object with some of ${MEMBERS}.`;
}

function toNarrowing({ services, read_only: readOnly, destructive, without }: z.output<typeof narrowing>): Narrowing {
  if ((services ?? readOnly ?? destructive ?? without ?? null) === null) {
    throw invalid(`Name at least one of ${MEMBERS}.`);
  }
  return {
    services: services ?? undefined,
    readOnly: readOnly ?? undefined,
    destructive: destructive ?? undefined,
    without: without ?? undefined,
  };
}

interface UserOfGrant extends OwnUser {
  readonly accounts: Awaited<ReturnType<typeof listAccountsOf>>;
}

/** The accounts that grants of a user name by row id: the user's own, and those that teams share. */
async function listAccountsOf(executor: Executor, { id }: OwnUser) {
  const connections = await listConnections(executor, id);
  return [...connections, ...(await listSharedAccounts(executor, id, connections))];
}

function describeGrant({ grant: row, may }: AllowedGrant, user: UserOfGrant, { approvals }: PartnerApi) {
  const permission = readPermission(row.permission);
  const accounts = Object.entries(permission.accounts).map(([service, account]) => {
    return [service, user.accounts.find(({ id }) => id === account)?.accountName ?? null];
  });
  return {
    ...permission,
    ...describeListed(row),
    accounts: Object.fromEntries(accounts),
    may: may.map((service) => {
      const { reads: reading, writes: writing, destroys: destructive } = effectsOf(service);
      const asking = service.tools.filter(({ name }) =>
        isToolApprovalRequired(approvals, name, user.partner, user),
      ).length;
      return { service: service.name, title: service.title, reading, writing, destructive, asking };
    }),
    lastCall: row.lastCall && { ...row.lastCall, calledAt: row.lastCall.createdAt },
  };
}

/** Selects grants of the partner's own users. */
async function toSelection(
  executor: Executor,
  partner: Partner,
  query: { readonly [Name in keyof typeof SELECTION]: string | undefined },
): Promise<AccessSelection & { readonly partnerId: string }> {
  const { user_id: externalUserId, client_id: clientId, service } = query;
  const user = externalUserId === undefined ? null : await requireUser(executor, partner, externalUserId);
  return { partnerId: partner.id, userId: user?.id, clientId, service };
}

function describeCounts(counts: AccessCounts) {
  return { ...counts, connectionCodes: counts.codes };
}

function describeListed<Listed extends ListedAccess | LiveGrant>(row: Listed) {
  return {
    ...row,
    userId: row.externalUserId,
    client: row.clientId === null ? null : { ...row, clientId: row.clientId },
    allowedAt: row.createdAt,
    readOnly: !mayWrite(toScopes(row.scopes)),
  };
}
