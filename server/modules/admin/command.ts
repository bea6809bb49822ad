/** The operator command: controls who may sign in to the dashboard, and ends sessions, while the gateway runs. */

import type { Command } from 'commander';
import type { Kysely } from 'kysely';
import { addHelpTable, createCommand, requireOption } from '../../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { UsageError } from '../../../shared/cli/run.ts';
import { isUniqueViolation } from '../../base/store/conflicts.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { loadSettings, withStore } from '../../cli/with-store.ts';
import type { AnyModule } from '../../module.ts';
import {
  addOperator,
  changeRole,
  endSessions,
  OperatorError,
  parseOperatorName,
  parseOperatorRole,
  removeOperator,
  replaceSecret,
} from './operators.ts';
import { findOperator, listOperatorSessions, listOperators, type Operator } from './stored-operators.ts';

const MAX_LISTED = 1000;

interface OperatorNameOption {
  readonly name: string;
}

interface OperatorOptions extends OperatorNameOption {
  readonly role: string;
}

/** The store and the output of a subcommand. */
interface Context {
  readonly db: Kysely<Database>;
  readonly print: (line: string) => void;
}

/** `utg operator`. */
export function createOperatorCommand(modules: readonly AnyModule[], output = PROCESS_OUTPUT): Command {
  const command = createCommand('operator', output)
    .usage('<command> [options]')
    .summary('manage who may sign in to the dashboard')
    .description(
      'Manages who may sign in to the dashboard. The gateway may be running. The database is that of the gateway: ' +
        'DATABASE_URL (see npm start -- --help). A secret is printed once and not stored.',
    );
  /** Runs the work while the gateway runs, and names an invalid option. */
  const actionWithStore =
    <Options>(work: (context: Context, options: Options) => Promise<void>) =>
    async (options: Options): Promise<void> => {
      const print = (line: string): void => output.out(`${line}\n`);
      await withStore(loadSettings(modules), ({ db }) => work({ db, print }, options)).catch((error: unknown) => {
        if (!(error instanceof OperatorError)) throw error;
        throw new UsageError(`--${error.setting} ${error.problem}.`);
      });
    };
  const addCommand = command.command('add').description('Add an operator, and print the secret');
  requireOption(addCommand, '--name <name>', 'as the audit trail names the operator');
  requireRole(addCommand).action(actionWithStore(add));
  command.command('list').description('Print every operator').action(actionWithStore(list));
  const setCommand = command.command('set').description('Change the role of an operator; it takes effect at once');
  requireRole(requireName(setCommand)).action(actionWithStore(set));
  requireName(
    command
      .command('rotate-secret')
      .description('Create and print another secret; the previous one and its sessions are revoked at once'),
  ).action(actionWithStore(rotateSecret));
  requireName(command.command('revoke').description('Remove an operator, and end the sessions at once')).action(
    actionWithStore(revoke),
  );
  command.command('sessions').description('Print who is signed in').action(actionWithStore(sessions));
  command
    .command('end-sessions')
    .description('End sessions at once')
    .option('--name <name>', 'whose, as "sessions" prints the name; default: of everyone')
    .action(actionWithStore(end));
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

async function add(context: Context, options: OperatorOptions): Promise<void> {
  const operator = { name: parseOperatorName(options.name), role: parseOperatorRole(options.role) };
  const secret = await change(context, (transaction) => addOperator(transaction, operator, event())).catch(
    (error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw new UsageError(`There is already an operator "${operator.name}".`);
    },
  );
  printSecret(context, operator.name, secret);
}

async function list({ db, print }: Context): Promise<void> {
  const operators = await listOperators(db, MAX_LISTED);
  if (operators.length === 0) print('There is no operator with a secret of their own yet.');
  for (const { name, role, createdAt } of operators) {
    print(`${name}  ${role}  added ${new Date(createdAt).toISOString()}`);
  }
}

async function set(context: Context, options: OperatorOptions): Promise<void> {
  const operator = await findOperatorOrThrow(context, options);
  const role = parseOperatorRole(options.role);
  await change(context, (transaction) => changeRole(transaction, operator, role, event()));
  context.print(`${operator.name}  ${role}`);
}

async function rotateSecret(context: Context, options: OperatorNameOption): Promise<void> {
  const operator = await findOperatorOrThrow(context, options);
  const secret = await change(context, (transaction) => replaceSecret(transaction, operator, event()));
  printSecret(context, operator.name, secret);
}

async function revoke(context: Context, options: OperatorNameOption): Promise<void> {
  const operator = await findOperatorOrThrow(context, options);
  await change(context, (transaction) => removeOperator(transaction, operator, event()));
  context.print(`"${operator.name}" is removed and signed out.`);
}

async function sessions({ db, print }: Context): Promise<void> {
  const now = Date.now();
  const liveSessions = await listOperatorSessions(db, now, MAX_LISTED);
  if (liveSessions.length === 0) print('No one is signed in.');
  for (const { name, role, address, createdAt, usedAt } of liveSessions) {
    const since = new Date(createdAt).toISOString();
    const used = new Date(usedAt).toISOString();
    print(`${name}  ${role}  since ${since}  last request ${used}  from ${address}`);
  }
}

async function end(context: Context, { name }: Partial<OperatorNameOption>): Promise<void> {
  const sessionFilter = name === undefined ? { notId: null } : { name };
  const count = await change(context, (transaction) => endSessions(transaction, sessionFilter, event()));
  context.print(`Sessions that ended: ${count}`);
}

/** @throws {UsageError} if there is none. */
async function findOperatorOrThrow({ db }: Context, { name }: OperatorNameOption): Promise<Operator> {
  const operator = await findOperator(db, name);
  if (operator === undefined) throw new UsageError(`There is no operator "${name}". "list" prints every one.`);
  return operator;
}

function change<Result>({ db }: Context, work: (transaction: Executor) => Promise<Result>): Promise<Result> {
  return db.transaction().execute(work);
}

function event() {
  return { now: Date.now() };
}

function printSecret({ print }: Context, name: string, secret: string): void {
  print(`operator: ${name}`);
  print(`secret:   ${secret}`);
}
