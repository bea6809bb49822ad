/** Calls that a rule says must be approved: finds the approval of the exact call and uses it up, or asks for it. */

import type { Kysely } from 'kysely';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import { OpenCounts } from '../../../base/open-counts.ts';
import { isRegisteredForReading } from '../../../base/principal/permission.ts';
import { hashSecret } from '../../../base/principal/secrets.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../base/store/conflicts.ts';
import { emit } from '../../../base/store/events.ts';
import {
  type Approval,
  countPending,
  findApproval,
  findStanding,
  insertApproval,
  isApproved,
  listApprovals,
  restoreApproval,
  spendApproval,
  withdrawApproval,
} from '../../../base/store/repositories/calls/approvals.ts';
import { findClient } from '../../../base/store/repositories/oauth-clients.ts';
import { lockUser } from '../../../base/store/repositories/users.ts';
import { newId } from '../../../base/store/rows.ts';
import type { Database, Executor } from '../../../base/store/schema.ts';
import {
  type CallDescription,
  describeCall,
  escapeMarkup,
  type LookUps,
  openDescription,
  sealDescription,
} from '../approvals/call-description.ts';
import { APPROVAL_TTL_MS, decide, isProven } from '../approvals/decide.ts';
import { type AcceptedChannel, type ApprovalPolicy, acceptsClient, isRememberable } from '../approvals/policy.ts';
import { listShownArguments, MAX_SHOWN_LENGTH } from '../approvals/shown-arguments.ts';
import { hasHandle } from '../files/handles.ts';
import { isObject, stableJson } from '../json.ts';
import { type CallOutcome, refuse } from './call-outcome.ts';
import type { CallApprovals } from './dependencies.ts';
import type { Call } from './state.ts';

interface Dependencies extends ApprovalPolicy {
  readonly db: Kysely<Database>;
  readonly sealer: ValueSealer;
  readonly channels: readonly AcceptedChannel[];
  /** Returns the URL of the user's own page of an approval. Null if that page accepts no decisions. */
  readonly approvalUrlOf: ((id: string) => string) | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Options extends Dependencies {
  /** Requests for approval that this process is making now, by grant, or by token without a grant. */
  readonly requestsInProgress: OpenCounts;
}

/** Calls of one grant that wait at a time: more than a person reads, and few enough to read. */
const MAX_PENDING = 20;

/** Maximum of tries. A call never loses so often to others. */
const MAX_TRIES = 5;

/** The key of the input request in which a client itself approves. */
export const CONFIRM = 'confirm';

/** Creates what asks for approvals. No transaction stays open during an upstream request. */
export function createCallApprovals(dependencies: Dependencies): CallApprovals {
  const options: Options = { ...dependencies, requestsInProgress: new OpenCounts() };
  const { db, traits, rule, approvalUrlOf, now } = options;
  // The approval by which a call is made. That of a single call is spent already; that of a batch is spent by `finish`.
  const approvalOf = new WeakMap<Call, Approval>();
  return {
    traits,
    rule,
    isOnPage: approvalUrlOf !== null,
    async requestWithConsent(call, consentRefusal, lookUp) {
      if (await isOfReadingClient(db, call)) return consentRefusal;
      const digest = digestOf(db, call);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const row = await findApproval(db, digest, now());
        if (row === undefined) {
          const refusal = await ask(call, { digest, standing: null, lookUp }, options);
          if (refusal !== null) return refusal;
        } else if (row.status === 'pending') return awaitingConsentAndApproval(call, row, consentRefusal, options);
        else return row.status === 'denied' ? deniedByUser() : consentRefusal;
      }
      return consentRefusal;
    },
    async require(call, lookUp) {
      const { entry } = call;
      const batchApproval = call.partOf && approvalOf.get(call.partOf);
      if (batchApproval !== undefined) {
        if (!(await isApproved(db, batchApproval, now()))) return awaitingApproval(call, entry.tool.title, null);
        if (batchApproval.channel !== null) call.approvedBy = batchApproval.channel;
        return null;
      }
      const digest = digestOf(db, call);
      const standing = standingDigestOf(call, options);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const row = await findApproval(db, digest, now());
        const mayUseStanding = (row?.status ?? 'pending') === 'pending' && answerOf(call.context) !== 'decline';
        if (mayUseStanding && (await isStanding(standing, options))) {
          call.approvedBy = 'standing';
          return null;
        }
        if (row === undefined) {
          const refusal = await ask(call, { digest, standing, lookUp }, options);
          if (refusal !== null) return refusal;
          continue;
        }
        const state = await settle(call, row, options);
        if (state.kind === 'changed') continue;
        if (state.kind === 'refused') return state.outcome;
        approvalOf.set(call, row);
        if (row.channel !== null) call.approvedBy = row.channel;
        return null;
      }
      return awaitingApproval(call, entry.tool.title, null);
    },
    async giveBack(call) {
      const row = approvalOf.get(call);
      if (row === undefined || call.mayHaveActed || !approvalOf.delete(call)) return;
      const { credentialSince } = call;
      await restoreApproval(db, row, { now: now(), credentialSince }).catch((error: unknown) => {
        // Meanwhile, another approval of the same call was asked for, and waits for its decision.
        if (!isUniqueViolation(error)) throw error;
      });
    },
    async finish(batch) {
      const row = approvalOf.get(batch);
      if (row !== undefined) await spendApproval(db, row, now());
    },
    async isWaiting({ partnerId, userId }, id) {
      const pendingApprovals = await listApprovals(db, { partnerId, userId, ids: [id], pendingAt: now(), limit: 1 });
      return pendingApprovals.length > 0;
    },
  };
}

