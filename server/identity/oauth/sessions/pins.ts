/** The pins of a code, checked against the existing tools. */

import { type Permission, WHOLE_PERMISSION } from '../../../base/principal/permission.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import { isPermitted } from '../../../call/tools/catalogue/permitted.ts';
import type { Validators } from '../../../call/tools/json/validate.ts';
import { OAuthError } from '../../protocol/error.ts';
import type { SessionRequest } from './request.ts';

interface PinDependencies {
  readonly catalogue: Catalogue;
  readonly validators: Validators;
  /** Those that the partner may offer. */
  readonly services: readonly string[];
}

/**
 * Reads the pins of a code.
 *
 * @returns the permission, and the tools of the pinned services that are withheld, because a pin cannot be enforced on
 * them.
 * @throws {OAuthError} `invalid_request`, status 400, for unknown tools and arguments, and values that no tool takes.
 */
export function readPins(
  request: Pick<SessionRequest, 'services' | 'tools' | 'arguments' | 'catalogue' | 'resultTokens'>,
  deps: PinDependencies,
): { permission: Permission; withheld: readonly string[] } {
  const { catalogue } = deps;
  const { services, tools, catalogue: mode, resultTokens } = request;
  for (const name of tools ?? []) checkTool(name, services, deps);
  const pinned = Object.entries(request.arguments);
  for (const [service, pins] of pinned) checkArguments(service, pins, services, deps);

  const permission = { ...WHOLE_PERMISSION, only: tools, pins: request.arguments, catalogue: mode, resultTokens };
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
  const kept = entriesOf(catalogue, service).filter((entry) =>
    isPermitted(entry, { ...WHOLE_PERMISSION, pins: { [service]: pins } }),
  );
  if (kept.length === 0) throw invalid(`No tool of ${service} can be kept to ${described}.`);
  for (const { tool } of kept) {
    const problems = validators(tool.inputSchema).problems(pins);
    const wrong = problems.find(({ instancePath }) => instancePath !== '');
    if (wrong === undefined) continue;
    throw invalid(`arguments.${service}${wrong.instancePath.replaceAll('/', '.')} ${wrong.message ?? 'is not valid'}.`);
  }
}

function invalid(description: string): OAuthError {
  return new OAuthError(400, 'invalid_request', description);
}
