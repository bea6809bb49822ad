/** Members that never leave: takes them out of a tool's output schema, and checks what connector.yaml says of them. */

import { findWithheldPaging, mergeWithheld, type WithheldMembers, withoutWithheld } from '../../../shared/withheld.ts';
import type { Schema } from '../../model/types.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { DefaultsUse } from '../request/fixed-and-omitted.ts';
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
  rules: { readonly own: WithheldMembers | undefined; readonly service: WithheldMembers | undefined },
  { use, report }: { readonly use: DefaultsUse; readonly report: Reporter },
): { readonly schema: Schema; readonly withhold?: WithheldMembers } {
  const { own = {}, service = {} } = rules;
  const withhold = mergeWithheld(service, own);
  const paths = Object.keys(withhold);
  if (paths.length === 0) return { schema };
  const open = withoutWithheld(schema, withhold);
  for (const path of paths.filter((one) => !open.unknown.has(one))) use.withhold.add(path);
  for (const [path, near] of [...open.unknown].filter(([one]) => Object.hasOwn(own, one))) {
    const fix = suggest(path, near, 'It has no members.');
    report.config('config-withhold', ['tools', tool, 'withhold', path], `The answer of ${tool} has no ${path}.`, fix);
  }
  const paging = findWithheldPaging(page, withhold);
  if (paging !== undefined) {
    report.config('config-withhold', ['tools', tool], `${tool} needs ${paging} to say how its list goes on.`);
  }
  const names = paths.map((path) => path.split('.').at(-1) ?? '').filter(({ length }) => length >= MIN_NAME_LENGTH);
  for (const { name, schema: given } of annotations.readOnlyHint ? args : []) {
    const text = plain(`${name} ${JSON.stringify(given)}`);
    const told = names.find((one) => text.includes(plain(one)));
    if (told === undefined) continue;
    const message = `${tool} withholds ${told}, and its argument ${name} may filter or sort by it.`;
    report.config('withheld-argument', ['tools', tool], message);
  }
  return { schema: open.schema, withhold };
}

function plain(text: string): string {
  return text.replaceAll(/[_-]/g, '').toLowerCase();
}
