/** Checks what must hold for every generated tool, independently of codegen's own checks. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ConnectorModel, ToolModel } from '../../../codegen/tools/types.ts';
import { createValidators } from '../../../server/call/tools/validate.ts';
import type { ObjectSchema } from '../../../server/contract/index.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** The property names that the Messages API accepts in `input_schema`. */
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;
const ROOT_COMBINATORS = ['allOf', 'anyOf', 'oneOf', 'not', 'enum', 'const', 'if', '$ref'];
/** OpenAI's limit. */
const MAX_DESCRIPTION_CHARS = 1024;

/**
 * Returns one sentence for each defect of a connector's tools. The list is empty if there is none.
 *
 * @param operations number of operations in the descriptor, or null if it is unknown.
 */
export function checkTools(connector: ConnectorModel, operations: number | null): string[] {
  const defects: string[] = [];
  const covered = new Set(
    [...connector.tools.map(({ operation }) => operation), ...connector.notExposed].map(
      (operation) => `${operation.method} ${operation.path}`,
    ),
  );
  if (operations !== null && covered.size !== operations) {
    defects.push(`there are ${operations} operations, but ${covered.size} are tools or said to be none`);
  }
  const names = new Set<string>();
  const validators = createValidators();
  for (const tool of connector.tools) {
    const say = (text: string) =>
      defects.push(`${tool.name} (${tool.operation.method} ${tool.operation.path}): ${text}`);
    if (!NAME.test(tool.name)) say('its name is no name for a tool');
    if (names.has(tool.name)) say('another tool has its name');
    names.add(tool.name);
    if (tool.title === '') say('it has no title');
    if (tool.description === '') say('it has no description');
    if (tool.description.length > MAX_DESCRIPTION_CHARS) say('its description is too long');
    checkInput(tool, say);
    for (const [kind, schema] of [
      ['input', tool.inputSchema],
      ['output', tool.outputSchema],
    ] as const) {
      if (schema.type !== 'object') say(`the root of its ${kind} schema is no object`);
      try {
        validators(schema as unknown as ObjectSchema).accepts({});
      } catch (error) {
        say(`its ${kind} schema does not compile: ${String(error)}`);
      }
    }
  }
  return defects;
}

const metaSchema = new Ajv2020({ strict: false, logger: false });

/** Returns the number of input and output schemas of the tools, and of those that are valid by the meta-schema of JSON Schema 2020-12. */
export function countSchemas(tools: readonly ToolModel[]): { readonly total: number; readonly valid: number } {
  const schemas = tools.flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema]);
  return { total: schemas.length, valid: schemas.filter((schema) => metaSchema.validateSchema(schema)).length };
}

function checkInput({ inputSchema, arguments: args }: ToolModel, say: (text: string) => void): void {
  const properties = Object.keys((inputSchema.properties ?? {}) as object);
  for (const key of properties) if (!PROPERTY.test(key)) say(`${JSON.stringify(key)} is no name for an argument`);
  for (const key of ROOT_COMBINATORS) if (key in inputSchema) say(`the root of its input schema has ${key}`);
  if (inputSchema.additionalProperties !== false) say('its input schema takes any argument');
  const required = (inputSchema.required ?? []) as readonly string[];
  for (const name of [...required, ...args.map((argument) => argument.name)]) {
    if (!properties.includes(name)) say(`its input schema does not have ${JSON.stringify(name)}`);
  }
}
