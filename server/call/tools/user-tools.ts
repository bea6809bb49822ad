/** The tools of one user: the list of connected tools, and calls of them. */

import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import { TestModeOffError } from '../../base/per-realm.ts';
import { allowsService } from '../../base/principal/allowance.ts';
import { mayRead, mayWrite, SCOPES } from '../../base/principal/permission.ts';
import type { Principal } from '../../base/principal/principal.ts';
import type { Realm } from '../../base/realm.ts';
import type { ToolAlias } from '../../contract/index.ts';
import { answersOf, askForServer, askOnPage } from './ask-for-server.ts';
import { type CallToResume, type OpenedState, offerPage, openState, toConnectPage, type UserPage } from './ask-user.ts';
import { CONFIRM } from './call/approve.ts';
import type { CallOutcome } from './call/call-outcome.ts';
import type { CallDependencies, CallFault } from './call/dependencies.ts';
import { continuesBegunWork } from './call/kinds/wait.ts';
import { createCallMaker } from './call/pipeline.ts';
import type { Call, ResultReader } from './call/state.ts';
import type { Catalogue, CatalogueEntry } from './catalogue/catalogue.ts';
import { isAgreed, type ToolFacts } from './catalogue/facts.ts';
import { isPermitted, pinsOf } from './catalogue/permitted.ts';
import { isScoped, type WithholdRule } from './catalogue/withheld.ts';
import { dryRun } from './dry-run.ts';
import { createFinder, findInnerEntry } from './finder.ts';
import { DEFAULT_RESULT_TOKENS, isObject, toByteLimit, toListLimit } from './json.ts';
import {
  type CompleteToolResult,
  createOwnContext,
  InvalidCallError,
  type ToolCallContext,
  type ToolProvider,
  type ToolResult,
  UnknownToolError,
} from './provider.ts';
import type { QuestionPages } from './questions/store.ts';
import { remedyOf } from './results/outcomes.ts';
import { ReadLists } from './selection/read-lists.ts';
import type { ToolConsentLinks } from './tool-consent.ts';

/** The dependencies of users' tools. */
export interface UserToolsDependencies extends CallDependencies {
  /** The pages for users when a call needs their action. Default: results say what to do, without a URL. */
  readonly pages?: {
    /** Seals the state of a call while its user is asked to open a page. */
    readonly states: ValueSealer;
    /** Questions of MCP servers, and the addresses of their pages. Undefined if there is no such page. */
    readonly questions?: QuestionPages | undefined;
    readonly consentLinks: ToolConsentLinks;
    /** Returns the user's page of an approval of a call. Null if there is no such page, or its answers are not accepted. */
    readonly approvalUrlOf?: ((id: string | null) => string) | null;
  };
}

/** The parts that a call begins with. */
interface CallInput extends CallToResume {
  readonly entry: CatalogueEntry;
  readonly idempotencyKey: string | null;
  readonly signal: AbortSignal;
  readonly answers?: Call['answers'];
}

type UserPages = NonNullable<UserToolsDependencies['pages']>;

