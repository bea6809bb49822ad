/** Compares the generated tools of one service with the argument table of the specification. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { expect, it } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import type { Connector, Tool } from '../../server/contract/index.ts';

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** By tool name: the published arguments, first those of the path, then the required ones, marked with `!`. */
export type ArgumentTable = Readonly<Record<string, readonly string[]>>;

/** The connector in `generated/<service>/`. */
export async function loadGenerated(service: string): Promise<Connector> {
  const connector = (await loadConnectors()).find(({ name }) => name === service);
  if (connector === undefined) throw new Error(`${service} was not generated`);
  return connector;
}

/** One test for the set of tools and one for each tool's arguments. */
export function checkArgumentTable(connector: Connector, table: ArgumentTable): void {
  it('have exactly the specified names, besides those that find items of a list', () => {
    const specified = connector.tools.filter(({ find }) => find === undefined);
    expect(specified.map(({ name }) => name)).toEqual(Object.keys(table).toSorted());
  });

  it.each(Object.entries(table))('%s takes the specified arguments', (name, want) => {
    const { properties = {}, required = [] } = findTool(connector, name).inputSchema as {
      properties?: Record<string, unknown>;
      required?: string[];
    };
    const names = Object.keys(properties).map((key) => (required.includes(key) ? `${key}!` : key));
    const { gatewayArguments = [] } = findTool(connector, name);
    expect(names).toEqual([...want, ...gatewayArguments]);
  });
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
