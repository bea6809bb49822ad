/** The partner's users: their connections, the tools that the partner allows for them, the link to their own page, and their removal. */

import { z } from 'zod';
import { RequestError } from '../base/http/errors.ts';
import { emit } from '../base/store/events.ts';
import { eraseDeleted } from '../base/store/purge.ts';
import { searchUsers } from '../base/store/reports/user-search.ts';
import {
  ACCOUNT_NAME_RULE,
  describeAccounts,
  findAccount,
  readAccountName,
} from '../base/store/repositories/account-names.ts';
import { type Connection, listAccounts, listConnections } from '../base/store/repositories/connections.ts';
import { listPartnerGrants } from '../base/store/repositories/oauth-grants.ts';
import { findUser } from '../base/store/repositories/users.ts';
import type { Executor } from '../base/store/schema.ts';
import { acceptTool } from '../call/tools/tool-consent.ts';
import { forgetUser } from '../identity/partners/forget-user.ts';
import { removeUserConnection, renameUserAccount } from '../identity/partners/remove-connection.ts';
import { mintUserLink, readUserPageTarget, USER_LINK_TTL_SECONDS } from '../identity/partners/user-links.ts';
import { invalid, missing, operation } from './operation.ts';
import { credentialType } from './services.ts';
import { count, next, pageOf, ROW_ID, textParameter, time, toPage } from './shapes.ts';

const user = z
  .object({ user_id: z.string(), created_at: time, connections: z.object({ active: count, attention: count }) })
  .meta({ id: 'User' });

const connection = z
  .object({
    id: z.string(),
    service: z.string(),
    title: z.string(),
    status: z.enum(['active', 'attention']),
    credential: credentialType.nullable().meta({ description: 'Null: the connection is older than this member.' }),
    account: z
      .string()
      .nullable()
      .meta({ maxLength: 200, description: 'Who is connected, in unverified text of the service. Null: unknown.' }),
    account_name: z.string().optional().meta({
      description:
        'Which of several accounts of the service it is, as the user named it. Absent: the user has had only this one.',
    }),
    connected_at: time,
    updated_at: time,
  })
  .meta({ id: 'Connection' });

/** Query that names one of several accounts. */
export const ACCOUNT_QUERY = {
  account: textParameter(
    '`account_name` of the connection, needed only where the user has several accounts of the service.',
  ),
};
const TARGET_RULE = "target is the address of one of the user's own pages, such as the page_url of an approval.";

const accountNaming = z.object({ account_name: z.string().meta({ description: ACCOUNT_NAME_RULE }) });

const toolFacts = z
  .object({
    tool: z.string(),
    facts: z.string().meta({ description: 'The `now` in the details of the refused call.' }),
  })
  .meta({ id: 'ToolFacts' });

