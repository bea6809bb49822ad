/** Subcommands for the identity issuers of a partner. */

import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Store } from '../../server/base/store/index.ts';
import { findPartner } from '../../server/base/store/repositories/partners.ts';
import type { Config } from '../../server/config/index.ts';
import { settingProblem } from '../../server/identity/partners/setting-error.ts';
import {
  approveIssuer,
  parseIssuer,
  registerIssuer,
  removeIssuer,
  type TypedIssuer,
} from '../../server/modules/identity-assertions/issuers.ts';
import { findIssuer, type IssuerName, listIssuers } from '../../server/modules/identity-assertions/stored-issuers.ts';
import { requireOption } from '../../shared/cli/command.ts';
import { UsageError } from '../../shared/cli/run.ts';
import { withOpenStore } from '../store/settings.ts';
import { findNamedPartner, type PartnerOption, requirePartner } from './partner-option.ts';

interface IssuerOptions extends PartnerOption, Pick<TypedIssuer, 'issuer' | 'tenant' | 'jwksUri' | 'subjectClaim'> {
  readonly jwksFile?: string;
}

/** The option for each setting. */
const OPTION_OF: Readonly<Record<keyof TypedIssuer, string>> = {
  issuer: '--issuer',
  tenant: '--tenant',
  jwksUri: '--jwks-uri',
  jwks: '--jwks-file',
  subjectClaim: '--subject-claim',
};

const ID_HELP = 'which issuer; "list-issuers" prints which there are';

/** Adds `add-issuer`, `approve-issuer`, `list-issuers` and `remove-issuer`. */
export function addIssuerCommands(command: Command): void {
  const addCommand = command
    .command('add-issuer')
    .description(
      'Register and approve an identity provider whose ID-JAGs speak for users of the partner, or change its settings',
    );
  requireOption(addCommand, '--issuer <url>', 'exactly as in the claim iss');
  requirePartner(addCommand)
    .option('--jwks-uri <url>', 'where its public keys are')
    .option('--jwks-file <path>', 'its public keys, as a JSON Web Key Set, in place of --jwks-uri')
    .option('--tenant <text>', 'the claim tenant of its assertions; default: they have none')
    .option('--subject-claim <name>', 'the claim that holds your user_id; default: sub')
    .action(withOpenStore(addIssuer));
  const approveCommand = command
    .command('approve-issuer')
    .description(
      'Approve an identity issuer that the partner registered: from now on it signs users of the partner in',
    );
  requireOption(approveCommand, '--id <id>', ID_HELP);
  requirePartner(approveCommand).action(withOpenStore(approve));
  const listCommand = command.command('list-issuers').description('Print the identity issuers of a partner');
  requirePartner(listCommand).action(withOpenStore(printIssuers));
  const removeCommand = command
    .command('remove-issuer')
    .description('Remove an identity issuer, and revoke at once what it vouched for');
  requireOption(removeCommand, '--id <id>', ID_HELP);
  requirePartner(removeCommand).action(withOpenStore(remove));
}

async function addIssuer(store: Store, options: IssuerOptions, { publicUrl }: Config): Promise<void> {
  const { id: partnerId } = await findNamedPartner(store, options);
  const typedIssuer = { ...options, jwks: await readKeys(options.jwksFile) };
  const registration = { ...parse(typedIssuer, publicUrl), partnerId, isApproved: true };
  const result = await store.db
    .transaction()
    .execute((transaction) => registerIssuer(transaction, registration, { now: Date.now() }));
  if (result === undefined) throw new UsageError(`--issuer ${await describeConflict(store, registration)}`);
  console.log(`${result.added ? 'Added' : 'Changed'} ${result.issuer.issuer} (${result.issuer.id}).`);
}

/** Continues the sentence that begins with an issuer which is approved for another partner. */
async function describeConflict(store: Store, name: IssuerName): Promise<string> {
  const existingIssuer = await findIssuer(store.db, name);
  const holder = existingIssuer && (await findPartner(store.db, existingIssuer.partnerId));
  return `is approved for another partner. To take it away from that: partner remove-issuer --client-id ${holder?.clientId} --id ${existingIssuer?.id}`;
}

function parse({ issuer, tenant, jwksUri, jwks, subjectClaim }: TypedIssuer, publicUrl: string) {
  try {
    return parseIssuer({ issuer, tenant, jwksUri, jwks, subjectClaim }, publicUrl);
  } catch (error) {
    throw new UsageError(settingProblem(error, OPTION_OF));
  }
}

async function readKeys(path: string | undefined): Promise<unknown> {
  if (path === undefined) return undefined;
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    throw new UsageError(`--jwks-file cannot be read as JSON: ${path}`);
  }
}

async function printIssuers(store: Store, options: PartnerOption): Promise<void> {
  const issuers = await listIssuers(store.db, (await findNamedPartner(store, options)).id);
  if (issuers.length === 0) console.log('There is no identity issuer yet.');
  for (const { id, issuer, tenant, jwksUri, subjectClaim, lastUsedAt, approvedAt } of issuers) {
    const used = lastUsedAt === null ? 'never used' : `last used ${new Date(lastUsedAt).toISOString()}`;
    const label = tenant === '' ? issuer : `${issuer} (tenant ${tenant})`;
    console.log(
      `${id}  ${label}  keys: ${jwksUri ?? 'registered'}  user_id: ${subjectClaim}  ${approvedAt === null ? 'waits for approval' : used}`,
    );
  }
}

const approve = (store: Store, options: OneIssuer) =>
  change(store, options, approveIssuer, 'The issuer is approved, and signs users of the partner in.');

const remove = (store: Store, options: OneIssuer) =>
  change(store, options, removeIssuer, 'The issuer is removed, and what it vouched for is revoked.');

interface OneIssuer extends PartnerOption {
  readonly id: string;
}

async function change(store: Store, options: OneIssuer, work: typeof removeIssuer, done: string): Promise<void> {
  const partner = await findNamedPartner(store, options);
  const key = { id: options.id, partnerId: partner.id };
  if (!(await store.db.transaction().execute((transaction) => work(transaction, key, { now: Date.now() })))) {
    const pendingIssuer = (await listIssuers(store.db, partner.id)).find(
      ({ id, approvedAt }) => id === key.id && !approvedAt,
    );
    if (pendingIssuer !== undefined)
      throw new UsageError(`"${pendingIssuer.issuer}" ${await describeConflict(store, pendingIssuer)}`);
    throw new UsageError(
      `"${partner.clientId}" has no issuer "${options.id}", or it is approved already. "list-issuers" prints which there are.`,
    );
  }
  console.log(done);
}
