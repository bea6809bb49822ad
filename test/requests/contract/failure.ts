/** Calls a tool with its examples and with drawn arguments, and reports the smallest that arrive wrong. */

import type { Client } from '@modelcontextprotocol/client';
import fc, { type RunDetails } from 'fast-check';
import type { OpenSandbox } from '../../../sandbox/index.ts';
import type { Tool } from '../../../server/contract/index.ts';
import { exampleArguments } from '../../support/example-arguments.ts';
import { type Arguments, argumentsArbitrary, withoutRemoved } from './arguments.ts';
import { findDifferences } from './differences.ts';
import type { SentAs } from './sent-as.ts';

export interface ContractOptions {
  readonly tool: Tool;
  /** Name of the tool's connector. */
  readonly service: string;
  readonly sentAs: SentAs;
  /** Of a user who is connected to the service. */
  readonly client: Client;
  /** The upstream of the gateway; it gets no other requests meanwhile. */
  readonly sandbox: OpenSandbox;
  /** The same seed draws the same arguments. */
  readonly seed: number;
  /** Number of drawn argument sets, in addition to the examples. */
  readonly runs: number;
  /** The folder of the test. Default: `test/requests/contract`. */
  readonly folder?: string;
}

/**
 * The report of a failure: tool, smallest arguments, differences, and how to run it again. Null: all arrived right.
 *
 * @throws {Error} if no arguments can be drawn, or the descriptor has no such operation
 */
export async function findFailure(options: ContractOptions): Promise<string | null> {
  const { tool, sentAs, service, sandbox } = options;
  const descriptor = sandbox.services.get(service)?.descriptor;
  const operation = descriptor?.operations.find(
    ({ method, path }) => method === tool.operation.method && path === tool.operation.path,
  );
  if (descriptor === undefined || operation === undefined) {
    throw new Error(`The descriptor has no ${tool.operation.method} ${tool.operation.path}.`);
  }
  const check = async (args: Arguments): Promise<string[]> => {
    sandbox.clearRequests();
    const problem = await callTool(options, args);
    const requests = sandbox.requests();
    const call = { service, operation, descriptor, sentAs, arguments: args };
    const [request] = requests;
    return [
      ...(requests.length === 1 ? [] : [`requests: expected 1, sent ${requests.length}`]),
      ...(request === undefined ? [] : await findDifferences(call, request)),
      ...(problem === null ? [] : [problem]),
    ];
  };

  const examples = (['required', 'all'] as const).map((extent) =>
    withoutRemoved(exampleArguments(tool, extent), sentAs),
  );
  const wrongExample = await findFirst(examples, async (args) => (await check(args)).length > 0);
  const drawn = argumentsArbitrary({ tool, sentAs, operation, descriptor });
  const details = await fc.check(
    fc.asyncProperty(drawn, async (args) => (await check(args)).length === 0),
    { seed: options.seed + sum(tool.name), numRuns: options.runs },
  );
  const smallest = details.counterexample?.[0] ?? wrongExample;
  if (smallest !== undefined) return describeFailure(options, smallest, await check(smallest), details);
  if (details.failed) throw new Error(`No arguments of ${tool.name} can be drawn.`, { cause: details.errorInstance });
  return null;
}

/** What is wrong with the result, or null. */
async function callTool({ client, tool }: ContractOptions, args: Arguments): Promise<string | null> {
  try {
    const { content, isError } = await client.callTool({ name: tool.name, arguments: args });
    const text = content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
    return isError ? `the result is an error: ${text}` : null;
  } catch (error) {
    return `the call failed: ${String(error)}`;
  }
}

function describeFailure(
  { tool, seed, runs, folder = 'test/requests/contract' }: ContractOptions,
  args: Arguments,
  differences: readonly string[],
  details: Pick<RunDetails<unknown>, 'failed' | 'numRuns' | 'numShrinks'>,
): string {
  const { operation, name } = tool;
  const found = details.failed
    ? `drawn arguments (set ${details.numRuns} of ${runs}, made smaller ${details.numShrinks} times)`
    : 'the examples of its input schema';
  return [
    `${name} (${operation.method} ${operation.path}) does not send what it is given.`,
    `  arguments: ${JSON.stringify(args)}`,
    ...differences.map((difference) => `  ${difference}`),
    `Found with ${found}.`,
    `Again: CONTRACT_SEED=${seed} CONTRACT_RUNS=${runs} npm test -- ${folder} -t ${name}`,
  ].join('\n');
}

/** So that tools with similar arguments do not all get the same ones. */
function sum(text: string): number {
  return [...text].reduce((total, character) => (total * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003, 0);
}

async function findFirst<T>(items: readonly T[], accepts: (item: T) => Promise<boolean>): Promise<T | undefined> {
  for (const item of items) if (await accepts(item)) return item;
  return undefined;
}
