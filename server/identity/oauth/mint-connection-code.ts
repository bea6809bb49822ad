/** `POST /api/mcp/oauth/sessions`: a partner gets a connection code for one of its users. */

import { originOf } from '../../base/http/request-origin.ts';
import type { GatewayMiddleware } from '../../base/http/state.ts';
import { FULL_PERMISSION, type Permission } from '../../base/principal/permission.ts';
import { emit } from '../../base/store/events.ts';
import { describeAccounts, findAccount } from '../../base/store/repositories/account-names.ts';
import { listAccounts } from '../../base/store/repositories/connections.ts';
import { mayOffer } from '../../base/store/repositories/partners.ts';
import { listSharedAccounts } from '../../base/store/repositories/teams.ts';
import { keepUser } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import { isPermitted } from '../../call/tools/catalogue/permitted.ts';
import { rawNumber } from '../../call/tools/json.ts';
import { toArgument } from '../../call/tools/results/page-size.ts';
import { createValidators, TOO_LONG, type Validators } from '../../call/tools/validate.ts';
import type { ToolFace } from '../../contract/index.ts';
import { receiveFromPartner } from '../partners/secrets.ts';
import { OAuthError } from '../protocol/error.ts';
import { readFormOrJson } from '../protocol/form.ts';
import { type ConnectionCodeRequest, parseConnectionCodeRequest } from './connection-code-request.ts';
import { CONNECTION_CODE_TTL_SECONDS, mintConnectionCode } from './connection-codes.ts';
import type { OAuthContext } from './context.ts';

/** Enough for a thousand tool names. */
const BODY = { maxBytes: 65_536, maxParameters: 1_200, repeatable: ['services', 'tools'] };

/**
 * Answers `{session_token, expires_in}`: a code that the user types into the consent page, once, within ten minutes.
 *
 * Credentials are in the body or in the `Authorization` header. `services`, `read_only`, `tools`, `arguments`, `accounts` and `grant_expires_in`
 * narrow what the code grants; `catalogue` and `result_tokens` say how its tools and results are shown. When arguments are pinned,
 * `withheld_tools` names the tools of those services that the grant will not have, because a pin cannot be enforced on them. A user without
 * connections gets a code too: the tools of a service appear as soon as the user connects it.
 *
 * @throws {OAuthError} `invalid_client` (401) unless the credentials are a partner's, `invalid_request` (400), `user_not_connected` (400)
 * for a user that no connect flow of this partner has named yet.
 */
export function createConnectionCode(deps: OAuthContext): GatewayMiddleware {
  const { catalogue, db } = deps;
  const served = catalogue.connectors.map(({ name }) => name);
  const validators = createValidators();
  return async (ctx) => {
    const read = () => readFormOrJson(ctx.req, BODY);
    const { partner, body } = await receiveFromPartner(deps, ctx.get('Authorization'), read);
    if (ctx.querystring !== '')
      throw new OAuthError(400, 'invalid_request', 'Everything belongs in the body: the address must have no query.');
    const request = parseConnectionCodeRequest(body);
    const services = served.filter((service) => mayOffer(partner, service));
    checkServices(request.services, services);
    const { permission, withheld } = readPins(request, { catalogue, validators, services });

    const { readOnly, grantSeconds } = request;
    const now = deps.now();
    const code = await db.transaction().execute(async (transaction) => {
      const userId = await findUserId(transaction, { partnerId: partner.id, externalUserId: request.userId });
      const accounts = await readAccounts(transaction, userId, request);
      const limits = { services: request.services, readOnly, permission: { ...permission, accounts }, grantSeconds };
      const minted = await mintConnectionCode(transaction, { userId, limits, now });
      await emit(transaction, {
        type: 'connection_code_minted',
        now,
        partnerId: partner.id,
        userId,
        ...originOf(ctx),
        details: {
          services: request.services,
          readOnly,
          tools: request.tools,
          pins: request.arguments,
          accounts: Object.keys(accounts).length === 0 ? undefined : accounts,
          grantSeconds,
          catalogue: request.catalogue,
          resultTokens: request.resultTokens,
        },
      });
      return minted;
    });
    ctx.body = {
      session_token: code,
      expires_in: CONNECTION_CODE_TTL_SECONDS,
      withheld_tools: Object.keys(request.arguments).length === 0 ? undefined : withheld,
    };
  };
}

/** @param offered services that this partner offers. */
function checkServices(named: readonly string[] | null, offered: readonly string[]): void {
  const unknown = named?.find((service) => !offered.includes(service));
  if (unknown === undefined && named?.length !== 0) return;
  const problem = unknown === undefined ? 'services names none' : `There is no service "${unknown}" that you may offer`;
  throw new OAuthError(400, 'invalid_request', `${problem}. Services: ${offered.toSorted().join(', ') || 'none'}.`);
}

