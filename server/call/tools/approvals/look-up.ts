/** Asks reading tools what a call is about that its user has to approve. */

import type { Connector, Tool } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import type { AnyTool } from '../catalogue/permitted.ts';
import { isObject, stableJson } from '../json.ts';
import { projectionOf } from '../results/fields.ts';
import type { LookedUpName, LookUps } from './call-description.ts';
import { type NameLookup, nameInAnswer, planNameLookups, type ReadingCall } from './name-lookups.ts';

/** Maximum of names that are looked up for one approval. Each additional id is shown as one that could not be looked up. */
const MAX_NAME_LOOKUPS = 8;

/** Milliseconds for all look-ups of one approval together, if the call has twice as much left. */
export const LOOK_UP_TIMEOUT_MS = 5000;

/** A call that waits for approval. */
interface PendingCall {
  readonly entry: { readonly connector: Connector; readonly tool: AnyTool };
  readonly arguments: Arguments;
  /** Arguments of each call of a batch. Undefined for a single call. */
  readonly items?: readonly Arguments[] | undefined;
}

/** Calls reading tools for one approval. */
export interface LookupReader {
  /** True if the gateway may call the tool: it is served, only reads, and needs no approval. */
  mayRead(tool: Tool): boolean;
  /** True if the client itself may call the tool. */
  mayClientRead(tool: Tool): Promise<boolean>;
  /** Calls the tool with the connection of the call. A failure is an outcome. */
  read(tool: Tool, args: Arguments): Promise<{ readonly outcome: string; readonly answer: unknown }>;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Reads the preview of a call, and the names of its ids. The same thing is read once. A failure is part of the result. */
export async function lookUp(call: PendingCall, reader: LookupReader): Promise<LookUps> {
  const calls = call.items ?? [call.arguments];
  const lookups = planNameLookups(call.entry, calls, (tool) => reader.mayRead(tool));
  const preview = findPreview(call, reader);
  if (lookups.length === 0 && preview === undefined) return { names: [], preview: null };

  const readOnce = createReadOnce(reader);
  const skippedNames = lookups.slice(MAX_NAME_LOOKUPS).map(({ argument, id }): LookedUpName => {
    return { argument, id, problem: 'failed', isForClient: false };
  });
  const pendingNames = Promise.all(
    lookups.slice(0, MAX_NAME_LOOKUPS).map((lookup) => lookUpName(lookup, reader, readOnce)),
  );
  const previewResult = preview === undefined ? null : await readOnce(preview.tool, preview.args);
  return {
    names: [...(await pendingNames), ...skippedNames],
    preview: previewResult?.answer ?? null,
    lookedUpAt: reader.now(),
  };
}

/** Creates a function that calls each tool once with the same arguments. */
function createReadOnce(reader: LookupReader): LookupReader['read'] {
  const answers = new Map<string, ReturnType<LookupReader['read']>>();
  return (tool, args) => {
    const key = stableJson([tool.name, args]);
    const answer = answers.get(key) ?? reader.read(tool, args);
    answers.set(key, answer);
    return answer;
  };
}

/** Returns the call of the tool's preview. Undefined if the tool has no preview, the gateway may not call it, or the call is a batch. */
function findPreview(call: PendingCall, reader: LookupReader): ReadingCall | undefined {
  const { connector, tool } = call.entry;
  const { preview } = tool;
  const readingTool = connector.tools.find(({ name }) => name === preview?.tool);
  if (preview === undefined || readingTool === undefined || call.items !== undefined) return undefined;
  if (!reader.mayRead(readingTool)) return undefined;
  const args = Object.entries(preview.arguments).flatMap(([name, sourceArgument]) =>
    Object.hasOwn(call.arguments, sourceArgument) ? [[name, call.arguments[sourceArgument]] as const] : [],
  );
  return { tool: readingTool, args: Object.fromEntries(args) };
}

async function lookUpName(
  { argument, id, tool, args }: NameLookup,
  reader: LookupReader,
  readOnce: LookupReader['read'],
): Promise<LookedUpName> {
  const [{ outcome, answer }, isForClient] = await Promise.all([readOnce(tool, args), reader.mayClientRead(tool)]);
  if (outcome === 'not_found' || outcome === 'gone') return { argument, id, problem: 'missing', isForClient };
  if (outcome !== 'ok') return { argument, id, problem: 'failed', isForClient };
  // Other members than those that callers get would reach the client in the name.
  const project = projectionOf(tool.page, tool.result?.keep, null);
  const name = nameInAnswer(project === null || !isObject(answer) ? answer : project(answer));
  return name === undefined ? { argument, id, problem: 'nameless', isForClient } : { argument, id, name, isForClient };
}