interface ApprovalRequest {
  /** Names the exact call. */
  readonly digest: string;
  /** Names all calls of the tool. Null if its user cannot approve them all at once. */
  readonly standing: string | null;
  readonly lookUp: () => Promise<LookUps>;
}

/**
 * Asks for the approval of a call.
 *
 * @returns null if an approval is pending now, otherwise why the user cannot be asked.
 */
async function ask(call: Call, request: ApprovalRequest, options: Options): Promise<CallOutcome | null> {
  const { db, now, requestsInProgress } = options;
  const { principal } = call;
  const owner = principal.grantId ?? principal.tokenId;
  const others = requestsInProgress.of(owner);
  const end = requestsInProgress.open(owner);
  try {
    if (others + (await countPending(db, principal, now())) >= MAX_PENDING) return tooManyPending();
    return await requestApproval(call, request, options);
  } finally {
    end();
  }
}

/** Looks up what the call is about, and adds its approval. @returns as `ask`. */
async function requestApproval(
  call: Call,
  { digest, standing, lookUp }: ApprovalRequest,
  options: Options,
): Promise<CallOutcome | null> {
  const { db } = options;
  const { entry, batch } = call;
  const title = batch === undefined ? entry.tool.title : `${entry.tool.title}, ${batch.items.length} times`;
  const args = listShownArguments(call);
  if (args === undefined) return tooLongToShow(call);
  if (batch?.items.some((item) => hasHandle(entry.tool, item))) return unseenFiles(call);
  const description = describeCall(title, args, await lookUp(), standing);
  try {
    return await db
      .transaction()
      .execute((transaction) => addApproval(transaction, call, { digest, description }, options));
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return refuse('not_connected', { message: `${entry.connector.title} is not connected for this user any more.` });
  }
}

/** True if the client of a call registered only for reading, so that its user cannot allow the tool. */
async function isOfReadingClient(executor: Executor, { principal }: Call): Promise<boolean> {
  const client = principal.clientId === null ? undefined : await findClient(executor, principal.clientId);
  return isRegisteredForReading(client?.scopes ?? null);
}

