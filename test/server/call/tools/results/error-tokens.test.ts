import { describe, expect, it } from 'vitest';
import { createTokenCounter } from '../../../../../codegen/emit/tool-size.ts';
import { connectors as generated } from '../../../../../generated/index.ts';
import { CredentialUnreadableError } from '../../../../../server/base/credentials/index.ts';
import { FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import type { Principal } from '../../../../../server/base/principal/principal.ts';
import { prepareArguments } from '../../../../../server/call/tools/call/arguments.ts';
import {
  checkAccess,
  checkLimit,
  checkPartner,
  checkToolConsent,
  openConnection,
} from '../../../../../server/call/tools/call/authorize.ts';
import {
  type CallOutcome,
  failed,
  needsAttention,
  refuse,
  unreadableCredential,
} from '../../../../../server/call/tools/call/call-outcome.ts';
import type { CallDependencies } from '../../../../../server/call/tools/call/dependencies.ts';
import { refuseWithoutSlot, renewCredential } from '../../../../../server/call/tools/call/sending.ts';
import type { AuthorizedUse, Call } from '../../../../../server/call/tools/call/state.ts';
import { createCallRules } from '../../../../../server/call/tools/call-limits.ts';
import { parseCallRules } from '../../../../../server/call/tools/catalogue/call-rules.ts';
import { createCatalogue } from '../../../../../server/call/tools/catalogue/catalogue.ts';
import { completeConnector } from '../../../../../server/call/tools/catalogue/connectors.ts';
import type { CompleteToolResult } from '../../../../../server/call/tools/provider.ts';
import { explainMcpProblem } from '../../../../../server/call/tools/results/mcp-problems.ts';
import { OUTCOMES } from '../../../../../server/call/tools/results/outcomes.ts';
import {
  explainErrorAnswer,
  explainFailure,
  explainTooLarge,
  explainUnreadable,
} from '../../../../../server/call/tools/results/upstream-errors.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import { UpstreamFailure, type UpstreamFailureKind } from '../../../../../server/call/upstream/failures.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import { openListeningStore } from '../../../../support/listening.ts';
import { insertPartnerAndUser } from '../../../base/store/fixtures.ts';
import { createSqliteDatabase } from '../../../base/store/sqlite-database.ts';
import { startApprovals } from '../call/approve/support.ts';
import { startOnce } from '../call/once/support.ts';
import { createPrincipal } from '../support.ts';

const NOW = Date.UTC(2026, 0, 31);
const TIMEOUT_MS = 30_000;
const MEAN_TOKENS = 60;
const connectors = generated.map(completeConnector);
const catalogue = createCatalogue(connectors);
const countTokens = await createTokenCounter();

function called(name: string, args: Record<string, unknown> = {}) {
  const connector = connectors.find(({ tools }) => tools.some((tool) => tool.name === name))!;
  return { connector, tool: connector.tools.find((tool) => tool.name === name)!, args };
}

const PERSON = called('crm_get_person', { personId: 7 });
const CONTACT = called('mailer_create_contact', { brandId: 'b1', email: 'ada@example.com' });
const DELETED = called('retrieval_delete_document', { documentId: 'd1' });
const TABLE = called('datatable_get_table_row', { vendorCode: 'ZACKS', tableCode: 'FC' });

/** An error answer of a service, in the shape of its documents. */
function answered(
  status: number,
  of = PERSON,
  words: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const { message = 'The request was not accepted.', code } = words;
  const body =
    of === TABLE
      ? { quandl_error: { code, message } }
      : of === PERSON
        ? { errors: [{ code, message }] }
        : { type: 'error', message };
  const answer = { status, header: (name: string) => headers[name] ?? null };
  return failed(explainErrorAnswer(of, { answer, body }, NOW));
}

function unanswered(kind: UpstreamFailureKind, of = PERSON) {
  return failed(explainFailure(of, new UpstreamFailure(kind, { retryAfterSeconds: 5, status: 302 }), TIMEOUT_MS));
}

function call(
  of: ReturnType<typeof called>,
  changes: Partial<Principal> = {},
  waitSeconds: number | null = null,
): Call {
  const entry = { connector: of.connector, tool: of.tool };
  const services = [of.connector.name];
  const connection = { id: 'c1', status: 'active' as const, sealedCredential: null, updatedAt: 1 };
  const connections = new Map([[of.connector.name, connection]]);
  const principal = createPrincipal({ services, connections, ...changes });
  return {
    entry,
    principal,
    waitSeconds,
    signal: AbortSignal.timeout(1000),
    deadline: NOW,
  } as unknown as Call;
}

function invalid(name: string, args: Record<string, unknown>): CallOutcome {
  const { tool } = called(name);
  const prepared = prepareArguments(tool as Tool, args, createValidators()(tool.inputSchema));
  if (prepared.ok) throw new Error(`${name} takes ${JSON.stringify(args)}`);
  return refuse('invalid_arguments', { message: prepared.text });
}

const deps = { catalogue, now: () => NOW } as unknown as CallDependencies;
const leased = (scopes: readonly string[]) =>
  ({
    ...deps,
    leases: { open: () => ({ fields: {}, token: { scopes: new Set(scopes) } }) },
  }) as unknown as CallDependencies;
const VERSIONED = {
  ...PERSON,
  tool: { ...PERSON.tool, request: { header: { 'x-api-version': { constant: '1' } } } } as Tool,
};
const of = (tool: typeof PERSON) => call(tool) as unknown as AuthorizedUse<Tool>;
const SCOPED = { ...PERSON, tool: { ...PERSON.tool, scopes: [['crm.read']] } };

const ENDINGS: readonly (CallOutcome | null | Promise<CallOutcome | null>)[] = [
  checkLimit(call(PERSON, {}, 42)),
  checkPartner(call(PERSON, { isSuspended: true })),
  checkPartner(call(PERSON, { offeredServices: ['mailer'] })),
  checkAccess(call(PERSON, { connections: new Map(), services: ['mailer', 'billing'] }), deps),
  checkAccess(call(CONTACT, { scopes: ['tools:read'] }), deps),
  checkAccess(call(CONTACT, { isWritingStopped: true }), deps),
  needsAttention('Affinity'),
  openConnection(call(SCOPED), leased([])),
  renewCredential(of(PERSON), Promise.resolve({ kind: 'delayed', retryAfterSeconds: 9, byOperator: false }), NOW),
  invalid('datatable_get_end_of_day_quote', { ticker: 'AAPL', perPage: 0 }),
  invalid('mailer_create_contact', { email: 'ada@example.com', brand: 'b1' }),
  invalid('crm_list_persons', { email: 'ada@example.com' }),
  invalid('retrieval_get_document_content', { documentId: 'd1', fields: ['tilte'] }),
  refuseWithoutSlot(of(TABLE).entry.connector, { kind: 'none', cap: 'rate', retryAfterSeconds: 5 }),
  answered(401),
  refuse('refused_once', { message: 'Affinity refused the credential of this connection once.', status: 401 }),
  answered(400, PERSON, { code: 'validation', message: 'limit must be at most 100' }),
  answered(402, TABLE, { code: 'QEPx04', message: 'You do not have permission to view this dataset.' }),
  answered(403, PERSON, { code: 'authorization', message: 'You are not allowed to see this person.' }),
  answered(404, PERSON, { code: 'not-found', message: 'Person not found' }),
  answered(404, DELETED, { message: 'Document not found' }),
  answered(410, PERSON),
  answered(405, PERSON),
  answered(406, PERSON),
  answered(409, CONTACT, { message: 'Contact already exists' }),
  answered(413, TABLE, { code: 'QELx08', message: 'Your request is too large.' }),
  answered(422, TABLE, { code: 'QESx04', message: 'You cannot filter by this column.' }),
  answered(418),
  answered(429, PERSON, { code: 'rate-limit', message: 'Too many requests' }, { 'retry-after': '12' }),
  answered(429, TABLE, { code: 'QELx02', message: 'You have exceeded the daily limit.' }),
  answered(500, PERSON, { code: 'server', message: 'Internal error' }),
  answered(500, CONTACT, { message: 'Internal error' }),
  answered(503),
  failed(
    explainErrorAnswer(
      VERSIONED,
      { answer: { status: 400, header: () => null }, body: 'x-api-version is too old' },
      NOW,
    ),
  ),
  unanswered('circuit_open'),
  unanswered('busy'),
  unanswered('redirect'),
  unanswered('timeout'),
  unanswered('timeout', DELETED),
  unanswered('unreachable'),
  unanswered('tls'),
  unanswered('reset', CONTACT),
  unanswered('protocol'),
  unanswered('cancelled'),
  failed(explainUnreadable(PERSON, 200, 'is not valid JSON (it may have been cut off)')),
  failed(explainMcpProblem(PERSON, 'definition_changed', null)),
  failed(explainMcpProblem(PERSON, 'tool_gone', null)),
  failed(explainMcpProblem(CONTACT, 'tool_error', 'The list is locked.')),
  failed(explainMcpProblem(CONTACT, 'asks_user', { message: 'Which brand?' })),
  failed(explainTooLarge(called('billing_list_customers'), 9_000_000, 1_048_576, 200)),
];

const riskier = { permission: { ...FULL_PERMISSION, seen: 'before' } };
const rights = (seen: Record<string, string>) =>
  ({ catalogue, seenFacts: () => seen }) as unknown as Parameters<typeof checkToolConsent>[1];

const RIGHTS: readonly (CallOutcome | null | Promise<CallOutcome | null>)[] = [
  checkAccess(call(PERSON, { narrowedTo: ['mailer'] }), deps),
  checkToolConsent(call(CONTACT, riskier), rights({})),
  checkToolConsent(call(CONTACT, riskier), rights({ mailer_create_contact: 'reads old.example.com' })),
  unreadableCredential(PERSON, new CredentialUnreadableError('unknown-key', 'k1'), () => {}),
  unreadableCredential(PERSON, new CredentialUnreadableError('damaged', null), () => {}),
];

/** The ending of a whole call, read from its result. */
function toEnding(result: CompleteToolResult): CallOutcome {
  const [text, json] = result.content.map((block) => String(block.text));
  const error = { ...JSON.parse(json!), message: text };
  return { result, outcome: error.code, error, upstreamStatus: null, resultBytes: 0 };
}

/** Calls with idempotency keys, and one in which the gateway itself fails. */
async function callsWithKeys(): Promise<readonly CallOutcome[]> {
  const database = await createSqliteDatabase();
  const store = await openListeningStore({ url: database.url });
  const throwing = () => {
    throw new Error('the disk is full');
  };
  const once = await startOnce(store, (_, response) => response.socket?.destroy(), { seenFacts: throwing });
  const results = [await once.add(null, {}, { principal: riskier }), await once.add('k')];
  results.push(await once.add('k'), await once.add('k', { title: 'A' }));
  const { key_hash: _, ...row } = await store.db.selectFrom('calls_made_once').selectAll().executeTakeFirstOrThrow();
  const running = { ...row, status: 'running', held_until: Date.now() + 3_600_000 } as const;
  await store.db.updateTable('calls_made_once').set(running).execute();
  results.push(await once.add('k', {}, { signal: AbortSignal.timeout(60_000) }));
  for (let batch = 0; batch < 50; batch += 1) {
    const rows = Array.from({ length: 400 }, (_, at) => ({ ...row, key_hash: `${batch} ${at}` }));
    await store.db.insertInto('calls_made_once').values(rows).execute();
  }
  results.push(await once.add('another'));
  await once.close();
  await store.close();
  await database.remove();
  return results.map(toEnding);
}

/** Calls that their user has to approve. */
async function callsToApprove(): Promise<readonly CallOutcome[]> {
  const database = await createSqliteDatabase();
  const store = await openListeningStore({ url: database.url });
  const calls = await startApprovals(store);
  const results = [await calls.call()];
  for (const row of await calls.waiting()) await calls.decide(row, { approve: false });
  results.push(await calls.call());
  for (let id = 0; id < 20; id += 1) await calls.call({ id: `b${id}` });
  results.push(await calls.call({ id: 'one more' }));
  await calls.close();
  await store.close();
  await database.remove();
  return results.map(toEnding);
}

/** A call that a rule of the operator refuses. */
async function callOverLimit(): Promise<CallOutcome> {
  const database = await createSqliteDatabase();
  const store = await openListeningStore({ url: database.url });
  const rules = parseCallRules('service:crm 1/day/partner');
  const limits = createCallRules({ rules, effectsByTool: new Map(), db: store.db, now: () => NOW });
  const { user, partner } = await insertPartnerAndUser(store);
  const principal = { partnerId: partner.id, userId: user.id };
  await limits.count(call(PERSON, principal));
  const outcome = await limits.count(call(PERSON, principal));
  await store.close();
  await database.remove();
  return outcome!;
}

describe('the errors of all kinds', async () => {
  const all = await Promise.all([...ENDINGS, ...RIGHTS]);
  const endings = [
    ...all.filter((ending) => ending !== null),
    ...(await callsWithKeys()),
    ...(await callsToApprove()),
    await callOverLimit(),
  ];
  const byKind = Map.groupBy(endings, ({ outcome }) => outcome);
  const textsOf = ({ result }: CallOutcome) => result.content.map(({ text }) => String(text));

  it('are all there', () => {
    const kinds = OUTCOMES.filter((outcome) => outcome !== 'ok');
    expect([...byKind.keys()].toSorted()).toEqual([...kinds].toSorted());
  });

  it(`have at most ${MEAN_TOKENS} tokens on average`, () => {
    const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
    const tokensOf = (ending: CallOutcome) =>
      mean(textsOf(ending).map((text) => countTokens(text))) * textsOf(ending).length;
    const means = [...byKind].map(([kind, ofKind]) => [kind, mean(ofKind.map(tokensOf))] as const);
    expect(mean(means.map(([, tokens]) => tokens))).toBeLessThanOrEqual(MEAN_TOKENS);
  });

  it.each(endings.map((ending) => [ending.outcome, ending] as const))(
    '%s says its message once, and nothing that is null',
    (_, ending) => {
      const [text = '', json = ''] = textsOf(ending);
      expect(text).toContain(ending.error?.message);
      expect(json).not.toMatch(/null|as data|"message"/);
      expect(JSON.parse(json)).toMatchObject({ code: ending.outcome, retryable: ending.error?.retryable });
    },
  );

  it.each(
    endings
      .filter(({ error }) => error?.retryable === false)
      .map((ending) => [ending.outcome, textsOf(ending)[0]] as const),
  )('%s, which is not retryable, gives no advice to wait and repeat the call', (_, text) =>
    expect(text).not.toMatch(/later|wait\b|in a (moment|minute)/i),
  );
});