/** Creates the provider of all tools of a user: those of the catalogue, and the four that find tools. */
export function createUserTools(dependencies: UserToolsDependencies): ToolProvider {
  const deps = { readLists: new ReadLists(), ...dependencies, onFault: reportDriftOnce(dependencies.onFault) };
  const { catalogue, pages } = deps;
  const makeCall = createCallMaker(deps);
  const createCall = (input: CallInput) => toCall(input, deps);
  const provider: ToolProvider = {
    list: catalogue.list,
    missingScopes(principal, name, args, era) {
      const entry = catalogue.find(name) ?? findInnerEntry(catalogue, name, args);
      if (entry === undefined || !principal.connections.has(entry.connector.name)) return null;
      const { readOnlyHint } = entry.tool.annotations;
      if (readOnlyHint ? mayRead(principal.scopes) : mayWrite(principal.scopes)) return null;
      if (!isPermitted(entry, principal.permission)) return null;
      if (era === '2025' && pages !== undefined && !isAgreed(entry, principal.permission, catalogue.facts.byTool))
        return null;
      return readOnlyHint ? ['tools:read'] : SCOPES;
    },
    showsSchema: (principal, name) => catalogue.showsSchema(name, principal),
    takesFiles: (name, args) => (catalogue.find(name) ?? findInnerEntry(catalogue, name, args))?.takesFiles === true,
    async dryRun(principal, name, args) {
      const entry = catalogue.find(name);
      if (entry === undefined) throw unknownTool(catalogue, principal, name);
      const context = createOwnContext();
      const request = { principal, entry, tool: name, args, context, now: deps.now() };
      return dryRun(createCall({ ...request, idempotencyKey: null, signal: context.signal }), deps);
    },
    async call(principal, name, args, context) {
      const entry = catalogue.find(name);
      if (entry === undefined) {
        const finderResult = callFinder(principal, name, args, context);
        if (finderResult !== null) return finderResult;
        throw unknownTool(catalogue, principal, name);
      }
      const { readOnlyHint } = entry.tool.annotations;
      const idempotencyKey = readOnlyHint ? null : readIdempotencyKey(context.meta);
      const startedAt = deps.now();
      const resumableCall = { principal, tool: name, args, context, now: startedAt };
      const isRepeatedAfterQuestion = pages !== undefined && context.requestState !== null;
      const opened: OpenedState = isRepeatedAfterQuestion ? openState(resumableCall, pages.states) : { timesAsked: 0 };
      const answers =
        pages === undefined ? undefined : answersOf(context, opened.questions, pages.questions !== undefined);
      const signal = readOnlyHint ? context.signal : signalOfWrite(context, idempotencyKey);
      let call = createCall({ ...resumableCall, entry, idempotencyKey, signal, answers });
      let callOutcome = await makeCall(call);
      const storedAnswers = callOutcome.questions && (await pages?.questions?.store.takeAnswers(resumableCall));
      if (storedAnswers !== undefined && answers !== undefined) {
        const allAnswers = { ...answers, ...storedAnswers };
        call = createCall({ ...resumableCall, now: deps.now(), entry, idempotencyKey, signal, answers: allAnswers });
        callOutcome = await makeCall(call);
      }
      const result =
        entry.alias === undefined ? callOutcome.result : withAliasNote(callOutcome.result, entry, entry.alias);
      if (pages === undefined || callOutcome.error === null) return result;
      return askUser({ resumableCall, call, callOutcome, result, opened }, { ...deps, pages });
    },
  };
  const callFinder = createFinder(catalogue, provider, deps);
  return provider;
}

function toCall(input: CallInput, deps: UserToolsDependencies): Call {
  const { principal, entry, tool, args, context, now, idempotencyKey, signal, answers } = input;
  return {
    principal,
    entry,
    context,
    waitSeconds: context.waitSeconds,
    progress: context.progress,
    answers,
    idempotencyKey,
    signal,
    calledAs: tool,
    clientArguments: args,
    arguments: args,
    startedAt: now,
    deadline: now + deps.timeoutMs,
    mayHaveActed: false,
    trace: { requestId: context.requestId },
    userId: principal.userId,
    pins: pinsOf(principal.permission, entry.connector.name),
    reader: toReader(principal, context, deps),
  };
}

function toReader(principal: Principal, { resultBytes }: ToolCallContext, deps: UserToolsDependencies): ResultReader {
  const id = principal.grantId ?? principal.tokenId;
  if (resultBytes !== undefined) return { id, limit: resultBytes };
  const limit = toByteLimit(principal.permission.resultTokens ?? deps.resultTokens ?? DEFAULT_RESULT_TOKENS);
  return { id, limit, listLimit: toListLimit(limit) };
}

/** A call that has ended with an error. */
interface FailedToolCall {
  readonly resumableCall: CallToResume;
  readonly call: Call;
  readonly callOutcome: Exclude<CallOutcome, { readonly outcome: 'ok' }>;
  readonly result: CompleteToolResult;
  readonly opened: OpenedState;
}

/** Returns the result that asks the user: the server's questions, or a page. Else the result as it is. */
async function askUser(
  { resumableCall, call, callOutcome, result, opened }: FailedToolCall,
  deps: UserToolsDependencies & { readonly pages: UserPages },
): Promise<ToolResult> {
  const { pages, catalogue, approvals } = deps;
  const { principal, entry } = call;
  const { questions } = callOutcome;
  const { states } = pages;
  if (questions !== undefined) {
    const { connector } = entry;
    const options = { title: connector.title, opened, states, otherwise: result };
    const inputRequired = askForServer(resumableCall, questions, options);
    if (inputRequired !== null || pages.questions === undefined) return inputRequired ?? result;
    const asking = { connector, questions, error: callOutcome.error };
    const pageQuestion = await askOnPage(resumableCall, asking, pages.questions);
    if (pageQuestion === null) return result;
    const { page, result: resultWithoutPage } = pageQuestion;
    return offerPage(resumableCall, resultWithoutPage, page, { timesAsked: opened.timesAsked, states });
  }
  const facts = catalogue.facts.byTool;
  const isShared = call.share !== undefined;
  const page = findPage(principal, entry, callOutcome, { pages, facts, approvals, now: call.startedAt, isShared });
  if (page === null) return result;
  return offerPage(resumableCall, result, page, { timesAsked: opened.timesAsked, states: pages.states });
}

