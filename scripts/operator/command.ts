/** The operator command: controls who may sign in to the dashboard, and ends sessions, while the gateway runs. */

import type { Command } from 'commander';
import { isUniqueViolation } from '../../server/base/store/conflicts.ts';
import type { Store } from '../../server/base/store/index.ts';
import {
  findOperator,
  listOperators,
  type Operator,
} from '../../server/base/store/repositories/operators/operators.ts';
import { listOperatorSessions } from '../../server/base/store/repositories/operators/sessions.ts';
import type { Executor } from '../../server/base/store/schema.ts';
import type { Config } from '../../server/config/index.ts';
import { settingsOf } from '../../server/module.ts';
import { admin } from '../../server/modules/admin/module.ts';
import {
  addOperator,
  changeRole,
  endSessions,
  OperatorError,
  parseOperatorName,
  parseOperatorRole,
  removeOperator,
  replaceSecret,
} from '../../server/modules/admin/operators.ts';
import { addHelpTable, createCommand, requireOption } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { UsageError } from '../../shared/cli/run.ts';
import { loadSettings, withStore } from '../store/with-store.ts';

const MAX_LISTED = 1000;

interface Named {
  readonly name: string;
}

interface WithRole extends Named {
  readonly role: string;
}

/** `utg operator`. */
export function createOperatorCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('operator', output)
    .usage('<command> [options]')
    .summary('manage who may sign in to the dashboard')
    .description(
      'Manages who may sign in to the dashboard. The gateway may be running. The database is that of the gateway: ' +
        'DATABASE_URL (see npm start -- --help). A secret is printed once and not stored.',
    );
  const adding = command.command('add').description('Add an operator, and print the secret');
  requireOption(adding, '--name <name>', 'as the audit trail names the operator');
  requireRole(adding).action(beside(add));
  command.command('list').description('Print every operator').action(beside(list));
  const setting = command.command('set').description('Change the role of an operator; it takes effect at once');
  requireRole(requireName(setting)).action(beside(set));
  requireName(
    command
      .command('rotate-secret')
      .description('Create and print another secret; the previous one and its sessions are revoked at once'),
  ).action(beside(rotateSecret));
  requireName(command.command('revoke').description('Remove an operator, and end the sessions at once')).action(
    beside(revoke),
  );
  command.command('sessions').description('Print who is signed in').action(beside(sessions));
  command
    .command('end-sessions')
    .description('End sessions at once')
    .option('--name <name>', 'whose, as "sessions" prints the name; default: of everyone')
    .action(beside(end));
  return addHelpTable(command, 'Examples', {
    'utg operator add --name ada --role act': 'someone who may change things',
    'utg operator add --name grace --role look': 'someone who may look at them',
    'utg operator end-sessions': 'everyone signs in again',
  });
}

function requireName(command: Command): Command {
  return requireOption(command, '--name <name>', 'which operator; "list" prints every one');
}

function requireRole(command: Command): Command {
  return requireOption(command, '--role <role>', 'look (sees everything) or act (changes things, too)');
}

/** Runs the work while the gateway runs, and names an invalid option. */
function beside<Options>(
  work: (store: Store, options: Options, config: Config) => Promise<void>,
): (options: Options) => Promise<void> {
  return async (options) => {
    const config = loadSettings();
    await withStore(config, (store) => work(store, options, config)).catch((error: unknown) => {
      if (!(error instanceof OperatorError)) throw error;
      throw new UsageError(`--${error.setting} ${error.problem}.`);
    });
  };
}

async function add(store: Store, options: WithRole): Promise<void> {
  const operator = { name: parseOperatorName(options.name), role: parseOperatorRole(options.role) };
  const secret = await change(store, (transaction) => addOperator(transaction, operator, event())).catch(
    (error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw new UsageError(`There is already an operator "${operator.name}".`);
    },
  );
  printSecret(operator.name, secret);
}

async function list(store: Store): Promise<void> {
  const operators = await listOperators(store.db, MAX_LISTED);
  if (operators.length === 0) console.log('There is no operator with a secret of their own yet.');
  for (const { name, role, createdAt } of operators) {
    console.log(`${name}  ${role}  added ${new Date(createdAt).toISOString()}`);
  }
}

async function set(store: Store, options: WithRole): Promise<void> {
  const [operator, role] = [await findOne(store, options), parseOperatorRole(options.role)];
  await change(store, (transaction) => changeRole(transaction, operator, role, event()));
  console.log(`${operator.name}  ${role}`);
}

async function rotateSecret(store: Store, options: Named): Promise<void> {
  const operator = await findOne(store, options);
  printSecret(operator.name, await change(store, (transaction) => replaceSecret(transaction, operator, event())));
}

async function revoke(store: Store, options: Named): Promise<void> {
  const operator = await findOne(store, options);
  await change(store, (transaction) => removeOperator(transaction, operator, event()));
  console.log(`"${operator.name}" is removed and signed out.`);
}

async function sessions(store: Store, _options: unknown, config: Config): Promise<void> {
  const now = Date.now();
  const live = { now, madeAfter: now - (settingsOf(config, admin)?.sessionSeconds ?? 0) * 1000 };
  const found = await listOperatorSessions(store.db, live, MAX_LISTED);
  if (found.length === 0) console.log('No one is signed in.');
  for (const { name, role, address, createdAt, usedAt } of found) {
    const [since, used] = [createdAt, usedAt].map((time) => new Date(time).toISOString());
    console.log(`${name}  ${role}  since ${since}  last request ${used}  from ${address}`);
  }
}

async function end(store: Store, { name }: Partial<Named>): Promise<void> {
  const which = name === undefined ? { notId: null } : { name };
  const count = await change(store, (transaction) => endSessions(transaction, which, event()));
  console.log(`Sessions that ended: ${count}`);
}

/** @throws {UsageError} if there is none. */
async function findOne(store: Store, { name }: Named): Promise<Operator> {
  const operator = await findOperator(store.db, name);
  if (operator === undefined) throw new UsageError(`There is no operator "${name}". "list" prints every one.`);
  return operator;
}

function change<Result>(store: Store, work: (transaction: Executor) => Promise<Result>): Promise<Result> {
  return store.db.transaction().execute(work);
}

function event() {
  return { now: Date.now() };
}

function printSecret(name: string, secret: string): void {
  console.log(`operator: ${name}`);
  console.log(`secret:   ${secret}`);
}
