/** Keeps what takes calls back while they are made, and takes them back as calls of the same client. */

import type { KeptValues } from '../../base/kept-values.ts';
import type { Principal } from '../../base/principal/principal.ts';
import type { Call, Interceptor, Undoing } from '../../call/tools/call/call.ts';
import { type Ending, noted, refuse } from '../../call/tools/call/ending.ts';
import { accountArgumentOf, isHandWritten } from '../../call/tools/catalogue/permitted.ts';
import {
  type CompleteToolResult,
  type ToolCallContext,
  type ToolResult,
  UnknownToolError,
} from '../../call/tools/provider.ts';
import type { Tool, ToolUndo } from '../../contract/index.ts';
import type { Core, OpenModule } from '../../module.ts';
import { changedPlaces, type KeptUndo, type Made, planUndo, readingArguments, stateOf } from './plan.ts';

interface UndoParts extends Pick<Core, 'catalogue' | 'tools' | 'callerOf'> {
  readonly kept: KeptValues<KeptUndo>;
  readonly onError: (error: unknown) => void;
}

/** A call that is being undone. */
interface Undo {
  readonly of: KeptUndo;
  readonly rule: ToolUndo | undefined;
  /** Whether the service itself refuses if the thing changes before the call reaches it. */
  isGuarded: boolean;
}

/** The context of a call that undoes another one. */
const UNDO = Symbol('undo');
type UndoContext = ToolCallContext & { readonly [UNDO]?: Undo };

type Read = Parameters<Call['beforeSending'] & {}>[0];

const UNDO_CALL = 'undo_call';

export function createUndo(parts: UndoParts): OpenModule {
  const undoing: Undoing = {
    list: (userId) => parts.kept.listOfUser(userId),
    async undo(userId, handle, requestId) {
      const of = (await parts.kept.listOfUser(userId)).find((one) => one.handle === handle);
      const caller = of === undefined ? null : await parts.callerOf({ ...of, userId });
      if (of === undefined || caller === null) return unknown();
      return undoCall(parts, of, caller, { ...BY_USER, requestId });
    },
  };
  return {
    undoing,
    interceptor: createKeeper(parts),
    codeTools: [
      {
        name: UNDO_CALL,
        title: 'Undo a call',
        description:
          'Takes back a call of the last day that changed something, by the handle that its answer named, if nothing else has changed since. Without a handle: lists what can be undone. Undo only what the user wants undone.',
        inputSchema: {
          type: 'object',
          properties: { undo: { type: 'string', description: 'Handle: undo_...' } },
          additionalProperties: false,
        },
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
        isListed: (tools) => {
          const names = new Set(tools.map(({ name }) => name));
          return tools.some(({ undo }) => undo !== undefined && names.has(undo.tool) && names.has(undo.read.tool));
        },
        async call(principal, { undo: handle }, context) {
          const kept = (await parts.kept.listOfUser(principal.userId)).filter((one) => isOf(one, principal));
          if (handle === undefined) return listed(kept);
          const of = kept.find((one) => one.handle === handle);
          return of === undefined ? unknown() : undoCall(parts, of, principal, context);
        },
      },
    ],
  };
}

/** A client undoes what it did itself: by its grant, or by the same token. */
function isOf({ grantId, tokenId }: KeptUndo, principal: Principal): boolean {
  return grantId === null ? principal.grantId === null && tokenId === principal.tokenId : grantId === principal.grantId;
}

/** Runs around every call: keeps what takes it back, or checks that nothing changed if it takes another one back. */
function createKeeper(parts: UndoParts): Interceptor {
  return async (call, next) => {
    const { [UNDO]: undo } = call.context as UndoContext;
    if (undo !== undefined) {
      // No client can send a key that begins like this, and so keep its user from undoing.
      call.idempotencyKey = `\0undo ${undo.of.handle}`;
      call.beforeSending = (read) => checkUnchanged(call, undo, read);
      return next();
    }
    const made = begin(call, parts);
    if (made === null) return next();
    let [args, state]: [Made['args'] | null, unknown] = [null, undefined];
    call.beforeSending = async (read) => {
      args = call.arguments;
      if (made.rule.from === 'result') return null;
      const found = await read(made.reading.name, readingArguments(made.rule, args));
      state = found?.ending.outcome === 'ok' ? stateOf(found.use.body) : undefined;
      return null;
    };
    const ending = await next();
    if (args === null || ending.outcome !== 'ok' || !call.mayHaveActed) return ending;
    if (made.rule.from === 'result') state = stateOf(call.body);
    else if (ending.upstreamStatus === ACCEPTED) return ending;
    try {
      return await keep(call, ending, { ...made, args, state }, parts);
    } catch (error) {
      // The call was made, and its answer counts.
      parts.onError(error);
      return ending;
    }
  };
}

const ACCEPTED = 202;

