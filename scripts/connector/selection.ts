/** Selects which operations become the first tools of a service, from the command line's options. */

import type { SelectionConfig } from '../../codegen/load/config/expose.ts';
import type { ServiceModel } from '../../codegen/model/types.ts';
import type { ToolModel } from '../../codegen/tools/types.ts';
import { countEach, toCount } from './proposals/draft.ts';

/** The selection options of `utg add`. */
export interface Selection {
  /** Globs of operationIds, of paths, or of methods and paths. */
  readonly only: readonly string[];
  readonly tags: readonly string[];
  readonly readOnly: boolean;
  /** Null if there is no limit. */
  readonly maxTools: number | null;
}

/** Returns the selection in the form of connector.yaml. Undefined if everything is selected. */
export function toSelectionConfig({ only, tags, readOnly }: Selection): SelectionConfig | undefined {
  if (only.length === 0 && tags.length === 0 && !readOnly) return undefined;
  const selection: SelectionConfig = {};
  if (only.length > 0) selection.operations = [...only];
  if (tags.length > 0) selection.tags = [...tags];
  if (readOnly) selection.readOnly = true;
  return selection;
}

/** Limits the number of tools: those with short paths first, and of these the reading ones first. */
export function takeTools(tools: readonly ToolModel[], maxTools: number | null): readonly ToolModel[] {
  if (maxTools === null || tools.length <= maxTools) return tools;
  const depth = ({ operation }: ToolModel) => operation.path.split('/').filter((segment) => segment !== '').length;
  const effect = ({ annotations: { readOnlyHint, destructiveHint } }: ToolModel) => {
    if (readOnlyHint) return 0;
    return destructiveHint ? 2 : 1;
  };
  const firstTools = tools.toSorted((a, b) => depth(a) - depth(b) || effect(a) - effect(b)).slice(0, maxTools);
  return tools.filter((tool) => firstTools.includes(tool));
}

/** Returns one line about the operations that were left out. The text is empty if nothing was left out. */
export function toLeftOut(counts: { readonly tools: number; readonly outside: number; readonly over: number }): string {
  const { tools, outside, over } = counts;
  const reasons: string[] = [];
  if (outside > 0) reasons.push(`${toCount(outside, 'operation')} that ${outside === 1 ? 'does' : 'do'} not match`);
  if (over > 0) reasons.push(`${toCount(over, 'operation')} over --max-tools`);
  return reasons.length === 0 ? '' : `${toCount(tools, 'tool')}. Left out: ${reasons.join(', ')}.\n`;
}

/** Several clients accept no more tools than this. */
const MANY_TOOLS = 128;
const MAX_TAGS = 8;

/** Returns advice on how to add fewer tools if there are more than most clients accept. Otherwise the text is empty. */
export function toAdvice({
  tools,
  model,
}: {
  readonly tools: readonly ToolModel[];
  readonly model: ServiceModel;
}): string {
  if (tools.length <= MANY_TOOLS) return '';
  const tags = countEach(model.operations.flatMap((operation) => operation.tags)).slice(0, MAX_TAGS);
  const largest = tags.map(([tag, count]) => `${tag} (${count})`).join(', ');
  return (
    `\n${toCount(tools.length, 'tool')} are more than most clients take. --only, --tag, --read-only and --max-tools choose: ` +
    `remove specs/${model.name}/, and add it again.${tags.length === 0 ? '' : ` Its largest tags: ${largest}.`}\n`
  );
}
