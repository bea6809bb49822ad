/** Members that never leave: takes them out of a tool's output schema, and checks what connector.yaml says of them. */

import { findWithheldPaging, mergeWithheld, type WithheldMembers, withoutWithheld } from '../../../shared/withheld.ts';
import type { Schema } from '../../model/types.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { UsedDefaults } from '../request/fixed-and-omitted.ts';
import type { ToolModel } from '../types.ts';

/** Shorter names are part of too many others. */
const MIN_NAME_LENGTH = 4;

/**
 * Returns the output schema without the members that the tool and the service withhold.
 *
 * Reports a path that the schema does not have, a member that paging needs, and arguments by which an upstream may reveal the value: it filters or
 * sorts by the member, and the gateway cannot see that.
 *
 * @param rules of the tool and of the service.
 */
export function withholdMembers(
  schema: Schema,
  { name: tool, page, arguments: args, annotations }: Pick<ToolModel, 'name' | 'page' | 'arguments' | 'annotations'>,
  rules: { readonly toolRules: WithheldMembers | undefined; readonly serviceRules: WithheldMembers | undefined },
  { usedDefaults, report }: { readonly usedDefaults: UsedDefaults; readonly report: Reporter },
): { readonly schema: Schema; readonly withhold?: WithheldMembers | undefined } {
  const { toolRules = {}, serviceRules = {} } = rules;
  const withhold = mergeWithheld(serviceRules, toolRules);
  const paths = Object.keys(withhold);
  if (paths.length === 0) return { schema };
  const stripped = withoutWithheld(schema, withhold);
  for (const path of paths.filter((withheldPath) => !stripped.unknown.has(withheldPath)))
    usedDefaults.withhold.add(path);
  for (const [path, near] of [...stripped.unknown].filter(([unknownPath]) => Object.hasOwn(toolRules, unknownPath))) {
    const fix = suggest(path, near, 'It has no members.');
    report.config('config-withhold', ['tools', tool, 'withhold', path], `The answer of ${tool} has no ${path}.`, fix);
  }
  const paging = findWithheldPaging(page, withhold);
  if (paging !== undefined) {
    report.config('config-withhold', ['tools', tool], `${tool} needs ${paging} to say how its list goes on.`);
  }
  const names = paths.map((path) => path.split('.').at(-1) ?? '').filter(({ length }) => length >= MIN_NAME_LENGTH);
  for (const { name, schema: argumentSchema } of annotations.readOnlyHint ? args : []) {
    const text = normalizeName(`${name} ${JSON.stringify(argumentSchema)}`);
    const withheldName = names.find((memberName) => text.includes(normalizeName(memberName)));
    if (withheldName === undefined) continue;
    const message = `${tool} withholds ${withheldName}, and its argument ${name} may filter or sort by it.`;
    report.config('withheld-argument', ['tools', tool], message);
  }
  return { schema: stripped.schema, withhold };
}

function normalizeName(text: string): string {
  return text.replaceAll(/[_-]/g, '').toLowerCase();
}
