/** Proposes `wait` for operations that only begin work: they answer 202, and a reading tool below or next to them tells the state. */

import { toRecord } from '../../../codegen/json.ts';
import type { ServiceModel } from '../../../codegen/model/types.ts';
import { schemasAt } from '../../../codegen/tools/answers/answer-pointers.ts';
import { plainName } from '../../../codegen/tools/answers/paging-names.ts';
import { answerSchemas } from '../../../codegen/tools/connector/answers.ts';
import { mergeAllOf } from '../../../codegen/tools/schema/merge.ts';
import type { ToolModel } from '../../../codegen/tools/types.ts';

const STATES = ['status', 'state'];
const ENDED = /^(?:succe|complet|done|ready|finish|available|ok$)/i;
const FAILED = /fail|error|cancel|abort|reject|expired/i;
const ADDRESSES = ['location', 'operation-location', 'azure-asyncoperation'];

/** Returns the value of `wait` as YAML. Null if nothing tells the state. */
export function proposeWait(
  tool: ToolModel,
  tools: readonly ToolModel[],
  { operations, resolve }: ServiceModel,
): string | null {
  const operationOf = ({ operation: { method, path } }: ToolModel) =>
    operations.find((candidate) => candidate.method === method && candidate.path === path);
  const acceptedResponse = operationOf(tool)?.responses.find(({ status }) => status === '202');
  if (acceptedResponse === undefined || tool.annotations.readOnlyHint) return null;
  const { path } = tool.operation;
  const reading = tools.find(
    ({ operation: other, annotations }) =>
      annotations.readOnlyHint &&
      (other.path === path || (other.path.startsWith(`${path}/{`) && !other.path.slice(path.length + 2).includes('/'))),
  );
  const readingOperation = reading === undefined ? undefined : operationOf(reading);
  if (reading === undefined || readingOperation === undefined) return null;
  const valuesAt = (name: string) =>
    schemasAt(`/${name}`, { answers: answerSchemas(readingOperation, resolve), resolve }).flatMap((schema) => {
      const { enum: values } = mergeAllOf(schema, resolve).schema;
      return Array.isArray(values) ? values.map(String) : [];
    });
  const state = STATES.find((name) => valuesAt(name).length > 0);
  const values = state === undefined ? [] : valuesAt(state);
  const matching = (pattern: RegExp) => values.filter((value) => pattern.test(value));
  const [until, failed] = [matching(ENDED), matching(FAILED)];
  const list = (texts: readonly string[]) => `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
  const ends: string[] = [];
  if (state !== undefined && until.length > 0) {
    ends.push(`state: /${state}`, `until: ${list(until)}`);
    if (failed.length > 0) ends.push(`failed: ${list(failed)}`);
  }
  const args = argumentsOf(tool, reading);
  const hasAddress = acceptedResponse.headers.some((name) => ADDRESSES.includes(name));
  if (!hasAddress && (args === null || ends.length === 0)) return null;
  const members = [`tool: ${reading.name}`];
  if (!hasAddress && args !== null) members.push(`arguments: { ${args} }`);
  return `{ ${[...members, ...ends].join(', ')} }`;
}

/**
 * Returns the source of each required argument of the reading tool: an argument of the same name, or a member of the first answer. Null if an
 * argument has no source.
 */
function argumentsOf(tool: ToolModel, reading: ToolModel): string | null {
  const members = Object.keys(toRecord(tool.outputSchema.properties));
  const sources = reading.arguments
    .filter(({ required }) => required)
    .map(({ name }) => {
      if (tool.arguments.some((argument) => argument.name === name)) return `${name}: ${name}`;
      const member = members.find((one) => plainName(one) === plainName(name)) ?? members.find((one) => one === 'id');
      return member === undefined ? null : `${name}: /${member}`;
    });
  return sources.includes(null) ? null : sources.join(', ');
}