/** Adds the approval, unless another call has added it. Other processes may have added more since `ask` counted. @returns as `ask`. */
async function addApproval(
  transaction: Executor,
  { principal, entry, connectionId = '', trace }: Call,
  { digest, description }: { readonly digest: string; readonly description: CallDescription },
  { sealer, approvalUrlOf, now: clock }: Options,
): Promise<CallOutcome | null> {
  const { partnerId, userId, grantId, tokenId, clientId } = principal;
  const service = entry.connector.name;
  const tool = entry.tool.name;
  const now = clock();
  const row = { id: newId(now), digest, expiresAt: now + APPROVAL_TTL_MS };
  const owner = { userId, grantId, tokenId, connectionId, service, tool, now };
  const sealed = sealDescription(sealer, description, row);
  await lockUser(transaction, userId);
  if (!(await insertApproval(transaction, { ...row, ...owner, sealed }))) return null;
  if ((await countPending(transaction, principal, now)) > MAX_PENDING) {
    await withdrawApproval(transaction, row.id);
    return tooManyPending();
  }
  await emit(transaction, {
    type: 'approval_requested',
    approvalId: row.id,
    pageUrl: approvalUrlOf?.(row.id) ?? null,
    userId,
    service,
    connectionId,
    tool,
    partnerId,
    clientId,
    grantId,
    requestId: trace.requestId,
    now,
    details: { approval: row.id, service, tool },
  });
  return null;
}

/** The state of an approval for a call: it may be made, it ends, or the approval changed meanwhile and must be read again. */
type ApprovalState =
  | { readonly kind: 'approved' }
  | { readonly kind: 'refused'; readonly outcome: CallOutcome }
  | { readonly kind: 'changed' };

const APPROVED: ApprovalState = { kind: 'approved' };
const CHANGED: ApprovalState = { kind: 'changed' };

/** Applies the decision about the approval. The approval of a single call is spent by that. */
async function settle(call: Call, row: Approval, options: Options): Promise<ApprovalState> {
  const { db, sealer, now, channels, traits } = options;
  if (row.status === 'denied') return { kind: 'refused', outcome: deniedByUser() };
  const answer = answerOf(call.context);
  if (row.status === 'approved') {
    if (answer === 'decline') return { kind: 'refused', outcome: deniedByUser() };
    if (!isProven(db, row)) throw new Error('the gateway did not give this approval');
    const mayCall = call.batch === undefined ? spendApproval(db, row, now()) : isApproved(db, row, now());
    return (await mayCall) ? APPROVED : CHANGED;
  }
  const description = openDescription(sealer, row, now());
  const isClientAccepted =
    acceptsClient(traits.get(call.entry.tool.name) ?? [], channels) && description?.isWhole === true;
  if (isClientAccepted && answer !== null && (await decideByClient(call, row, answer, options))) return CHANGED;
  const by = ['page', 'partner', 'client'].filter((channel) =>
    channel === 'client' ? isClientAccepted : channels.some((accepted) => accepted === channel),
  );
  const sentence = description === null ? call.entry.tool.title : toClientSentence(call, description);
  const details = { approval: row.id, expiresAt: new Date(row.expiresAt).toISOString(), by };
  return { kind: 'refused', outcome: awaitingApproval(call, sentence, details) };
}

/** Returns the client's own answer to the input request of this call, or null if there is none. */
function answerOf({ requestState, inputResponses }: Call['context']): 'accept' | 'decline' | null {
  const response = requestState === null ? undefined : inputResponses[CONFIRM];
  const action = isObject(response) ? response.action : null;
  return action === 'accept' || action === 'decline' ? action : null;
}

/**
 * Lets the client itself decide.
 *
 * @returns true if the client has decided.
 */
async function decideByClient(
  { principal, trace }: Call,
  { id, digest, userId }: Approval,
  answer: 'accept' | 'decline',
  { db, now }: Options,
): Promise<boolean> {
  if (digest === null) return false;
  const { partnerId, clientId } = principal;
  const decision = { approve: answer === 'accept', channel: 'client', now: now(), requestId: trace.requestId } as const;
  return db
    .transaction()
    .execute((transaction) => decide(transaction, { id, digest, userId, partnerId, clientId }, decision));
}

/** Returns the sentence with the names that the client could read itself. */
function toClientSentence({ entry }: Call, { sentence, isWhole, names, lookedUpAt }: CallDescription): string {
  const nameTexts = names.flatMap(({ argument, name, isForClient }) =>
    isForClient && name !== undefined ? [`${argument} is ${escapeMarkup(name)}`] : [],
  );
  if (!isWhole || nameTexts.length === 0 || lookedUpAt === undefined) return sentence;
  const time = new Date(lookedUpAt).toISOString().slice(0, 16).replace('T', ' ');
  return `${sentence}. ${entry.connector.title} says, looked up at ${time} UTC: ${nameTexts.join('; ')}`;
}