/**
 * The tools of all callers: one provider for each realm and set of rules that withhold more, created for its first
 * caller. The caller is known from the access token; nothing else in the request counts.
 *
 * @param create the tools of a realm as these rules leave them. @param partnerClientIdOf the `client_id` of a partner, by row id.
 */
export function createScopedTools(
  rules: readonly WithholdRule[],
  create: (rules: readonly WithholdRule[], realm: Realm) => ToolProvider,
  partnerClientIdOf: (id: string) => Promise<string | undefined>,
): ToolProvider {
  const live = create([], 'live');
  const scopedRules = rules.filter(isScoped);
  const clientIdByPartner = new Map<string, string | undefined>();
  const providers = new Map([['live []', live]]);
  const provide = (callerRules: readonly WithholdRule[], { realm }: Principal): ToolProvider => {
    const key = `${realm} ${JSON.stringify(callerRules)}`;
    try {
      const provider = providers.get(key) ?? create(callerRules, realm);
      providers.set(key, provider);
      return provider;
    } catch (error) {
      throw error instanceof TestModeOffError ? new InvalidCallError(error.description) : error;
    }
  };
  const findScopedProvider = async (caller: Principal): Promise<ToolProvider> => {
    const { partnerId, clientId } = caller;
    const partnerClientId = clientIdByPartner.get(partnerId) ?? (await partnerClientIdOf(partnerId));
    clientIdByPartner.set(partnerId, partnerClientId);
    const callerRules = scopedRules.filter(
      ({ partner, client }) =>
        (partner === undefined || partner === partnerClientId) && (client === undefined || client === clientId),
    );
    return provide(callerRules, caller);
  };
  const findProvider = (caller: Principal): ToolProvider | Promise<ToolProvider> => {
    if (scopedRules.length > 0) return findScopedProvider(caller);
    return caller.realm === 'live' ? live : provide([], caller);
  };
  // The other methods do not depend on the realm or on rules, so the live provider answers them for all callers.
  const { list: _, call: __, dryRun: ___, ...sharedMethods } = live;
  return {
    ...sharedMethods,
    list: async (caller, cursor) => (await findProvider(caller)).list(caller, cursor),
    dryRun: async (caller, ...call) => (await findProvider(caller)).dryRun(caller, ...call),
    call: async (caller, ...call) => (await findProvider(caller)).call(caller, ...call),
  };
}

/** Returns the page where the user can fix the cause of a failed call, or null if there is none. */
function findPage(
  principal: Principal,
  { connector, tool }: CatalogueEntry,
  callOutcome: CallOutcome,
  { pages, facts, approvals, now, isShared }: PageOptions,
): UserPage | null {
  const { connectUri, clientId, grantId, narrowedTo } = principal;
  const remedy = remedyOf(callOutcome.outcome);
  const { title, name } = connector;
  const isIncluded = (narrowedTo?.includes(name) ?? true) && allowsService(principal.permission.allows, name);
  // The connection of a team is not the user's to replace.
  const canConnect = connectUri !== null && !isShared && isIncluded;
  if ((remedy === 'connect' || remedy === 'reconnect') && canConnect) {
    const previousStates = new Set(connectionStates(principal, name));
    const isDone: UserPage['isDone'] = (now) => connectionStates(now, name).some((state) => !previousStates.has(state));
    const { missing, account } = isObject(callOutcome.error?.details) ? callOutcome.error.details : {};
    const [accountName, extra] = [account, missing].map((text) => (typeof text === 'string' ? text : null));
    return {
      remedy,
      url: toConnectPage(connectUri, name, accountName, extra),
      message: connectMessage(callOutcome, title),
      isDone,
    };
  }
  if (remedy === 'allow' && clientId !== null && grantId !== null) {
    const message = `${callOutcome.error?.message ?? ''} Open the page to see it and to allow it, then continue.`;
    const page = approvalPage(principal, callOutcome, pages, approvals);
    if (page.approval !== undefined && page.url !== null) return { ...page, remedy, message };
    const url = pages.consentLinks.urlOf({ grantId, tool: tool.name, facts: facts[tool.name] ?? '' }, now);
    const isDone: UserPage['isDone'] = ({ permission }) => permission.accepted[tool.name] === facts[tool.name];
    return { remedy, url, message, isDone };
  }
  return remedy === 'approve' ? approvalPage(principal, callOutcome, pages, approvals) : null;
}

/**
 * Returns one text for each working connection to the service. A text that was not there before means that a connection works again, is
 * new, or has another credential.
 */
function connectionStates({ connections }: Principal, service: string): string[] {
  const first = connections.get(service);
  const accounts = first === undefined ? [] : [first, ...(first.others ?? [])];
  return accounts.flatMap(({ id, status, updatedAt }) => (status === 'active' ? [`${id} ${updatedAt}`] : []));
}

