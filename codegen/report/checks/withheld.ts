/** Members that connector.yaml withholds from answers, and now does not, or the other way round. */

import { type WithheldMembers, WithheldPaths } from '../../../shared/withheld.ts';
import type { RuleId } from '../rules.ts';
import type { Finding } from '../types.ts';

/** How a tool reduces its answers. */
export interface Reduction {
  readonly keep?: readonly string[] | undefined;
  readonly withhold?: WithheldMembers | undefined;
}

/**
 * Replaces the findings about members that are no longer withheld by one finding, whose new state is all that is still withheld. Members that are
 * withheld now are reported where the schema does not show it.
 */
export function checkWithheld(before: Reduction, after: Reduction, findings: readonly Finding[]): Finding[] {
  const [old, now] = [before.withhold ?? {}, after.withhold ?? {}];
  const returned = Object.keys(old).filter((path) => !isWithheld(path, now) && isKept(path, after.keep));
  const isReturned = holder(returned);
  const others = findings.filter(({ place }) => !isReturned(toPointer(place)));
  const shown = findings.find(({ place }) => isReturned(toPointer(place)));
  const added = Object.keys(now).filter((path) => {
    const isMember = holder([path]);
    const isShown = ({ rule, place }: Finding) => SHOWN_BY.has(rule) && isMember(toPointer(place));
    return !isWithheld(path, old) && !others.some(isShown);
  });
  const common = Object.keys(old).filter((path) => Object.hasOwn(now, path));
  const hasOtherMode = common.some((path) => old[path] !== now[path]);
  const [place, pointer] = ['result.withhold', ['result']];
  const result = [...others];
  if (returned.length > 0)
    result.push({ rule: 'answer-withholds-less', place, before: old, after: now, pointer: shown?.pointer ?? pointer });
  if (added.length > 0) result.push({ rule: 'answer-keeps-less', place, after: added, pointer });
  if (hasOtherMode) result.push({ rule: 'answer-shape-changed', place, before: old, after: now, pointer });
  return result;
}

/** Rules that report what withholding a member changes in the schema. */
const SHOWN_BY: ReadonlySet<RuleId> = new Set(['output-field-removed', 'output-field-retyped']);

/** True if a path is withheld wherever it leads: one that begins with `**` only by others that do. */
function isWithheld(path: string, members: WithheldMembers): boolean {
  const paths = Object.keys(members).filter((other) => other.startsWith('**.') || !path.startsWith('**.'));
  return holder(paths)(`/${path.replace('**.', '').replaceAll('.', '/')}`);
}

function holder(paths: readonly string[]): (pointer: string) => boolean {
  const withheld = new WithheldPaths(Object.fromEntries(paths.map((path) => [path, 'drop'])));
  return (pointer) => withheld.holds(pointer);
}

function isKept(path: string, keep: Reduction['keep']): boolean {
  return (
    keep === undefined ||
    path.startsWith('**.') ||
    keep.some((kept) => `${path}.`.startsWith(`${kept}.`) || `${kept}.`.startsWith(`${path}.`))
  );
}

/** `/items/id` of `output.items[].id#type`; empty for the whole. */
function toPointer(place: string): string {
  const [root, ...names] = place.replaceAll('[]', '').split('#')[0]?.split('.') ?? [];
  return root === 'output' ? names.map((name) => `/${name}`).join('') : '';
}