/**
 * Names the exact call: who makes it, by which grant, with which connection, of which tool as it is defined now, with which
 * arguments as they are sent. The definition has the values that the tool adds.
 */
function digestOf(db: Kysely<Database>, call: Call): string {
  const definition = call.entry.tool.provenance?.definition ?? null;
  return hashSecret(db, `approval ${stableJson([...callIdentity(call), definition, call.arguments])}`);
}

function callIdentity({ principal, entry, connectionId }: Call) {
  const { userId, grantId, tokenId } = principal;
  return [userId, grantId === null ? ['token', tokenId] : ['grant', grantId], connectionId, entry.tool.name] as const;
}

/**
 * Returns the digest of an approval of all calls of a tool as it is defined now, with any arguments. Null if such an approval is not accepted, or the
 * definition is not known.
 */
function standingDigestOf(call: Call, { db, traits, remember }: Options): string | null {
  const { tool } = call.entry;
  const definition = tool.provenance?.definition ?? '';
  const isAccepted = isRememberable(traits.get(tool.name) ?? [], remember, call.principal.approvals);
  if (!isAccepted || definition === '') return null;
  return hashSecret(db, `standing approval ${stableJson([...callIdentity(call), definition])}`);
}

async function isStanding(digest: string | null, { db, now }: Options): Promise<boolean> {
  const row = digest === null ? undefined : await findStanding(db, digest, now());
  if (row !== undefined && !isProven(db, row)) throw new Error('the gateway did not give this approval');
  return row !== undefined;
}

function awaitingApproval({ principal, entry }: Call, sentence: string, details: ApprovalFacts | null): CallOutcome {
  const partnerHint = details?.by.includes('page') === false ? ` It can be approved in ${principal.partnerName}.` : '';
  return refuse('awaiting_approval', {
    message: `Nothing was sent to ${entry.connector.title} yet. This call waits for the approval of its user: ${sentence}.${partnerHint}`,
    details,
  });
}

/** Refuses a call that waits for the consent to its tool, and for the approval of exactly this call. */
function awaitingConsentAndApproval(
  { entry: { connector, tool } }: Call,
  row: Approval,
  { error }: CallOutcome,
  { sealer, now }: Options,
): CallOutcome {
  const sentence = openDescription(sealer, row, now())?.sentence ?? tool.title;
  return refuse('needs_approval', {
    message: `${error?.message ?? ''} Nothing was sent to ${connector.title}. The user can allow the tool and approve this call on one page: ${sentence}.`,
    advice: 'Call again with the same arguments after the user has done that.',
    details: {
      ...(isObject(error?.details) ? error.details : {}),
      approval: row.id,
      expiresAt: new Date(row.expiresAt).toISOString(),
    },
  });
}

/** Facts about an approval for the caller. */
interface ApprovalFacts {
  readonly approval: string;
  /** RFC 3339. */
  readonly expiresAt: string;
  /** Ways to decide it. */
  readonly by: readonly string[];
}

function deniedByUser(): CallOutcome {
  return refuse('denied_by_user', { message: 'The user said no to this call. Nothing was sent.' });
}

function tooLongToShow({ entry }: Call): CallOutcome {
  return refuse('request_too_large', {
    message: `Nothing was sent to ${entry.connector.title}: the user has to approve this call, and its arguments have more than the ${MAX_SHOWN_LENGTH} characters that a person can be shown, or are nested too deeply.`,
    advice: 'Divide it into several calls.',
  });
}

/** The files of a batch are opened when its calls are made, so that their user would decide about handles. */
function unseenFiles({ entry }: Call): CallOutcome {
  return refuse('invalid_arguments', {
    message: `Nothing was sent to ${entry.connector.title}: the user has to approve this call, and is not shown the files of a batch.`,
    advice: 'Call the tool once for each item.',
  });
}

function tooManyPending(): CallOutcome {
  return refuse('awaiting_approval', {
    message: `Nothing was sent: ${MAX_PENDING} calls of this client are waiting for approval, and the user has to decide about those first.`,
    advice: 'Tell the user.',
  });
}