interface PageOptions {
  readonly pages: UserPages;
  readonly facts: ToolFacts;
  readonly approvals: CallDependencies['approvals'];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** True if the call used a connection that a team shares. */
  readonly isShared: boolean;
}

/** Returns the page where the user approves the call that waits, or all of them if too many do. */
function approvalPage(
  principal: Principal,
  { error }: CallOutcome,
  { approvalUrlOf = null }: UserPages,
  approvals: CallDependencies['approvals'],
): UserPage {
  const { approval, by = null } = isObject(error?.details) ? error.details : {};
  const id = typeof approval === 'string' ? approval : null;
  const mayConfirm = Array.isArray(by) && by.includes('client');
  const page: UserPage = {
    remedy: 'approve',
    url: approvalUrlOf?.(id) ?? null,
    message: error?.message ?? '',
    confirm: mayConfirm ? CONFIRM : undefined,
  };
  if (id === null) return page;
  if (approvals === undefined) return { ...page, approval: id };
  return { ...page, approval: id, isDone: async () => !(await approvals.isWaiting(principal, id)) };
}

/** The message for a user who is asked to connect. */
function connectMessage({ outcome, error }: CallOutcome, title: string): string {
  switch (outcome) {
    case 'not_connected':
      return `${title} is not connected. Connect ${title}, then continue.`;
    case 'scope_not_granted':
      return `${error?.message ?? ''} Connect ${title} again and grant it, then continue.`;
    default:
      return `${title} no longer accepts the credential of this connection. Connect ${title} again, then continue.`;
  }
}

/** Tells a caller of an old name which name to use, so that agents switch before the old name ends. */
function withAliasNote(result: CompleteToolResult, { tool }: CatalogueEntry, alias: ToolAlias): CompleteToolResult {
  const text = `Note: ${alias.name} is now called ${tool.name}. Use that name: the old one is kept until ${alias.until}.`;
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

/**
 * Returns the signal that stops a call of a tool that writes when its client cancels it.
 *
 * In 2026, a disconnect is the cancellation. In 2025, it is a notification, whose request id may also belong to another window of the same client: it
 * stops only calls of reading tools.
 *
 * A call with an idempotency key continues: its client may have lost the connection, and may ask for the outcome again. A call that only
 * waits for work which an earlier call began stops.
 */
function signalOfWrite(context: ToolCallContext, key: string | null): AbortSignal {
  return context.era === '2026' && (key === null || continuesBegunWork(context))
    ? context.signal
    : new AbortController().signal;
}

/** Reports a drifting tool only once, because every call of it drifts. */
function reportDriftOnce(onFault: CallDependencies['onFault']): (fault: CallFault) => void {
  const reportedTools = new Set<string>();
  return (fault) => {
    const key = `${fault.kind} ${fault.tool}`;
    const isDrift = fault.kind === 'output_drift' || fault.kind === 'definition_changed';
    if (isDrift && reportedTools.has(key)) return;
    if (isDrift) reportedTools.add(key);
    onFault(fault);
  };
}

function unknownTool(catalogue: Catalogue, principal: Principal, name: string): UnknownToolError {
  return new UnknownToolError(name, catalogue.nearest(name, principal, 3));
}

/**
 * Members of `params._meta` that hold the key.
 *
 * Clients send `idempotencyKey`, the name in SEP-3182 ("Request Idempotency"), which is closed; no revision of MCP has
 * a key. The other is the same name in the specification's namespace, which some SDKs already send.
 *
 * Ids such as `claudecode/toolUseId` are not accepted: only the model's host makes them unique, and hosts of other
 * models number their calls from `call_0` in every turn. An intended second call would get the answer of the first.
 */
const KEY_NAMES = ['idempotencyKey', 'io.modelcontextprotocol/idempotencyKey'] as const;

/** True if a request has a key, valid or not. */
export function hasKey(meta: ToolCallContext['meta']): boolean {
  return KEY_NAMES.some((name) => Object.hasOwn(meta, name));
}

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/**
 * Reads the key. Returns null if the call has none, so that it is made each time.
 *
 * @throws {InvalidCallError} if a key is not a text of 1 to 255 printable ASCII characters, or the two keys differ, so that a client never wrongly
 * assumes that its call is safe to repeat.
 */
function readIdempotencyKey(meta: ToolCallContext['meta']): string | null {
  const keys = KEY_NAMES.flatMap((name) => (Object.hasOwn(meta, name) ? [meta[name]] : []));
  const [key = null, ...otherKeys] = keys;
  if (key === null && keys.length === 0) return null;
  if (typeof key === 'string' && KEY.test(key) && otherKeys.every((otherKey) => otherKey === key)) return key;
  throw new InvalidCallError(
    `Invalid ${KEY_NAMES[0]} in _meta: it is one text of 1 to 255 printable ASCII characters without outer spaces.`,
  );
}