/** Null: nothing takes the call back, or its client could not do it. */
function begin(
  { entry, principal }: Call,
  { catalogue }: UndoParts,
): Pick<Made, 'rule' | 'tool' | 'undoing' | 'reading'> | null {
  const { connector, tool } = entry;
  const { undo: rule } = tool;
  if (rule === undefined || isHandWritten(tool)) return null;
  const find = (name: string): Tool | undefined =>
    catalogue.shown(name, principal) === null ? undefined : connector.tools.find((one) => one.name === name);
  const [undoing, reading] = [find(rule.tool), find(rule.read.tool)];
  return undoing === undefined || reading === undefined ? null : { rule, tool, undoing, reading };
}

async function keep(call: Call, ending: Ending, made: Made, { kept }: UndoParts): Promise<Ending> {
  const plan = made.state === undefined ? null : planUndo(made);
  const { principal, startedAt, connectionId = '', entry } = call;
  if (plan === null) return ending;
  const { userId, grantId, tokenId } = principal;
  const about = { tool: entry.tool.name, service: entry.connector.name, connectionId, grantId, tokenId, startedAt };
  let text = '';
  await kept.keepForUser(userId, (handle) => {
    text = `It can be undone for a day: ${UNDO_CALL} {"undo":"${handle}"}`;
    return { ...plan, ...about, handle };
  });
  // The answer of a batch sums up many calls.
  return call.partOf === undefined ? noted(ending, text) : ending;
}

/** Ends a call that takes another one back if the thing changed since that one. */
async function checkUnchanged(call: Call, undo: Undo, read: Read): Promise<Ending | null> {
  const { of } = undo;
  const found = await read(of.read.tool, of.read.args);
  if (found === null) {
    const message = `Nothing was undone: this client may not call ${of.read.tool}, which tells whether it changed since.`;
    return refuse('not_allowed', { message });
  }
  const { ending, use } = found;
  const isGone = ending.outcome === 'not_found' || ending.outcome === 'gone';
  if (of.expected === null && isGone) return null;
  if (!isGone && ending.outcome !== 'ok')
    return noted(ending, 'Nothing was undone: the thing could not be read before.');
  const state = stateOf(use.body);
  const changed = of.expected === null ? ['it is there'] : isGone ? ['it is gone'] : changedPlaces(of.expected, state);
  if (changed.length > 0 || state === undefined) {
    const message = `Changed since, so nothing was undone: ${changed.join(', ')}.`;
    return refuse('conflict', { message, advice: 'Read the current state, and ask the user what it should be.' });
  }
  const ifMatch = undo.rule?.ifMatch;
  const etag = use.answer?.header('etag') ?? '';
  // A weak one never matches (RFC 9110 §13.1.1).
  undo.isGuarded = ifMatch !== undefined && etag.startsWith('"');
  if (ifMatch !== undefined && undo.isGuarded) call.arguments = { ...call.arguments, [ifMatch]: etag };
  return null;
}

/** What a call of the user's own page knows. */
const BY_USER = {
  ...({ era: '2025', clientCapabilities: {}, meta: {}, inputResponses: {} } as const),
  ...{ requestState: null, waitSeconds: null },
};

/** Its handle makes the call once, by whichever node. A request that was sent is not taken back, so it is not cancelled either. */
async function undoCall(
  { kept, catalogue, tools }: UndoParts,
  of: KeptUndo,
  caller: Principal,
  context: Omit<ToolCallContext, 'signal'>,
): Promise<ToolResult> {
  const undo: Undo = { of, rule: catalogue.find(of.tool)?.tool.undo, isGuarded: false };
  const { work: _, ...asked } = context;
  const own: UndoContext = { ...asked, meta: {}, signal: new AbortController().signal, [UNDO]: undo };
  const { tool } = catalogue.find(of.call.tool) ?? {};
  const first = caller.connections.get(of.service);
  const accounts = first === undefined ? [] : [first, ...(first.others ?? [])];
  const account = accounts.find(({ id }) => id === of.connectionId);
  if (tool === undefined || account === undefined) return unknown();
  const named = first?.others === undefined ? {} : { [accountArgumentOf(tool)]: account.name };
  const result = await tools.call(caller, tool.name, { ...of.call.args, ...named }, own).catch((error: unknown) => {
    if (error instanceof UnknownToolError) return unknown();
    throw error;
  });
  if (result.resultType === 'input_required' || result.isError === true) return result;
  await kept.drop(of.handle);
  const { lost = '' } = undo.rule ?? {};
  const gap = undo.isGuarded ? '' : 'A change at the very same moment would not have been noticed.';
  const text = ['Undone.', lost, gap].filter((one) => one !== '').join(' ');
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

function unknown(): CompleteToolResult {
  return refuse('not_found', {
    message: 'Nothing can be undone under this handle: it was undone, is older than a day, or is of another client.',
    advice: `${UNDO_CALL} without a handle lists what can be undone.`,
  }).result;
}

function listed(kept: readonly KeptUndo[]): CompleteToolResult {
  const calls = kept.map(({ handle, tool, startedAt, call }) => ({
    ...{ undo: handle, tool, at: new Date(startedAt).toISOString(), by: call.tool },
  }));
  return { content: [{ type: 'text', text: JSON.stringify({ calls }) }], structuredContent: { calls } };
}
