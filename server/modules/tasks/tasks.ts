/**
 * Calls that continue as tasks (SEP-2663; https://github.com/modelcontextprotocol/ext-tasks, specification/2026-07-28/tasks.md of
 * fb36f4006b7dec281d822571f137fadbacae963e).
 *
 * A task advances when its client asks for it, with the rights that the client has at that time. Any node can take it up, and only one of them makes
 * the next step.
 */

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Principal } from '../../base/principal/principal.ts';
import { hashSecret } from '../../base/principal/secrets.ts';
import { listApprovals } from '../../base/store/repositories/calls/approvals.ts';
import type { Database } from '../../base/store/schema.ts';
import { withTimeout } from '../../base/with-timeout.ts';
import { type McpAddition, McpError, type McpMethod } from '../../call/mcp/additions.ts';
import type { Catalogue, CatalogueEntry } from '../../call/tools/catalogue/catalogue.ts';
import { findInnerEntry } from '../../call/tools/finder.ts';
import { isObject } from '../../call/tools/json.ts';
import {
  type CallAnswer,
  type CompleteToolResult,
  type CreatedTask,
  type EndpointTools,
  type InputRequiredToolResult,
  InvalidCallError,
  type ToolCallContext,
  type ToolResult,
} from '../../call/tools/provider.ts';
import { toJson } from '../../call/tools/results/errors.ts';
import type { Arguments } from '../../call/upstream/index.ts';
import {
  askToStop,
  changeTask,
  findTask,
  insertTask,
  NO_RUN,
  type Task,
  type TaskChange,
  type TaskStatus,
  withdrawFor,
} from './rows.ts';
import { HOLD_MS, notApproved, outcomeUnknown, Run, type RunParts } from './run.ts';
import {
  accessOf,
  type InputRequest,
  mayRepeat,
  openResult,
  openState,
  sealResult,
  sealState,
  statusOf,
  type TaskState,
  toTask,
  withInputRequests,
  withInputResponses,
  withKey,
} from './state.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';
/** Maximum size of a call that can become a task: its arguments, and all else that its client sends with it. */
const MAX_CALL_LENGTH = 512 * 1024;

/** Dependencies of tasks. */
interface TasksParts extends RunParts {
  readonly catalogue: Catalogue;
  /** Time that a call may take before it becomes a task, in milliseconds. */
  readonly afterMs: number;
  /** Time for which a task is kept, in milliseconds. */
  readonly keepMs: number;
  /** Maximum of tasks of one user. */
  readonly most: number;
}

/** A task that a client named, with its opened state. */
interface OpenedTask {
  readonly taskId: string;
  readonly task: Task;
  readonly state: TaskState;
}

/** The tasks of all users, and the runs of their calls on this node. */
export class Tasks {
  readonly #parts: TasksParts;
  readonly #runs = new Map<string, { readonly run: Run; readonly settled: Promise<void> }>();
  #isClosing = false;
  /** Numbers since the node started. */
  readonly counts = { created: 0, takenUp: 0 };

  constructor(parts: TasksParts) {
    this.#parts = parts;
  }

