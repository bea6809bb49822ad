/** Arguments that are not sent on their own: they are checked against others, or name the key of one. */

import { type Reporter, suggest } from '../problems.ts';
import type { Assignment } from './assign.ts';

/** The template that an argument must equal; reports unknown argument names in it. */
export function toAgreement(
  { name, config, path }: Assignment,
  names: ReadonlySet<string>,
  report: Reporter,
): readonly { readonly argument: string; readonly template: string }[] {
  const template = config.mustEqual;
  if (template === undefined) return [];
  const argumentNames = [...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '');
  const wrongNames = argumentNames.filter((argument) => !names.has(argument) || argument === name);
  for (const argument of wrongNames) {
    report.config(
      'config-agreement',
      [...(path ?? []), 'mustEqual'],
      argument === name
        ? `${name} must equal itself.`
        : `${template} names {${argument}}, which the tool does not have.`,
      suggest(
        argument,
        [...names].filter((other) => other !== name),
        'The tool has no other argument.',
      ),
    );
  }
  return [{ argument: name, template }];
}

/** Reports arguments that are not sent, not checked, and do not name a key. */
export function checkUse(assignments: readonly Assignment[], report: Reporter): void {
  const namingArguments = new Set(
    assignments.flatMap(({ key }) => (key !== null && 'argument' in key ? [key.argument] : [])),
  );
  for (const { name, slot, config, path } of assignments) {
    if (slot === null && config.mustEqual === undefined && !namingArguments.has(name)) {
      report.config('config-argument-unused', path ?? [], `${name} is not sent, is not checked, and names no key.`);
    }
  }
}