async function findUserId(executor: Executor, key: { partnerId: string; externalUserId: string }): Promise<string> {
  const user = await keepUser(executor, key);
  if (user !== undefined) return user.id;
  const description =
    'There is no such user_id yet. Let the user connect a service at /connect/<service> and redeem the code first.';
  throw new OAuthError(400, 'user_not_connected', description);
}

/** @returns row ids by service. @throws {OAuthError} `invalid_request`, status 400, for an account that the user does not have. */
async function readAccounts(
  executor: Executor,
  userId: string,
  { accounts, services }: ConnectionCodeRequest,
): Promise<Permission['accounts']> {
  const ids: Record<string, string> = {};
  for (const [service, name] of Object.entries(accounts)) {
    if (services?.includes(service) === false) throw invalid(`accounts names ${service}, which services leaves out.`);
    const own = await listAccounts(executor, userId, service);
    const shared = await listSharedAccounts(executor, userId, own);
    const connected = [...own, ...shared.filter((account) => account.service === service)];
    const account = findAccount(connected, name);
    if (account === undefined)
      throw invalid(`The user has no account ${JSON.stringify(name)} of "${service}". ${describeAccounts(connected)}`);
    ids[service] = account.id;
  }
  return ids;
}

interface PinDependencies {
  readonly catalogue: Catalogue;
  readonly validators: Validators;
  /** Services that the partner may offer. */
  readonly services: readonly string[];
}

/**
 * Reads the pins of a code.
 *
 * @returns the permission, and the tools of the pinned services that are withheld, because a pin cannot be enforced on
 * them.
 * @throws {OAuthError} `invalid_request`, status 400, for unknown tools and arguments, and values that no tool takes.
 */
function readPins(
  request: ConnectionCodeRequest,
  deps: PinDependencies,
): { permission: Permission; withheld: readonly string[] } {
  const { catalogue } = deps;
  const { services, tools, catalogue: mode, resultTokens } = request;
  for (const name of tools ?? []) checkTool(name, services, deps);
  const pinned = Object.entries(request.arguments);
  for (const [service, pins] of pinned) checkArguments(service, pins, services, deps);

  const permission = { ...FULL_PERMISSION, only: tools, pins: request.arguments, catalogue: mode, resultTokens };
  const entries = pinned.flatMap(([service]) => entriesOf(catalogue, service));
  const withheld = entries.filter((entry) => !isPermitted(entry, { ...permission, only: null }));
  return { permission, withheld: withheld.map(({ tool }) => tool.name).sort() };
}

function entriesOf(catalogue: Catalogue, service: string) {
  const connector = catalogue.findConnector(service);
  return connector === undefined ? [] : catalogue.toolsOf(connector).map((tool) => ({ connector, tool }));
}

function checkTool(name: string, services: readonly string[] | null, deps: PinDependencies): void {
  const entry = deps.catalogue.find(name);
  if (entry === undefined || !deps.services.includes(entry.connector.name))
    throw invalid(`There is no tool "${name}".`);
  if (entry.tool.name !== name) throw invalid(`The tool "${name}" is now called "${entry.tool.name}".`);
  if (services?.includes(entry.connector.name) ?? true) return;
  throw invalid(`The tool "${name}" belongs to ${entry.connector.name}, which services leaves out.`);
}

function checkArguments(
  service: string,
  pins: Permission['pins'][string],
  services: readonly string[] | null,
  { catalogue, validators, services: offered }: PinDependencies,
): void {
  const names = Object.keys(pins);
  const described = names.map((name) => `"${name}"`).join(' and ');
  if (!offered.includes(service)) throw invalid(`There is no service "${service}".`);
  if (services?.includes(service) === false) throw invalid(`arguments names ${service}, which services leaves out.`);
  if (names.length === 0) throw invalid(`arguments names no argument of ${service}.`);
  const enforceable = entriesOf(catalogue, service).filter((entry) =>
    isPermitted(entry, { ...FULL_PERMISSION, pins: { [service]: pins } }),
  );
  if (enforceable.length === 0) throw invalid(`No tool of ${service} can be kept to ${described}.`);
  for (const { tool } of enforceable) {
    const problems = validators(tool.inputSchema).problems(withNumbers(tool, pins));
    const wrong = problems.find((problem) => problem.instancePath !== '' || problem === TOO_LONG);
    if (wrong === undefined) continue;
    throw invalid(`arguments.${service}${wrong.instancePath.replaceAll('/', '.')} ${wrong.message ?? 'is not valid'}.`);
  }
}

/** Texts with the digits of large numbers as numbers, where the tool takes no text. */
function withNumbers({ inputSchema }: ToolFace, pins: Permission['pins'][string]): Permission['pins'][string] {
  const entries = Object.entries(pins).map(([name, value]) => [
    name,
    rawNumber(toArgument({ inputSchema }, name, value)) === undefined ? value : Number(value),
  ]);
  return Object.fromEntries(entries);
}

function invalid(description: string): OAuthError {
  return new OAuthError(400, 'invalid_request', description);
}