  readonly addition: McpAddition = {
    capabilities: { extensions: { [EXTENSION]: {} } },
    methods: {
      'tasks/get': this.#method(async (openedTask, caller, context) => {
        const currentTask = await this.#advance(openedTask, caller, context);
        return this.#toDetailed(currentTask, caller, context);
      }),
      'tasks/update': this.#method(async (openedTask, caller, context) => {
        await this.#receiveAnswers(openedTask, caller, context);
        return {};
      }),
      'tasks/cancel': this.#method(async (openedTask, caller) => {
        await this.#cancel(openedTask, caller);
        return {};
      }),
    },
  };

  /** Wraps the tools, so that calls of clients that declare tasks can continue as tasks. */
  around(tools: EndpointTools): EndpointTools {
    return {
      ...tools,
      call: (caller, name, args, context) =>
        isDeclared(context) ? this.#call(caller, name, args, context) : tools.call(caller, name, args, context),
    };
  }

  /** Stops the runs that another node can take up, and waits for all runs to end. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const runs = [...this.#runs.values()];
    for (const { run } of runs) if (run.canLeave) run.leave();
    await Promise.all(runs.map(({ settled }) => settled));
  }

  #method(handle: (openedTask: OpenedTask, caller: Principal, context: ToolCallContext) => Promise<object>): McpMethod {
    return async (caller, params, context) => {
      if (!isDeclared(context)) {
        const data = { requiredCapabilities: { extensions: { [EXTENSION]: {} } } };
        throw new McpError(-32021, 'Missing required client capability', data);
      }
      const openedTask = typeof params.taskId === 'string' ? await this.#find(caller, params.taskId) : undefined;
      if (openedTask === undefined) throw unknownTask();
      return (await handle(openedTask, caller, context)) as Readonly<Record<string, unknown>>;
    };
  }

  async #find(caller: Principal, taskId: string): Promise<OpenedTask | undefined> {
    const { db, sealer, now } = this.#parts;
    const id = idOf(db, taskId);
    const task = await findTask(db, { id, userId: caller.userId, now: now() });
    const state = task && openState({ sealer, caller, id }, task.state, now());
    return task && state && { taskId, task, state };
  }

  async #findAgain({ taskId }: OpenedTask, caller: Principal): Promise<OpenedTask> {
    const openedTask = await this.#find(caller, taskId);
    if (openedTask === undefined) throw unknownTask();
    return openedTask;
  }

  #entryOf(name: string, args: Arguments): CatalogueEntry | undefined {
    const { catalogue } = this.#parts;
    return catalogue.find(name) ?? findInnerEntry(catalogue, name, args);
  }

  async #call(caller: Principal, name: string, args: Arguments, context: ToolCallContext): Promise<CallAnswer> {
    const { meta, clientCapabilities, requestState, inputResponses: answered } = context;
    const entry = this.#entryOf(name, args);
    const call = { name, args, meta, clientCapabilities, requestState, answered };
    const state: TaskState = {
      ...call,
      mayRepeat: mayRepeat(args, meta, entry),
      asked: {},
      asks: 0,
      begun: null,
      waitsFor: null,
    };
    const run = new Run(this.#parts, { caller, entry, state, context });
    const ended = run.begin(context.signal);
    const end = await withTimeout(ended, this.#parts.afterMs, () => null);
    const openQuestion = end !== null && 'result' in end ? questionOf(end.result) : null;
    const becomesTask = end === null || openQuestion?.approval !== undefined;
    const created = becomesTask && !context.signal.aborted ? await this.#create(run, caller, openQuestion) : null;
    if (created !== null) return created;
    const finalEnd = await ended;
    if ('error' in finalEnd) throw finalEnd.error;
    if (finalEnd.result.resultType !== 'input_required') return finalEnd.result;
    const { approval, ...question } = finalEnd.result;
    return approval !== undefined && question.inputRequests === undefined ? approval.otherwise : question;
  }

  /**
   * Adds the task of a call.
   *
   * @param question the input or approval that the call waits for, or null if it is running.
   * @returns null if no task was added. Then the call is answered when it ends.
   */
  async #create(run: Run, caller: Principal, question: InputRequiredToolResult | null): Promise<CreatedTask | null> {
    const { db, sealer, now, keepMs, most, onError } = this.#parts;
    if (this.#isClosing || callLengthOf(run.state) > MAX_CALL_LENGTH) return null;
    const taskId = `task_${randomBytes(24).toString('base64url')}`;
    const id = idOf(db, taskId);
    const createdAt = now();
    const expiresAt = createdAt + keepMs;
    const state = question === null ? run.state : withInputRequests(run.state, question);
    const status: TaskStatus = question === null ? 'working' : statusOf(question);
    const approvalId = question?.approval?.id ?? null;
    const holding = question === null ? { holder: run.holder, held_until: createdAt + HOLD_MS } : NO_RUN;
    const row = {
      id,
      user_id: caller.userId,
      state: sealState({ sealer, caller, id }, state, expiresAt),
      status,
      approval_id: approvalId,
      ...holding,
      created_at: createdAt,
      expires_at: expiresAt,
    };
    try {
      if (!(await insertTask(db, row, most))) return null;
    } catch (error) {
      onError(error);
      return null;
    }
    this.counts.created += 1;
    if (question === null) this.#hold(run, state, id, expiresAt);
    const progress = { status, approvalId, createdAt, updatedAt: createdAt, expiresAt };
    return { resultType: 'task', ...toTask(taskId, progress, state.waitsFor, now()) };
  }

  #hold(run: Run, state: TaskState, id: string, expiresAt: number): void {
    const settled = run.hold(id, expiresAt, state).finally(() => this.#runs.delete(id));
    this.#runs.set(id, { run, settled });
  }

  /** Takes the next step of a task, unless a run holds it. */
  async #advance(openedTask: OpenedTask, caller: Principal, context: ToolCallContext): Promise<OpenedTask> {
    const { task, state } = openedTask;
    const { now } = this.#parts;
    if (isOver(task) || isHeld(task, now()) || this.#isClosing) return openedTask;
    if (task.stops === 1) return this.#end(openedTask, caller, { status: 'cancelled' });
    if (state.begun !== null) return this.#takeUp(openedTask, caller, context, state);
    // The call waits for the client's answers, which `tasks/update` brings, or for a decision about an approval.
    if (task.holder === null) {
      const approval = task.approvalId === null ? 'pending' : await this.#findDecision(caller, task.approvalId);
      if (approval === 'pending') return openedTask;
      // A client that was asked before is asked again. One that cannot be asked is told.
      if (approval === 'gone' && state.asks === 0) {
        const result = this.#sealed(openedTask, caller, toJson(notApproved()));
        return this.#end(openedTask, caller, { status: 'completed', result });
      }
      return this.#takeUp(openedTask, caller, context, { ...state, asked: {} });
    }
    // A run left the call, or died in it.
    if (state.mayRepeat) return this.#takeUp(openedTask, caller, context, state);
    const json = toJson(outcomeUnknown(state.name));
    return this.#end(openedTask, caller, { status: 'completed', result: this.#sealed(openedTask, caller, json) });
  }

  /** Returns `gone` for an approval that was not given in time, or was used. */
  async #findDecision({ partnerId, userId }: Principal, id: string): Promise<'pending' | 'decided' | 'gone'> {
    const { db, now } = this.#parts;
    const [approval] = await listApprovals(db, { partnerId, userId, ids: [id], limit: 1 });
    if (approval === undefined || approval.status === 'spent' || approval.expiresAt <= now()) return 'gone';
    return approval.status === 'pending' ? 'pending' : 'decided';
  }

  #sealed({ task: { id, expiresAt }, state }: OpenedTask, caller: Principal, json: string): string {
    const { sealer, rules } = this.#parts;
    const access = accessOf(caller, this.#entryOf(state.name, state.args), rules);
    return sealResult({ sealer, caller, id }, json, { access, expiresAt });
  }

  async #end(openedTask: OpenedTask, caller: Principal, change: TaskChange): Promise<OpenedTask> {
    const { db, now } = this.#parts;
    const at = now();
    await changeTask(db, openedTask.task, { ...change, ...NO_RUN, updated_at: at }, at);
    return this.#findAgain(openedTask, caller);
  }

  /** Makes the call again, unless another node does. From then on a call that writes has an idempotency key, so that it is made only once. */
  async #takeUp(
    openedTask: OpenedTask,
    caller: Principal,
    context: ToolCallContext,
    next: TaskState,
  ): Promise<OpenedTask> {
    const { db, sealer, now } = this.#parts;
    const { id, expiresAt } = openedTask.task;
    const entry = this.#entryOf(next.name, next.args);
    const meta = withKey(next.meta, id);
    const state = { ...next, meta, mayRepeat: mayRepeat(next.args, meta, entry) };
    const run = new Run(this.#parts, { caller, entry, state, context });
    const at = now();
    const status: TaskStatus = 'working';
    const change = {
      status,
      state: sealState({ sealer, caller, id }, state, expiresAt),
      approval_id: null,
      holder: run.holder,
      held_until: at + HOLD_MS,
      updated_at: at,
    };
    if (await changeTask(db, openedTask.task, change, at)) {
      this.counts.takenUp += 1;
      this.#hold(run, state, id, expiresAt);
    }
    return this.#findAgain(openedTask, caller);
  }

  /**
   * Takes answers of the client, and continues the call when no answer is missing. If two nodes receive the same answer, only one of them continues
   * the call.
   */
  async #receiveAnswers(namedTask: OpenedTask, caller: Principal, context: ToolCallContext): Promise<void> {
    const { db, sealer, now } = this.#parts;
    const openedTask = await this.#advance(namedTask, caller, context);
    const { task, state } = openedTask;
    if (task.status !== 'input_required' || task.stops === 1) return;
    const next = withInputResponses(state, context.inputResponses);
    if (next === null) return;
    const { id, expiresAt, approvalId } = task;
    const onlyPageDecides =
      approvalId !== null && Object.values(state.asked).every(isPage) && isAccepted(next.answered);
    if (!onlyPageDecides && Object.keys(next.asked).length === 0) {
      await this.#takeUp(openedTask, caller, context, next);
      return;
    }
    // The user has opened the page, so only the decision that the user makes there counts.
    const status: TaskStatus = onlyPageDecides ? 'working' : task.status;
    const storedState = onlyPageDecides ? { ...next, answered: {} } : next;
    const at = now();
    const change = { status, state: sealState({ sealer, caller, id }, storedState, expiresAt), updated_at: at };
    if (!(await changeTask(db, task, change, at)))
      await this.#receiveAnswers(await this.#findAgain(openedTask, caller), caller, context);
  }

  async #cancel(openedTask: OpenedTask, caller: Principal): Promise<void> {
    const { db, now } = this.#parts;
    const { task } = openedTask;
    const { id, approvalId } = task;
    if (isOver(task)) return;
    await askToStop(db, id);
    this.#runs.get(id)?.run.cancel();
    if (approvalId !== null) await withdrawFor(db, { id, approvalId });
    if (!isHeld(task, now())) await this.#end(openedTask, caller, { status: 'cancelled' });
  }

  /** Returns the task as its client gets it. @throws {InvalidCallError} if the caller may no longer read its result. */
  #toDetailed({ taskId, task, state }: OpenedTask, caller: Principal, { toForm }: ToolCallContext): object {
    const { sealer, rules, now } = this.#parts;
    const taskView = toTask(taskId, task, state.waitsFor, now());
    if (task.status === 'input_required') {
      const requests = Object.entries(state.asked).map(([key, { request }]) => [key, request]);
      return { ...taskView, inputRequests: Object.fromEntries(requests) };
    }
    if (task.result === null) return taskView;
    const access = accessOf(caller, this.#entryOf(state.name, state.args), rules);
    const json = openResult({ sealer, caller, id: task.id }, task.result, { access, now: now() });
    if (json === undefined) throw unknownTask();
    const value = JSON.parse(json) as CompleteToolResult;
    if (task.status === 'failed') return { ...taskView, error: value };
    const result = toForm?.(value, state.name) ?? value;
    return { ...taskView, result: { ...result, resultType: 'complete' } };
  }
}

function idOf(db: Kysely<Database>, taskId: string): string {
  return hashSecret(db, `task ${taskId}`);
}

function callLengthOf({ args, meta, clientCapabilities, requestState, answered }: TaskState): number {
  return JSON.stringify([args, meta, clientCapabilities, requestState, answered]).length;
}

function isDeclared({ era, clientCapabilities: { extensions } }: ToolCallContext): boolean {
  return era === '2026' && isObject(extensions) && isObject(extensions[EXTENSION]);
}

function unknownTask(): InvalidCallError {
  return new InvalidCallError('Unknown task: it does not exist, has expired, or is not for this client any more.');
}

function isHeld({ holder, heldUntil }: Task, now: number): boolean {
  return holder !== null && heldUntil > now;
}

function isOver({ status }: Task): boolean {
  return status !== 'working' && status !== 'input_required';
}

function questionOf(result: ToolResult): InputRequiredToolResult | null {
  return result.resultType === 'input_required' ? result : null;
}

function isPage({ request: { params } }: InputRequest): boolean {
  return isObject(params) && params.mode === 'url';
}

function isAccepted(answered: TaskState['answered']): boolean {
  return Object.values(answered).every((answer) => isObject(answer) && answer.action === 'accept');
}
