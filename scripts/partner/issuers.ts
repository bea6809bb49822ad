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
import { beside } from '../store/settings.ts';
import { findOne, type One, requirePartner } from './one-partner.ts';

interface IssuerOptions extends One, Pick<TypedIssuer, 'issuer' | 'tenant' | 'jwksUri' | 'subjectClaim'> {
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

const WHICH = 'which issuer; "list-issuers" prints which there are';

/** Adds `add-issuer`, `approve-issuer`, `list-issuers` and `remove-issuer`. */
export function addIssuerCommands(command: Command): void {
  const adding = command
    .command('add-issuer')
    .description(
      'Register and approve an identity provider whose ID-JAGs speak for users of the partner, or change its settings',
    );
  requireOption(adding, '--issuer <url>', 'exactly as in the claim iss');
  requirePartner(adding)
    .option('--jwks-uri <url>', 'where its public keys are')
    .option('--jwks-file <path>', 'its public keys, as a JSON Web Key Set, in place of --jwks-uri')
    .option('--tenant <text>', 'the claim tenant of its assertions; default: they have none')
    .option('--subject-claim <name>', 'the claim that holds your user_id; default: sub')
    .action(beside(addIssuer));
  const approving = command
    .command('approve-issuer')
    .description(
      'Approve an identity issuer that the partner registered: from now on it signs users of the partner in',
    );
  requireOption(approving, '--id <id>', WHICH);
  requirePartner(approving).action(beside(approve));
  const listing = command.command('list-issuers').description('Print the identity issuers of a partner');
  requirePartner(listing).action(beside(printIssuers));
  const removing = command
    .command('remove-issuer')
    .description('Remove an identity issuer, and revoke at once what it vouched for');
  requireOption(removing, '--id <id>', WHICH);
  requirePartner(removing).action(beside(remove));
}

async function addIssuer(store: Store, options: IssuerOptions, { publicUrl }: Config): Promise<void> {
  const { id: partnerId } = await findOne(store, options);
  const typed = { ...options, jwks: await readKeys(options.jwksFile) };
  const registration = { ...parse(typed, publicUrl), partnerId, isApproved: true };
  const registered = await store.db
    .transaction()
    .execute((transaction) => registerIssuer(transaction, registration, { now: Date.now() }));
  if (registered === undefined) throw new UsageError(`--issuer ${await toWayOut(store, registration)}`);
  console.log(`${registered.added ? 'Added' : 'Changed'} ${registered.issuer.issuer} (${registered.issuer.id}).`);
}

/** Continues the sentence that begins with an issuer which is approved for another partner. */
async function toWayOut(store: Store, name: IssuerName): Promise<string> {
  const taken = await findIssuer(store.db, name);
  const holder = taken && (await findPartner(store.db, taken.partnerId));
  return `is approved for another partner. To take it away from that: partner remove-issuer --client-id ${holder?.clientId} --id ${taken?.id}`;
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

async function printIssuers(store: Store, options: One): Promise<void> {
  const issuers = await listIssuers(store.db, (await findOne(store, options)).id);
  if (issuers.length === 0) console.log('There is no identity issuer yet.');
  for (const { id, issuer, tenant, jwksUri, subjectClaim, lastUsedAt, approvedAt } of issuers) {
    const used = lastUsedAt === null ? 'never used' : `last used ${new Date(lastUsedAt).toISOString()}`;
    const named = tenant === '' ? issuer : `${issuer} (tenant ${tenant})`;
    console.log(
      `${id}  ${named}  keys: ${jwksUri ?? 'registered'}  user_id: ${subjectClaim}  ${approvedAt === null ? 'waits for approval' : used}`,
    );
  }
}

const approve = (store: Store, options: OneIssuer) =>
  change(store, options, approveIssuer, 'The issuer is approved, and signs users of the partner in.');

const remove = (store: Store, options: OneIssuer) =>
  change(store, options, removeIssuer, 'The issuer is removed, and what it vouched for is revoked.');

interface OneIssuer extends One {
  readonly id: string;
}

async function change(store: Store, options: OneIssuer, work: typeof removeIssuer, done: string): Promise<void> {
  const partner = await findOne(store, options);
  const key = { id: options.id, partnerId: partner.id };
  if (!(await store.db.transaction().execute((transaction) => work(transaction, key, { now: Date.now() })))) {
    const waiting = (await listIssuers(store.db, partner.id)).find(
      ({ id, approvedAt }) => id === key.id && !approvedAt,
    );
    if (waiting !== undefined) throw new UsageError(`"${waiting.issuer}" ${await toWayOut(store, waiting)}`);
    throw new UsageError(
      `"${partner.clientId}" has no issuer "${options.id}", or it is approved already. "list-issuers" prints which there are.`,
    );
  }
  console.log(done);
}