export const USER_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/users',
      id: 'listUsers',
      summary: "The partner's users, the youngest first.",
      query: pageOf(ROW_ID),
      answers: { 200: 'The users.' },
      answer: z.object({ users: z.array(user), next }),
    },
    async ({ partner, query: { cursor: before, limit } }, { db }) => {
      const page = toPage(await searchUsers(db, { partnerId: partner.id, before }, limit + 1), limit, ({ id }) => id);
      const users = page.rows.map((row) => ({ ...row, userId: row.externalUserId, connections: row }));
      return { users, next: page.next };
    },
  ),
  operation(
    {
      method: 'delete',
      path: '/users/:user_id',
      id: 'deleteUser',
      summary: 'Removes a user with all connections, credentials and tokens.',
      answers: { 204: 'The user is removed.' },
      refusals: [404],
    },
    async (call, { db, revocations }) => {
      const { id: userId, partnerId, externalUserId } = await call.user();
      const removed = await revocations.after({ userId }, () =>
        db.transaction().execute(async (transaction) => {
          const row = await findUser(transaction, { partnerId, externalUserId });
          return row !== undefined && forgetUser(transaction, row, call.event());
        }),
      );
      if (!removed) throw missing('There is no such user_id.');
      await eraseDeleted(db);
    },
  ),
  operation(
    {
      method: 'get',
      path: '/users/:user_id/connections',
      id: 'listConnections',
      summary: 'What a user has connected.',
      answers: { 200: 'The connections, by service.' },
      answer: z.object({ user_id: z.string(), connections: z.array(connection) }),
    },
    async ({ partner, userId }, { db, services }) => {
      const externalUserId = userId();
      const owner = await findUser(db, { partnerId: partner.id, externalUserId });
      const rows = owner === undefined ? [] : await listConnections(db, owner.id);
      return { userId: externalUserId, connections: rows.map((row) => describeConnection(row, services)) };
    },
  ),
  operation(
    {
      method: 'patch',
      path: '/users/:user_id/connections/:service',
      id: 'renameConnection',
      summary: 'Renames one of several accounts of a service. Assistants choose the account by its name.',
      query: ACCOUNT_QUERY,
      body: { schema: accountNaming, explain: () => `account_name must be a string. ${ACCOUNT_NAME_RULE}` },
      answers: { 200: 'The connection as it is now.' },
      answer: connection,
      refusals: [404, 409, 413, 415],
    },
    async (call, { db, services }) => {
      const owner = await call.user();
      const name = readAccountName((await call.body()).account_name);
      if (name === null) throw invalid(`account_name cannot be used. ${ACCOUNT_NAME_RULE}`);
      const change = { by: 'partner', ...call.event() } as const;
      const account = await requireAccount(db, owner.id, { service: call.param('service'), name: call.query.account });
      if (account.accountName === null) throw invalid('This is the only account of the service, which needs no name.');
      const renamed = await db
        .transaction()
        .execute((transaction) => renameUserAccount(transaction, owner, { ...account, name }, change));
      if (renamed === 'taken')
        throw invalid('Another account of this service has this account_name, or one that looks like it.');
      if (renamed === 'gone') throw notConnected();
      return describeConnection({ ...account, accountName: name }, services);
    },
  ),
  operation(
    {
      method: 'delete',
      path: '/users/:user_id/connections/:service',
      id: 'deleteConnection',
      summary: 'Removes one connection with its credential.',
      query: ACCOUNT_QUERY,
      answers: { 204: 'The connection is removed.' },
      refusals: [404, 409],
    },
    async (call, { db, revocations }) => {
      const owner = await call.user();
      const { id, service } = await requireAccount(db, owner.id, {
        service: call.param('service'),
        name: call.query.account,
      });
      const change = { by: 'partner', ...call.event() } as const;
      const removed = await revocations.after({ userId: owner.id, service, connectionId: id }, () =>
        db.transaction().execute((transaction) => removeUserConnection(transaction, owner, { service, id }, change)),
      );
      if (!removed) throw notConnected();
    },
  ),
  // This is tool consent, not an approval of one call: the path and the id are older than approvals.
  operation(
    {
      method: 'post',
      path: '/users/:user_id/approvals',
      id: 'approveTool',
      summary: "Allows a tool that came to risk more, for the partner's own tokens of the user.",
      credentials: 'body',
      body: {
        schema: toolFacts,
        form: true,
        explain: () => 'tool and facts must be strings: those in the details of the refused call, its "now" as facts.',
      },
      answers: { 204: 'The tool is allowed.' },
      refusals: [404, 409],
    },
    async (call, { db, catalogue }) => {
      const owner = { partnerId: call.partner.id, externalUserId: call.userId() };
      const consent = await call.body();
      const byTool = catalogue.facts.byTool;
      const now = Object.hasOwn(byTool, consent.tool) ? byTool[consent.tool] : undefined;
      if (now === undefined) throw invalid('There is no tool of this name.');
      if (now !== consent.facts) {
        throw new RequestError(409, 'facts_changed', `The facts of this tool are "${now}" now.`);
      }
      const isDone = await db.transaction().execute(async (transaction) => {
        const row = await findUser(transaction, owner);
        if (row === undefined) return false;
        for (const grantId of await listPartnerGrants(transaction, row.id)) {
          await acceptTool(transaction, grantId, consent);
        }
        const of = { partnerId: owner.partnerId, userId: row.id, details: { ...consent, by: 'partner' } };
        await emit(transaction, { type: 'tool_allowed', ...of, ...call.event() });
        return true;
      });
      if (!isDone) throw missing('There is no such user_id.');
    },
  ),
  operation(
    {
      method: 'post',
      path: '/users/:user_id/links',
      id: 'createUserLink',
      summary: 'A link that signs a browser in to the own pages of a user, for example to approve a call.',
      body: {
        schema: z.object({
          target: z.string().nullable().optional().meta({
            description:
              'The page to open: the `page_url` of an approval, or the `target` that your connect page was asked for. Default: the page on which the user sees and takes back what is allowed.',
          }),
        }),
        explain: () => `${TARGET_RULE} Send a JSON object.`,
        isOptional: true,
      },
      answers: { 200: 'The link. It works once.' },
      answer: z.object({
        url: z.string(),
        expires_in: count.meta({ const: USER_LINK_TTL_SECONDS, description: 'Seconds.' }),
      }),
      refusals: [404],
    },
    async (call, { db, publicUrl }) => {
      const owner = await call.user();
      const { target = null } = await call.body();
      const page = target === null ? null : readUserPageTarget(target, publicUrl);
      if (target !== null && page === null) throw invalid(TARGET_RULE);
      const change = { by: 'partner', target: page, ...call.event() } as const;
      const link = await db.transaction().execute((transaction) => mintUserLink(transaction, owner, change));
      return { url: publicUrl + link, expiresIn: USER_LINK_TTL_SECONDS };
    },
  ),
];

function describeConnection(row: Connection, services: ReadonlyMap<string, string>) {
  const title = services.get(row.service) ?? row.service;
  return { ...row, title, credential: row.credentialType, connectedAt: row.createdAt };
}

/** The account of a service that a request names. */
interface RequestedAccount {
  readonly service: string;
  /** Its name. Undefined if the request names none. */
  readonly name: string | undefined;
}

/** Returns the connection that a request names. @throws {RequestError} `not_found` (404), `account_required` (409). */
export async function requireAccount(
  executor: Executor,
  userId: string,
  { service, name }: RequestedAccount,
): Promise<Connection> {
  const accounts = await listAccounts(executor, userId, service);
  const account = findAccount(accounts, name);
  if (account !== undefined) return account;
  if (accounts.length === 0) throw notConnected();
  const names = describeAccounts(accounts);
  if (name !== undefined) throw missing(`This user has no such account of the service. ${names}`);
  const description = `This user has several accounts of the service: name one with account. ${names}`;
  throw new RequestError(409, 'account_required', description);
}

function notConnected(): RequestError {
  return missing('This user_id is not connected to that service.');
}
