/** Which tools a permission includes, and how they then appear to the model. */

import { everyToolOf, type Permission, type Pins } from '../../../base/principal/permission.ts';
import type { Connector, ToolFace } from '../../../contract/index.ts';
import { honoursPins } from '../pins/places.ts';
import { withoutPinned } from '../pins/schema.ts';
import { type AnyTool, usedTools } from './hand-written.ts';

const NO_PINS: Pins = {};

/** The arguments of a service's tools that the gateway sets. */
export function pinsOf(permission: Permission, service: string): Pins {
  return Object.hasOwn(permission.pins, service) ? (permission.pins[service] ?? NO_PINS) : NO_PINS;
}

/**
 * Whether the grant includes the tool, apart from scopes. A renamed tool is also matched by its old name. A tool that
 * cannot honour a pin is not included, nor is a hand-written tool that uses an excluded tool or one that cannot honour
 * a pin.
 */
export function isPermitted(
  { connector, tool }: { connector: Connector; tool: AnyTool },
  permission: Permission,
): boolean {
  const { only, without } = permission;
  if (only !== null && !namesOf(tool).some((name) => only.includes(name))) return false;
  if (!permission.destructive && tool.annotations.destructiveHint) return false;
  const used = usedTools(connector, tool);
  if (without.length > 0) {
    const names = [everyToolOf(connector.name), ...[tool, ...used].flatMap(namesOf)];
    if (names.some((name) => without.includes(name))) return false;
  }
  const pins = pinsOf(permission, connector.name);
  return used.every((one) => honoursPins(one, pins));
}

function namesOf({ name, aliases = [] }: ToolFace): readonly string[] {
  return [name, ...aliases.map((alias) => alias.name)];
}

/** The tool as a model with that grant sees it. */
export function asPermitted(tool: ToolFace, pins: Pins): ToolFace {
  return pins === NO_PINS ? tool : { ...tool, inputSchema: withoutPinned(tool.inputSchema, pins) };
}
