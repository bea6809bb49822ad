/** Reads the connector that codegen made of one service of `specs/`. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import type { Connector, Tool } from '../../server/contract/index.ts';

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** The connector in `generated/<service>/`. */
export async function loadGenerated(service: string): Promise<Connector> {
  const connector = (await loadConnectors()).find(({ name }) => name === service);
  if (connector === undefined) throw new Error(`${service} was not generated`);
  return connector;
}

/** @throws {Error} for a name that the connector does not have. */
export function findTool(connector: Connector, name: string): Tool {
  const tool = connector.tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`${connector.name} has no tool ${name}`);
  return tool;
}

/** Whether a tool's published input schema accepts these arguments. */
export function accepts(connector: Connector, name: string, args: unknown): boolean {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  return ajv.validate(findTool(connector, name).inputSchema, args);
}
